'use strict';
// Guests that do one thing for ever, as the source of a run.

const GUESTS = Object.freeze({
  /** Ends only by force, and can be stopped at once. */
  loop: 'for (;;) {}',
  /** Loops with allocation, whose stack check Turboshaft's loop unrolling would drop. */
  allocate: 'for (;;) new Array(1000).fill(1.5)',
  /** Waits for what never comes, without a call. */
  wait: 'await new Promise(() => {})',
  /** A builtin that V8 cannot interrupt: its thread never comes back. */
  stuck: 'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)',
  /** Keeps the garbage collector busy. */
  churn:
    'let kept = []; for (;;) { kept.push(new Array(100).fill({})); if (kept.length > 5000) kept = []; }',
});

module.exports = { GUESTS };
