'use strict';

const diagnostics = require('node:diagnostics_channel');

const { disposeAfterEach, openPool } = require('../support/pools.js');

/** @type {import('isobox').IsolatePool} */
let pool;

beforeEach(() => {
  pool = openPool({ threads: 1 });
});

disposeAfterEach();

/** A value whose getter does something to the pool while the value is on its way to the guest. */
const whileRead = (act) => ({
  get a() {
    act();
    return 1;
  },
});

test('a run may be terminated while its reply is being written', async () => {
  const started = {};
  const give = () => whileRead(() => started.handle.terminate('enough'));
  started.handle = pool.run({ source: 'return host.give()', namespaces: { host: { give } } });
  expect(await started.handle).toMatchObject({ cause: 'terminated', error: { message: 'enough' } });
});

test('a run may be started while a reply is being written', async () => {
  let inner;
  const give = () => whileRead(() => (inner = pool.run({ source: 'return 2' })));
  const outcome = await pool.run({ source: 'return host.give()', namespaces: { host: { give } } });
  expect([outcome.value, (await inner).value]).toEqual([{ a: 1 }, 2]);
});

test('a run may be started while the values of another are being read', async () => {
  let inner;
  const given = whileRead(() => (inner = pool.run({ source: 'return 2' })));
  const outcome = await pool.run({ source: 'return given', globals: { given } });
  expect([outcome.value, (await inner).value]).toEqual([{ a: 1 }, 2]);
});

test('a guest function may be called while a reply to the guest is being written', async () => {
  let called;
  const give = (f) => whileRead(() => (called = f()));
  const source = 'const reply = await host.give(() => "called"); await host.wait(); return reply';
  const namespaces = { host: { give, wait: () => called.then(() => {}) } };
  const outcome = await pool.run({ source, values: 'clone', namespaces });
  expect([outcome.value, await called]).toEqual([{ a: 1 }, 'called']);
});

describe('the pool may be disposed of', () => {
  const dispose = () => void pool.dispose();

  test.each([
    ['by a host function', { namespaces: { host: { call: dispose } } }],
    [
      'while a reply is being written',
      { namespaces: { host: { call: () => whileRead(dispose) } } },
    ],
    ['by onLog', { namespaces: { host: { call: () => new Promise(() => {}) } }, onLog: dispose }],
  ])('%s', async (_name, request) => {
    const outcome = await pool.run({
      source: 'console.log(1); await host.call(); return 1',
      ...request,
    });
    expect(outcome).toMatchObject({ ok: false, cause: 'disposed' });
  });

  test('while the values of a run are being read', async () => {
    const outcome = await pool.run({ source: 'return 1', globals: { given: whileRead(dispose) } });
    expect(outcome).toMatchObject({ ok: false, cause: 'disposed' });
  });

  test('while a run starts, by a listener', async () => {
    diagnostics.subscribe('isobox:run:start', dispose);
    const handle = pool.run({ source: 'return 1' });
    diagnostics.unsubscribe('isobox:run:start', dispose);
    expect((await handle).cause).toMatch(/^(disposed|finished)$/);
  });
});
