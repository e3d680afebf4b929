'use strict';
// Counts what a check costs, in steps of some ten nanoseconds.

/** Short enough that many such stretches fit into a turn of the event loop. */
const STEPS_BETWEEN_PAUSES = 2000;
const MAX_STEPS = 200_000_000;

/** A check was given up; the message says what would have been too much. */
class TooCostly extends Error {}

class Meter {
  #left = STEPS_BETWEEN_PAUSES;
  #spent = 0;

  /** Whether it is time for a pause. */
  get isDue() {
    return this.#left <= 0;
  }

  /** @param {number} steps */
  spend(steps) {
    this.#left -= steps;
  }

  /** @throws {TooCostly} when all that a check may cost is spent */
  resume() {
    this.#spent += STEPS_BETWEEN_PAUSES - this.#left;
    if (this.#spent > MAX_STEPS) {
      throw new TooCostly(`takes more than ${MAX_STEPS / 1e6} million steps to check`);
    }
    this.#left = STEPS_BETWEEN_PAUSES;
  }
}

module.exports = { Meter, TooCostly };
