'use strict';
// Pools for tests in Jest's own process. Each is disposed of, and must leave nothing behind.

const { IsolatePool } = require('../../lib/index.js');
const { until } = require('./time.js');

/** @typedef {import('isobox').IsolatePool} Pool */

/** The whole suite can be run with guests in processes of their own: `ISOBOX_TEST_HOST=process npx jest test/pool`. */
const host = /** @type {'thread' | 'process'} */ (process.env.ISOBOX_TEST_HOST ?? 'thread');

/** @type {Pool[]} */
let opened = [];

/** @param {Pool} pool */
async function disposeAndLookOver(pool) {
  await pool.dispose();
  // On a machine under load, a thread that was slow to come back may have been written off for a moment.
  await until(() => pool.stats().stuck === 0);
  const { threads, running, parked, queued, warm, stuck } = pool.stats();
  expect({ threads, running, parked, queued, warm, stuck }).toEqual({
    threads: 0,
    running: 0,
    parked: 0,
    queued: 0,
    warm: 0,
    stuck: 0,
  });
}

/**
 * A pool of one test. The file calls `disposeAfterEach` once.
 *
 * @param {import('isobox').PoolOptions} [options]
 */
function openPool(options) {
  // Tests of options pass what is none, too: on threads as it is.
  const pool = new IsolatePool(host === 'thread' ? options : { host, ...options });
  opened.push(pool);
  return pool;
}

function disposeAfterEach() {
  afterEach(async () => {
    const pools = opened;
    opened = [];
    for (const pool of pools) await disposeAndLookOver(pool);
  });
}

/**
 * One pool for all tests of a file.
 *
 * @param {import('isobox').PoolOptions} [options]
 * @returns {{
 *   readonly pool: Pool,
 *   run: Pool['run'],
 *   valueOf: (request: import('isobox').RunRequest) => Promise<any>,
 *   errorOf: (request: import('isobox').RunRequest) => Promise<any>,
 * }} `valueOf` gives the result of a run that must finish, `errorOf` the error and cause of one that must not
 */
function usePool(options) {
  /** @type {Pool} */
  let pool;

  beforeAll(() => {
    pool = new IsolatePool({ host, threads: 2, ...options });
  });

  afterAll(async () => {
    expect(pool.stats().parked).toBe(0);
    await disposeAndLookOver(pool);
  });

  const run = (request) => pool.run(request);
  return {
    get pool() {
      return pool;
    },
    run,
    async valueOf(request) {
      const outcome = await run(request);
      if (!outcome.ok) throw new Error(`${outcome.cause}: ${outcome.error.stack}`);
      return outcome.value;
    },
    async errorOf(request) {
      const outcome = await run(request);
      if (outcome.ok) throw new Error(`the run finished with ${JSON.stringify(outcome.value)}`);
      return { cause: outcome.cause, ...outcome.error };
    },
  };
}

module.exports = { disposeAfterEach, host, openPool, usePool };
