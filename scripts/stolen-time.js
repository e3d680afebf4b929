'use strict';
// A virtual machine's processors wait for real ones while others use them. What is measured meanwhile tells nothing of the
// program, so it is counted, where the system tells it.

const fs = require('node:fs');

const STAT = '/proc/stat';
// The unit of this file, on every machine.
const TICK_MS = 10;

/** @returns {number} milliseconds that processors of this machine have waited so far, all together */
function stolenMs() {
  if (!fs.existsSync(STAT)) return 0;
  const [processors] = fs.readFileSync(STAT, 'utf8').split('\n', 1);
  const [, , , , , , , , stolen = 0] = processors.split(/\s+/);
  return Number(stolen) * TICK_MS;
}

/** @returns {() => number} milliseconds since now, without the stolen ones */
function startStopwatch() {
  const start = performance.now();
  const stolen = stolenMs();
  return () => Math.max(0, performance.now() - start - (stolenMs() - stolen));
}

module.exports = { startStopwatch, stolenMs };
