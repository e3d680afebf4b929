'use strict';
// What guests do to their host's event loop and memory, watched from the loop itself.

const fs = require('node:fs');

const TICK_MS = 1;
const MEMORY_TICKS = 10;
// The thread that the process started with has its number.
const STAT = `/proc/self/task/${process.pid}/schedstat`;
const hasStat = fs.existsSync(STAT);

/** @returns {number} milliseconds that this thread has run; where nobody tells, that have passed */
function ranMs() {
  if (!hasStat) return performance.now();
  const [ns] = fs.readFileSync(STAT, 'latin1').split(' ', 1);
  return Number(ns) / 1e6;
}

/** @returns {number} bytes of this thread's V8, its buffers and strings outside its heap included */
function heldBytes() {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/**
 * Looks at every turn of the loop, or at every millisecond where turns are shorter. Counts the time that the loop's thread
 * has run in a turn, not what the machine did with other threads meanwhile. Main thread only.
 */
class LoopWatch {
  #ran = ranMs();
  #ticks = 0;
  #heldBefore = heldBytes();
  #worstTurnMs = 0;
  #mostHeld = 0;
  #timer = setInterval(() => this.#look(), TICK_MS);

  #look() {
    const ran = ranMs();
    this.#worstTurnMs = Math.max(this.#worstTurnMs, ran - this.#ran);
    this.#ran = ran;
    if (this.#ticks++ % MEMORY_TICKS === 0) this.#mostHeld = Math.max(this.#mostHeld, heldBytes());
  }

  /** @returns {{ worstTurnMs: number, grownMiB: number }} since it was asked last; memory since it was made */
  take() {
    this.#look();
    const taken = {
      worstTurnMs: this.#worstTurnMs,
      grownMiB: Math.max(0, this.#mostHeld - this.#heldBefore) / 2 ** 20,
    };
    this.#worstTurnMs = 0;
    this.#mostHeld = 0;
    return taken;
  }

  stop() {
    clearInterval(this.#timer);
  }
}

module.exports = { LoopWatch };
