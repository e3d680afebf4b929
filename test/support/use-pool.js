'use strict';
// One pool for the tests of a file, disposed of behind them and looked over for what they left in it.

const { IsolatePool } = require('../../lib/index.js');

/**
 * @param {import('isobox').PoolOptions} [options]
 * @returns {{
 *   readonly pool: IsolatePool,
 *   run: IsolatePool['run'],
 *   valueOf: (request: import('isobox').RunRequest) => Promise<any>,
 *   errorOf: (request: import('isobox').RunRequest) => Promise<any>,
 * }} `valueOf` gives the result of a run that must finish, `errorOf` the error and cause of one that must not
 */
function usePool(options) {
  /** @type {IsolatePool} */
  let pool;

  beforeAll(() => {
    pool = new IsolatePool({ threads: 2, ...options });
  });

  afterAll(async () => {
    expect(pool.stats().parked).toBe(0);
    await pool.dispose();
    const { running, parked, queued, stuck, warm } = pool.stats();
    expect({ running, parked, queued, stuck, warm }).toEqual({
      running: 0,
      parked: 0,
      queued: 0,
      stuck: 0,
      warm: 0,
    });
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

module.exports = { usePool };
