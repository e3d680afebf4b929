'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');
const diagnostics = require('node:diagnostics_channel');

const { usePool } = require('../support/pools.js');

const { run } = usePool();

const storage = new AsyncLocalStorage();

const namespaces = {
  host: {
    now: () => storage.getStore() ?? null,
    async later() {
      await new Promise(setImmediate);
      return storage.getStore() ?? null;
    },
  },
};

test('host functions and onLog see the stores of their own run’s caller', async () => {
  const heard = [];
  const start = (name) =>
    storage.run(name, () =>
      run({
        source: 'console.log("hello"); return [await host.now(), await host.later()]',
        namespaces,
        onLog: () => heard.push(storage.getStore()),
      }),
    );
  const outcomes = await Promise.all(['a', 'b'].map(start));
  expect(outcomes.map(({ value }) => value)).toEqual([
    ['a', 'a'],
    ['b', 'b'],
  ]);
  expect(heard.sort()).toEqual(['a', 'b']);
});

test('without a store there is none, whoever ran before', async () => {
  const { value } = await run({ source: 'return await host.later()', namespaces });
  expect(value).toBe(null);
});

test('stores that are bound to the channels hold in the host functions of a run and of a call', async () => {
  const runStart = diagnostics.channel('isobox:run:start');
  const callStart = diagnostics.channel('isobox:call:start');
  const inner = new AsyncLocalStorage();
  runStart.bindStore(storage, (/** @type {any} */ { filename }) => `run ${filename}`);
  callStart.bindStore(inner, (/** @type {any} */ { name }) => `call ${name}`);
  try {
    const both = async () => {
      await new Promise(setImmediate);
      return [storage.getStore(), inner.getStore()];
    };
    const { value } = await run({
      source: 'return [await host.both(), await host.both()]',
      filename: 'traced.js',
      namespaces: { host: { both } },
    });
    expect(value).toEqual(Array(2).fill(['run traced.js', 'call both']));
  } finally {
    runStart.unbindStore(storage);
    callStart.unbindStore(inner);
  }
});
