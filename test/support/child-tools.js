'use strict';
// What functions in child processes work with.

const fs = require('node:fs');
const path = require('node:path');
const { Worker, parentPort } = require('node:worker_threads');

const { IsolatePool } = require('../../lib/index.js');
const { runCode } = require('../../lib/run-code/index.js');
const { LoopWatch } = require('../../scripts/loop-watch.js');
const { startStopwatch } = require('../../scripts/stolen-time.js');
const { GUESTS } = require('./guests.js');
const { sleep, until } = require('./time.js');

/** @param {unknown} value printed at once, even when the process ends right after */
function report(value) {
  fs.writeSync(1, `${JSON.stringify({ report: value })}\n`);
}

/** @returns {number} threads of this process that belong to pools */
function poolThreads() {
  return fs.readdirSync('/proc/self/task').filter((id) => {
    try {
      return fs.readFileSync(`/proc/self/task/${id}/comm`, 'utf8').startsWith('isobox');
    } catch {
      return false; // it ended meanwhile
    }
  }).length;
}

/** @returns {number} all threads of this process */
function allThreads() {
  return fs.readdirSync('/proc/self/task').length;
}

/**
 * @param {Function | string} body runs in a worker thread like the function of `runChild`
 * @param {unknown} [args]
 */
function startWorker(body, args = null) {
  return new Worker(path.join(__dirname, 'child-main.js'), {
    argv: [String(body), JSON.stringify(args)],
  });
}

/** @param {Worker} worker */
function exitOf(worker) {
  return new Promise((resolve) => {
    worker.once('exit', resolve);
  });
}

/**
 * Brings a pool into a state in which a process or worker may end.
 *
 * @type {Record<string, () => Promise<{ pool: import('isobox').IsolatePool, runs: import('isobox').RunHandle[] }>>}
 */
const ENTER = {
  async justCreated() {
    return { pool: new IsolatePool({ threads: 2 }), runs: [] };
  },
  async prewarming() {
    const pool = new IsolatePool({ threads: 2 });
    void pool.prewarm(200);
    return { pool, runs: [] };
  },
  async idle() {
    const pool = new IsolatePool({ threads: 2 });
    await pool.run({ source: 'return 1' });
    return { pool, runs: [] };
  },
  async justStarted() {
    const pool = new IsolatePool({ threads: 2 });
    const runs = [GUESTS.loop, GUESTS.wait, GUESTS.stuck].map((source) => pool.run({ source }));
    return { pool, runs };
  },
  async running() {
    const pool = new IsolatePool({ threads: 2 });
    const runs = [pool.run({ source: GUESTS.loop }), pool.run({ source: GUESTS.allocate })];
    await until(() => pool.stats().running === 2);
    await sleep(20);
    return { pool, runs };
  },
  async queued() {
    const pool = new IsolatePool({ threads: 1, maxRunning: 2 });
    const runs = [0, 1, 2, 3].map(() => pool.run({ source: GUESTS.loop }));
    await until(() => pool.stats().running === 1 && pool.stats().queued === 3);
    return { pool, runs };
  },
  async parked() {
    const pool = new IsolatePool({ threads: 2 });
    const namespaces = { host: { never: () => new Promise(() => {}) } };
    const runs = [0, 1, 2].map(() => pool.run({ source: 'await host.never()', namespaces }));
    await until(() => pool.stats().parked === 3);
    return { pool, runs };
  },
  async inBuiltin() {
    const pool = new IsolatePool({ threads: 2 });
    const runs = [pool.run({ source: GUESTS.stuck })];
    await until(() => pool.stats().running === 1);
    await sleep(20);
    return { pool, runs };
  },
  async stuck() {
    const pool = new IsolatePool({ threads: 2 });
    await pool.run({ source: GUESTS.stuck, limits: { wallMs: 50 } });
    await until(() => pool.stats().stuck === 1);
    return { pool, runs: [] };
  },
  async collecting() {
    const pool = new IsolatePool({ threads: 2 });
    const runs = [0, 1].map(() => pool.run({ source: GUESTS.churn }));
    await until(() => pool.stats().running === 2);
    await sleep(50);
    return { pool, runs };
  },
  async disposing() {
    const { pool, runs } = await ENTER.mixed();
    void pool.dispose();
    return { pool, runs };
  },
  async disposed() {
    const { pool, runs } = await ENTER.running();
    await pool.dispose();
    return { pool, runs };
  },
  async mixed() {
    const pool = new IsolatePool({ threads: 2 });
    const namespaces = { host: { never: () => new Promise(() => {}) } };
    const runs = [GUESTS.stuck, GUESTS.loop, 'await host.never()', GUESTS.loop, GUESTS.wait].map(
      (source) => pool.run({ source, namespaces }),
    );
    await until(() => pool.stats().running === 2);
    return { pool, runs };
  },
};

module.exports = {
  ENTER,
  GUESTS,
  IsolatePool,
  LoopWatch,
  allThreads,
  exitOf,
  parentPort,
  poolThreads,
  report,
  require,
  runCode,
  sleep,
  startStopwatch,
  startWorker,
  until,
};
