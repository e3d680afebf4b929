'use strict';
// What the hosts of hostile and of well-behaved guests offer them.

/** Never asked for by any guest; finding it in one is an escape. */
const SECRET = 'only the host knows this';

/** The namespace `host` of every program. */
const HOST_FUNCTIONS = Object.freeze({
  ping: () => 1,
  echo: (/** @type {unknown} */ value) => value,
  describe: (/** @type {any} */ value) => describe(value),
  never: () => new Promise(() => {}),
  soon: () => new Promise((resolve) => void setTimeout(() => resolve(1), 1)),
  fail: () => {
    throw Object.assign(new RangeError('the host says no'), {
      code: 'E_HOST',
      secret: SECRET,
      cause: new Error(SECRET),
    });
  },
  failLater: async () => {
    throw Object.assign(new TypeError('the host says no, later'), { code: 'E_LATER' });
  },
  callOften: (/** @type {() => unknown} */ call) => {
    for (let i = 0; i < 5; i++) void call();
    return new Promise(() => {});
  },
  large: () => 'x'.repeat(100_000),
  record: () => ({ list: [1, { two: 2 }], text: 'text', none: null }),
});

/**
 * What of a guest's value arrived, told without touching anything the guest could have replaced.
 *
 * @param {any} value
 * @returns {string}
 */
function describe(value) {
  if (typeof value !== 'object' || value === null) return typeof value;
  const prototype = Object.getPrototypeOf(value);
  const realm =
    prototype === Object.prototype || prototype === Array.prototype ? 'plain' : 'strange';
  const keys = Object.getOwnPropertyNames(value).filter((key) => key !== 'length');
  const accessors = keys.filter(
    (key) => Object.getOwnPropertyDescriptor(value, key)?.get !== undefined,
  ).length;
  return `${realm} [${keys.join(' ')}]${accessors > 0 ? ` with ${accessors} accessors` : ''}`;
}

/** A guest as people write them: calls tools, computes, logs, returns. */
const NEIGHBOUR = Object.freeze({
  source: `
    let total = 0;
    for (let i = 0; i < 3; i++) total = await tools.add({ a: total, b: i });
    const words = 'the quick brown fox'.split(' ').map((word) => word.toUpperCase());
    console.log('total', total);
    const counts = new Map();
    for (let i = 0; i < 1000; i++) counts.set(i % 7, (counts.get(i % 7) ?? 0) + i);
    return { total, words: words.join(' '), sum: [...counts.values()].reduce((a, b) => a + b) };`,
  namespaces: {
    tools: { add: async (/** @type {{ a: number, b: number }} */ { a, b }) => a + b },
  },
  value: { total: 3, words: 'THE QUICK BROWN FOX', sum: 499_500 },
});

module.exports = { HOST_FUNCTIONS, NEIGHBOUR, SECRET };
