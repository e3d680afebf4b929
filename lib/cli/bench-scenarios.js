'use strict';
// What `bench` measures. A scenario gives the milliseconds of one sample after the other.

const os = require('node:os');

const { IsolatePool } = require('../pool.js');

/** @typedef {import('../../types/index.js').RunRequest} RunRequest */
/** @typedef {import('../../types/index.js').IsolatePool} IsolatePool */

/**
 * @typedef {object} Scenario
 * @property {string} name
 * @property {string} what
 * @property {'ms' | 'us'} unit in which people think of it
 * @property {(isOver: () => boolean) => AsyncGenerator<number, void>} sample at least one
 */

const CALLS = 200;
const STOP_MS = 20;

/** @type {RunRequest} */
const RUN = Object.freeze({ source: 'return 6 * 7', limits: { wallMs: 5000 } });

/** @type {RunRequest} */
const CALL = Object.freeze({
  source: `for (let i = 0; i < ${CALLS}; i++) await host.add({ a: i, b: 1 })`,
  namespaces: { host: { add: (/** @type {any} */ { a, b }) => a + b } },
  limits: { wallMs: 5000 },
});

/**
 * @param {IsolatePool} pool
 * @param {RunRequest} request
 * @param {string} [cause]
 * @returns {Promise<number>} how long it took
 */
async function time(pool, request, cause = 'finished') {
  const start = performance.now();
  const outcome = await pool.run(request);
  const ms = performance.now() - start;
  if (outcome.cause === cause) return ms;
  const reason = outcome.ok ? '' : `: ${outcome.error.message}`;
  throw new Error(`a run ended as ${outcome.cause}, not as ${cause}${reason}`);
}

/**
 * @param {(pool: IsolatePool) => Promise<number>} measure one sample
 * @returns {Scenario['sample']} samples one after the other, each with an isolate made ready ahead of it
 */
function inWarmPool(measure) {
  return async function* (isOver) {
    const pool = new IsolatePool();
    try {
      for (let i = 0; i < 20; i += 1) await time(pool, RUN);
      do {
        await pool.prewarm(1);
        yield await measure(pool);
      } while (!isOver());
    } finally {
      await pool.dispose();
    }
  };
}

/** @type {readonly Scenario[]} */
const LATENCIES = Object.freeze([
  {
    name: 'cold start',
    what: 'a new pool and its first run',
    unit: 'ms',
    async *sample(isOver) {
      do {
        const start = performance.now();
        const pool = new IsolatePool();
        await time(pool, RUN);
        const ms = performance.now() - start;
        await pool.dispose();
        yield ms;
      } while (!isOver());
    },
  },
  {
    name: 'run',
    what: 'a whole run, its isolate ready',
    unit: 'us',
    sample: inWarmPool((pool) => time(pool, RUN)),
  },
  {
    name: 'call',
    what: `a host call, ${CALLS} in a run`,
    unit: 'us',
    sample: inWarmPool(async (pool) => (await time(pool, CALL)) / CALLS),
  },
  {
    name: 'stop',
    what: 'from the deadline of a loop to the answer',
    unit: 'ms',
    sample: inWarmPool(async (pool) => {
      const request = { source: 'for (;;);', limits: { wallMs: STOP_MS } };
      return Math.max(0, (await time(pool, request, 'deadline')) - STOP_MS);
    }),
  },
]);

/**
 * @param {() => boolean} isOver
 * @returns {Promise<{ runsPerSecond: number, concurrency: number }>}
 */
async function measureThroughput(isOver) {
  const concurrency = 2 * Math.max(2, os.availableParallelism());
  const pool = new IsolatePool();
  try {
    await Promise.all(Array.from({ length: concurrency }, () => time(pool, RUN)));
    let runs = 0;
    const start = performance.now();
    const keepBusy = async () => {
      do {
        await time(pool, RUN);
        runs += 1;
      } while (!isOver());
    };
    await Promise.all(Array.from({ length: concurrency }, keepBusy));
    return { runsPerSecond: (runs * 1000) / (performance.now() - start), concurrency };
  } finally {
    await pool.dispose();
  }
}

module.exports = { LATENCIES, measureThroughput };
