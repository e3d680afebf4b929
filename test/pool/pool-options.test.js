'use strict';

const { DEFAULT_LIMITS } = require('../../lib/index.js');
const { disposeAfterEach, openPool } = require('../support/pools.js');

const MiB = 2 ** 20;

disposeAfterEach();

const NUMBERS = {
  threads: [1, 1024],
  maxRunning: [1, 2 ** 31],
  maxQueued: [0, 2 ** 31],
  maxStuck: [0, 1024],
  maxStuckBytes: [0, Number.MAX_SAFE_INTEGER],
};
const WARM = { target: [0, 10_000], idleMs: [0, 2 ** 31] };

const WRONG_TYPES = ['1', true, null, {}, [], NaN, 1n, () => 1, Symbol('1')];

/** A matcher for errors of the kind that name the option. */
const naming = (name, option) =>
  expect.objectContaining({ name, message: expect.stringContaining(option) });

/** @typedef {[string, number[], (value: any) => object]} Row */

describe.each([
  ...Object.entries(NUMBERS).map(
    ([name, range]) => /** @type {Row} */ ([name, range, (value) => ({ [name]: value })]),
  ),
  ...Object.entries(WARM).map(
    ([name, range]) =>
      /** @type {Row} */ ([`warm.${name}`, range, (value) => ({ warm: { [name]: value } })]),
  ),
])('the option %s', (name, [min, max], optionsWith) => {
  test.each(WRONG_TYPES)('is not %p', (value) => {
    expect(() => openPool(optionsWith(value))).toThrow(naming('TypeError', `options.${name}`));
  });

  test.each([min - 1, max + 1, min + 0.5, Infinity, -Infinity])(
    'is not %p, which is out of range',
    (value) => {
      expect(() => openPool(optionsWith(value))).toThrow(naming('RangeError', `options.${name}`));
    },
  );

  test('may be left undefined', () => {
    expect(openPool(optionsWith(undefined)).stats().threads).toBeGreaterThanOrEqual(2);
  });

  test(`may be ${min}`, () => {
    expect(openPool(optionsWith(min)).stats().stuck).toBe(0);
  });
});

test.each([null, 5, 'threads', true, [], () => {}])(
  'the options are not %p',
  (/** @type {any} */ options) => {
    expect(() => openPool(options)).toThrow(naming('TypeError', 'options'));
  },
);

test.each([null, 5, true, []])('neither warm nor limits is %p', (/** @type {any} */ value) => {
  expect(() => openPool({ warm: value })).toThrow(naming('TypeError', 'options.warm'));
  expect(() => openPool({ limits: value })).toThrow(naming('TypeError', 'options.limits'));
});

test.each([
  ['thread', { thread: 1 }],
  ['Threads', { Threads: 1 }],
  ['maxParked', { maxParked: undefined }],
  ['warmTarget', { warm: { warmTarget: 1 } }],
  ['idle', { warm: { idle: 1 } }],
  ['timeoutMs', { limits: { timeoutMs: 1 } }],
  ['wallms', { limits: { wallms: 1 } }],
])('%s is not the name of an option', (name, /** @type {any} */ options) => {
  expect(() => openPool(options)).toThrow(naming('TypeError', `'${name}'`));
});

test('options are taken from objects of any make', () => {
  expect(openPool(Object.assign(Object.create(null), { threads: 3 })).stats().threads).toBe(3);
});

describe.each([
  ['the pool', 'options.limits', (limits) => openPool({ threads: 1, limits })],
  ['a run', 'request.limits', (limits) => openPool({ threads: 1 }).run({ source: '', limits })],
])('limits of %s', (_name, where, use) => {
  const AMOUNTS = [
    'calls',
    'callsInFlight',
    'callBytes',
    'callBytesInFlight',
    'resultBytes',
    'valueBytes',
    'valueObjects',
    'logLines',
    'logChars',
  ];
  const TIMES = ['wallMs', 'cpuMs'];
  const RANGES = { memoryBytes: [8 * MiB, 4096 * MiB], valueDepth: [1, 1000] };

  test('are these, and all have defaults', () => {
    expect([...AMOUNTS, ...TIMES, ...Object.keys(RANGES)].sort()).toEqual(
      Object.keys(DEFAULT_LIMITS).sort(),
    );
    expect(Object.isFrozen(DEFAULT_LIMITS)).toBe(true);
  });

  test.each([...AMOUNTS, ...TIMES, ...Object.keys(RANGES)])('%s is a number', (name) => {
    for (const value of WRONG_TYPES) {
      expect(() => use({ [name]: value })).toThrow(naming('TypeError', `${where}.${name}`));
    }
    expect(() => use({ [name]: -1 })).toThrow(naming('RangeError', `${where}.${name}`));
  });

  test.each([...AMOUNTS, ...Object.keys(RANGES)])('%s is a whole number', (name) => {
    expect(() => use({ [name]: 10.5 })).toThrow(naming('RangeError', `${where}.${name}`));
  });

  test.each(Object.entries(RANGES))('%s is within its range', (name, [min, max]) => {
    for (const value of [min - 1, max + 1, Infinity]) {
      expect(() => use({ [name]: value })).toThrow(naming('RangeError', `${where}.${name}`));
    }
  });

  test('amounts and times may be without end, and times need not be whole', async () => {
    const endless = Object.fromEntries([...AMOUNTS, ...TIMES].map((name) => [name, Infinity]));
    expect(await use(endless)).not.toBeUndefined();
    expect(await use({ wallMs: 5000.5, cpuMs: 0.5 })).not.toBeUndefined();
  });

  test('that are misspelt are refused by name', () => {
    expect(() => use({ memoryByte: 1 })).toThrow(naming('TypeError', "'memoryByte'"));
  });
});

test('limits of the pool are the defaults of its runs', async () => {
  const pool = openPool({ threads: 1, limits: { resultBytes: 3, logLines: 1 } });
  const source = 'console.log(1); console.log(2); return "xy"';
  expect(await pool.run({ source })).toMatchObject({
    ok: false,
    cause: 'output',
    logsTruncated: true,
  });
  const own = await pool.run({ source, limits: { resultBytes: 4 } });
  expect(own).toMatchObject({ ok: true, value: 'xy', logsTruncated: true });
});

test.each(['1', null, -1, 1.5, NaN, 10_001])(
  'prewarm does not take %p',
  async (/** @type {any} */ count) => {
    await expect(openPool({ threads: 1 }).prewarm(count)).rejects.toMatchObject({
      message: expect.stringContaining('count'),
    });
  },
);
