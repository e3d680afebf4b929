'use strict';

/** What the exit codes of the command line mean. Codes above 128 are signals: 128 plus the signal's number. */
const EXIT = Object.freeze({
  ok: 0,
  /** The guest failed, a check of `doctor` failed, or the host of a `runner` is gone. */
  failed: 1,
  /** Unknown commands and options, impossible values, files and tools that cannot be read. */
  usage: 2,
  /** The guest reached one of its limits. */
  limit: 3,
  /** isobox itself failed: there is no native binary for this Node, or V8 gave up. */
  broken: 4,
  interrupted: 130,
  terminated: 143,
});

module.exports = { EXIT };
