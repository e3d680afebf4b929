'use strict';

const { usePool } = require('../support/pools.js');

const { run } = usePool();

// Wide at its bottom, so that V8 collects garbage while the value is encoded there.
const sendFromTheEnd = `
  let value = Array.from({ length: 20_000 }, (_, i) => ({ i, text: 'text ' + i }));
  for (let depth = 0; depth < 400; depth++) value = { value };
  const calls = [];
  const descend = () => {
    try { descend() } catch {}
    if (calls.length < 5) {
      try { calls.push(host.take(value)) } catch {}
    }
  };
  descend();
  const settled = await Promise.allSettled(calls);
  return [...new Set(settled.map(({ reason }) => String(reason?.name)))]`;

const PROFILES = /** @type {const} */ (['json', 'clone']);

test.each(PROFILES)('a guest without stack sends no deep value: %s', async (values) => {
  const outcome = await run({
    source: sendFromTheEnd,
    values,
    namespaces: { host: { take: () => null } },
    limits: { memoryBytes: 256 * 2 ** 20 },
  });
  expect(outcome).toMatchObject({ cause: 'finished', value: ['RangeError'] });
});
