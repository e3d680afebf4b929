'use strict';
// Guests that send their host again and again what costs it much, and what the host's loop and heap show meanwhile.

const { Worker } = require('node:worker_threads');

const { LoopWatch } = require('../../scripts/loop-watch.js');

const RUN_MS = 1000;

/** What each sends, as an expression. */
const VALUES = Object.freeze({
  'a string of 1 MB': '"x".repeat(1e6)',
  'empty objects': 'new Array(249990).fill(0).map(() => ({}))',
  records: 'Array.from({ length: 60000 }, (_, i) => ({ id: i, name: "n" + i, v: i / 3, t: [i] }))',
  'an object of many names':
    'Object.fromEntries(Array.from({ length: 150000 }, (_, i) => ["key" + i, i]))',
  'short strings': 'Array.from({ length: 300000 }, (_, i) => "\\n" + i.toString(36))',
  'empty maps': 'Array.from({ length: 200000 }, () => new Map())',
});

/**
 * @param {(value: string) => Promise<unknown>} send runs one guest that sends the value until its time is up
 * @param {(seen: { worstTurnMs: number, grownMiB: number }) => number} pick
 * @returns {import('./contract.d.ts').Subject}
 */
function watchHost(send, pick) {
  return {
    async measure(caseName) {
      const watch = new LoopWatch();
      await send(VALUES[/** @type {keyof typeof VALUES} */ (caseName)]);
      const seen = watch.take();
      watch.stop();
      return [pick(seen)];
    },
  };
}

/** @param {(seen: { worstTurnMs: number, grownMiB: number }) => number} pick */
const systemsOf = (pick) => ({
  async isobox() {
    const { IsolatePool } = require('isobox');
    const pool = new IsolatePool();
    return watchHost(
      (value) =>
        pool.run({
          source: `const v = ${value}; for (;;) await take(v)`,
          values: 'clone',
          globals: { take: () => 1 },
          limits: { wallMs: RUN_MS },
        }),
      pick,
    );
  },
  worker_threads() {
    return watchHost(
      (value) =>
        new Promise((resolve) => {
          const source = `
            const { parentPort } = require('node:worker_threads');
            const v = ${value};
            parentPort.on('message', () => parentPort.postMessage(v));
            parentPort.postMessage(v);`;
          const worker = new Worker(source, { eval: true });
          worker.on('message', () => worker.postMessage(1));
          setTimeout(() => worker.terminate().then(resolve), RUN_MS);
        }),
      pick,
    );
  },
});

module.exports = { CASES: Object.keys(VALUES), RUN_MS, systemsOf };
