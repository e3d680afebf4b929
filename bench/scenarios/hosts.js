'use strict';
// What it costs to give guests processes of their own: the same work over each host of a pool.

const { setTimeout: sleep } = require('node:timers/promises');

const { expectAnswer } = require('../harness/timing.js');

const CALLS = 1000;
const STRINGS = 20;
const limits = { wallMs: 60_000, calls: 100_000, callBytes: 2 ** 30 };

/** @typedef {import('isobox').IsolatePool} IsolatePool */

/** @param {() => Promise<unknown>} act */
async function timed(act) {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

/**
 * @param {IsolatePool} pool
 * @param {string} source
 * @param {unknown} answer
 */
async function run(pool, source, answer) {
  const namespaces = { host: { echo: (/** @type {unknown} */ value) => value } };
  const outcome = await pool.run({ source, namespaces, limits });
  expectAnswer(outcome.ok && outcome.value, answer);
}

/** @type {Record<string, (pool: IsolatePool, open: () => IsolatePool) => Promise<number[]>>} */
const CASES = {
  async 'warm run'(pool) {
    const samples = [];
    for (let i = 0; i < 20; i++) {
      await sleep(5);
      samples.push(await timed(() => run(pool, 'return 42 + 1', 43)));
    }
    return samples;
  },
  async 'sequential call'(pool) {
    const source = `for (let i = 0; i < ${CALLS}; i++) await host.echo(i); return 1`;
    return [(await timed(() => run(pool, source, 1))) / CALLS];
  },
  async '1 MB string'(pool) {
    const source = `const text = 'x'.repeat(1e6); for (let i = 0; i < ${STRINGS}; i++) await host.echo(text); return 1`;
    return [(await timed(() => run(pool, source, 1))) / STRINGS];
  },
  async 'run, 8 in flight'(pool) {
    const each = async () => {
      for (let i = 0; i < 25; i++) await run(pool, 'return 42 + 1', 43);
    };
    return [(await timed(() => Promise.all(Array.from({ length: 8 }, each)))) / 200];
  },
  async 'a guest that computes'(pool) {
    const source = `
      let sum = 0, kept = [];
      for (let i = 0; i < 1e8; i++) sum = (sum * 31 + i) | 0;
      for (let i = 0; i < 1e6; i++) { kept.push({ i, text: 'a' + i }); if (kept.length > 1e4) kept = []; }
      return 1`;
    return [await timed(() => run(pool, source, 1))];
  },
  async 'first answer of a new pool'(_, open) {
    const start = performance.now();
    const fresh = open();
    await run(fresh, 'return 42 + 1', 43);
    const ms = performance.now() - start;
    await fresh.dispose();
    return [ms];
  },
};

/** @param {object} [options] */
const host = (options) => () => {
  const { IsolatePool } = require('isobox');
  const open = () => new IsolatePool(options);
  const pool = open();
  return { measure: (/** @type {string} */ caseName) => CASES[caseName](pool, open) };
};

/** @type {import('../harness/contract.d.ts').Scenario} */
module.exports = {
  title: 'The same work over each host of a pool',
  unit: 'ms',
  better: 'lower',
  cases: Object.keys(CASES),
  rounds: { full: 10, quick: 2 },
  process: 'kept',
  systems: {
    isobox: host(),
    'isobox (process)': host({ host: 'process' }),
    'isobox (zygote)': host({ host: 'process', zygote: 64, processes: 2 }),
    'isobox (process per guest)': host({
      host: 'process',
      zygote: 1,
      processes: 4,
      warm: { target: 1 },
    }),
  },
};
