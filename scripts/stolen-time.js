'use strict';
// Others use the machine too: a virtual machine's processors wait for real ones, and programs wait for processors. What is
// measured meanwhile tells nothing of the program, so it is counted, where the system tells it.

const fs = require('node:fs');

const STAT = '/proc/stat';
const PRESSURE = '/proc/pressure/cpu';
// The unit of this file, on every machine.
const TICK_MS = 10;

/** @returns {number} milliseconds that processors of this machine have waited so far, all together */
function stolenMs() {
  if (!fs.existsSync(STAT)) return 0;
  const [processors] = fs.readFileSync(STAT, 'utf8').split('\n', 1);
  const [, , , , , , , , stolen = 0] = processors.split(/\s+/);
  return Number(stolen) * TICK_MS;
}

/** @returns {number} milliseconds so far in which something on this machine waited for a processor */
function waitedMs() {
  if (!fs.existsSync(PRESSURE)) return 0;
  const [, us = 0] = /some .*total=(\d+)/.exec(fs.readFileSync(PRESSURE, 'utf8')) ?? [];
  return Number(us) / 1000;
}

/**
 * For bounds in tests: the time that something takes on a machine that does nothing else, as far as can be told. What is
 * measured may be what the others wait for, so a tenth counts in any case.
 *
 * @returns {() => number} milliseconds since now, without those in which the machine was busy
 */
function startStopwatch() {
  const start = performance.now();
  const lost = stolenMs() + waitedMs();
  return () => {
    const elapsed = performance.now() - start;
    return Math.max(elapsed / 10, elapsed - (stolenMs() + waitedMs() - lost));
  };
}

module.exports = { startStopwatch, stolenMs };
