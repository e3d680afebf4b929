'use strict';

const diagnostics = require('node:diagnostics_channel');

const { usePool } = require('../support/pools.js');

const { run } = usePool();

const NAMES = ['isobox:run:start', 'isobox:run:end', 'isobox:call:start', 'isobox:call:end'];

/** Everything that is published while `work` goes on, in order, without the prefix of the names. */
async function listen(work) {
  const events = [];
  const hear = (message, name) => events.push([name.slice('isobox:'.length), message]);
  for (const name of NAMES) diagnostics.subscribe(name, hear);
  try {
    await work();
  } finally {
    for (const name of NAMES) diagnostics.unsubscribe(name, hear);
  }
  return events;
}

test('a run and its calls are published in order', async () => {
  const namespaces = { host: { echo: (input) => input } };
  const source = 'await host.echo({ a: 1 }); return await host.echo(2)';
  const events = await listen(() => run({ source, namespaces, filename: 'traced.js' }));
  const { runId } = events[0][1];
  expect(runId).toEqual(expect.any(Number));
  const [first, second] = [events[1][1].callId, events[3][1].callId];
  expect(first).not.toBe(second);
  const call = { runId, namespace: 'host', name: 'echo' };
  expect(events).toEqual([
    ['run:start', { runId, filename: 'traced.js' }],
    ['call:start', { ...call, callId: first, input: { a: 1 } }],
    ['call:end', { ...call, callId: first, ok: true, error: undefined }],
    ['call:start', { ...call, callId: second, input: 2 }],
    ['call:end', { ...call, callId: second, ok: true, error: undefined }],
    ['run:end', { runId, cause: 'finished', facts: expect.objectContaining({ callCount: 2 }) }],
  ]);
});

test.each([
  [
    'throws',
    () => {
      throw Object.assign(new RangeError('no'), { code: 'E_NO' });
    },
    { name: 'RangeError', message: 'no', code: 'E_NO' },
  ],
  ['rejects', () => Promise.reject(new Error('no')), { name: 'Error', message: 'no', code: '' }],
  ['cannot give its result', () => 1n, { name: 'SerializationError', code: 'serialization_error' }],
])('the end of a call that %s has its error', async (_name, fail, error) => {
  const source = 'await host.fail().catch(() => {})';
  const events = await listen(() => run({ source, namespaces: { host: { fail } } }));
  const ends = events.filter(([name]) => name === 'call:end');
  expect(ends).toEqual([['call:end', expect.objectContaining({ name: 'fail', ok: false })]]);
  expect(ends[0][1].error).toMatchObject(error);
});

test.each([
  ['guest_error', 'throw 1'],
  ['link_error', 'let let'],
  ['serialization', 'return 1n'],
  ['deadline', 'for (;;);'],
])('a run that ends with the cause %s is published with it', async (cause, source) => {
  const events = await listen(() => run({ source, limits: { wallMs: 500 } }));
  expect(events.map(([name]) => name)).toEqual(['run:start', 'run:end']);
  expect(events[1][1]).toMatchObject({ runId: events[0][1].runId, cause });
});

test('calls that are open when their run ends have an end too, before that of the run', async () => {
  const namespaces = { host: { never: () => new Promise(() => {}), fine() {} } };
  const source = 'host.never(); host.never(); await host.fine(); throw new Error("enough")';
  const events = await listen(() => run({ source, namespaces }));
  const names = events.map(([name, { name: called }]) => (called ? `${name} ${called}` : name));
  expect(names).toEqual([
    'run:start',
    'call:start never',
    'call:start never',
    'call:start fine',
    'call:end fine',
    'call:end never',
    'call:end never',
    'run:end',
  ]);
  expect(events[5][1]).toMatchObject({ ok: false, error: { code: 'ERR_ISOBOX_RUN_ENDED' } });
});

test('an answer that comes after the end of the run publishes no second end', async () => {
  const stop = new AbortController();
  let answer;
  const late = () => {
    stop.abort();
    return new Promise((resolve) => (answer = resolve));
  };
  const events = await listen(async () => {
    const namespaces = { host: { late } };
    await run({ source: 'await host.late()', namespaces, signal: stop.signal });
    answer(1);
    await new Promise(setImmediate);
  });
  expect(events.filter(([name]) => name === 'call:end')).toHaveLength(1);
});

test('runs side by side are told apart by their ids', async () => {
  const namespaces = { host: { fine() {} } };
  const events = await listen(() =>
    Promise.all(Array.from({ length: 5 }, () => run({ source: 'await host.fine()', namespaces }))),
  );
  const byRun = new Map();
  for (const [name, { runId }] of events) byRun.set(runId, [...(byRun.get(runId) ?? []), name]);
  expect(byRun.size).toBe(5);
  for (const names of byRun.values()) {
    expect(names).toEqual(['run:start', 'call:start', 'call:end', 'run:end']);
  }
});

test('the end of a run is published before its caller hears of it', async () => {
  const order = [];
  const hear = () => order.push('published');
  diagnostics.subscribe('isobox:run:end', hear);
  await run({ source: '' }).then(() => order.push('awaited'));
  diagnostics.unsubscribe('isobox:run:end', hear);
  expect(order).toEqual(['published', 'awaited']);
});

test('a request that is refused publishes nothing', async () => {
  const events = await listen(async () => {
    expect(() => run({ source: '', globals: { bad: Symbol('x') } })).toThrow(/is a symbol/);
    expect(() => run(/** @type {any} */ ({ sourcee: '' }))).toThrow(TypeError);
  });
  expect(events).toEqual([]);
});

test('without listeners nothing is published, and with them nothing else changes', async () => {
  let heard;
  const events = await listen(async () => {
    heard = await run({ source: 'console.log(1); return 2' });
  });
  const unheard = await run({ source: 'console.log(1); return 2' });
  expect(events).toHaveLength(2);
  expect([heard.value, heard.logs.length]).toEqual([unheard.value, unheard.logs.length]);
});
