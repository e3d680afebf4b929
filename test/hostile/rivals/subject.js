'use strict';
// One program against one way of running guests, in this process. Prints what came of it.

const fs = require('node:fs');

const { CATEGORIES } = require('../programs/index.js');
const { HOST_FUNCTIONS } = require('../host-functions.js');

/**
 * What a way of running guests is asked to do. Settling is the caller's answer; `end` tells whether the guest came to
 * its own end, threw, or was ended.
 *
 * @typedef {object} Ending
 * @property {'value' | 'error' | 'stopped'} end
 * @property {unknown} [value]
 * @property {string} [text] what the error says
 *
 * @typedef {(source: string, limits: { wallMs: number, memoryMiB: number }, host: Record<string, Function>) => Promise<Ending>} Runner
 */

const TICK_MS = 10;
/** A host that was answered must live on. */
const AFTERWARDS_MS = 200;

/** @type {Readonly<Record<string, () => Runner>>} */
const RUNNERS = Object.freeze({
  isobox: () => require('./run-in-isobox.js').run,
  'isolated-vm': () => require('./run-in-isolated-vm.js').run,
  worker_threads: () => require('./run-in-worker.js').run,
});

/** @param {unknown} report */
const print = (report) => void fs.writeSync(1, `${JSON.stringify({ report })}\n`);

/**
 * @param {string} subject
 * @param {string} category
 * @param {number} index
 */
async function main(subject, category, index) {
  const { programs, limits: defaults } = CATEGORIES[category];
  const { source, limits } = programs[index];
  const { wallMs = 1000, memoryBytes = 64 * 2 ** 20 } = { ...defaults, ...limits };
  const run = RUNNERS[subject]();
  await run('return 1', { wallMs: 1000, memoryMiB: 64 }, HOST_FUNCTIONS);
  let loopLateMs = 0;
  let due = performance.now() + TICK_MS;
  const look = () => {
    loopLateMs = Math.max(loopLateMs, performance.now() - due);
    due = performance.now() + TICK_MS;
  };
  setInterval(look, TICK_MS);
  const start = performance.now();
  due = start + TICK_MS;
  const ending = await run(source, { wallMs, memoryMiB: memoryBytes / 2 ** 20 }, HOST_FUNCTIONS);
  const ms = performance.now() - start;
  look();
  const peakMiB = process.resourceUsage().maxRSS / 1024;
  print({ ...ending, ms, lateMs: Math.max(0, ms - wallMs), loopLateMs, peakMiB });
  await new Promise((resolve) => void setTimeout(resolve, AFTERWARDS_MS));
  print('alive');
  process.exit(0);
}

if (require.main === module) {
  const [subject, category, index] = process.argv.slice(2);
  void main(subject, category, Number(index));
}
