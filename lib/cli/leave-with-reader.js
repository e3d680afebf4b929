'use strict';
// What becomes of a command when nobody reads its output any more, as in `isobox --help | head -1`.

/** @param {Error} error */
function leave(error) {
  if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EPIPE') throw error;
  process.exit();
}

/** Ends the process silently when its reader is gone. */
function leaveWithReader() {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', leave);
}

/** For commands that serve a protocol: what they serve says how they end. */
function stayWithoutReader() {
  for (const stream of [process.stdout, process.stderr]) stream.off('error', leave);
}

module.exports = { leaveWithReader, stayWithoutReader };
