'use strict';

/**
 * Ends the process without a word when nobody reads its output any more, as in `isobox run guest.js | head`.
 *
 * @param {NodeJS.WriteStream} stream
 */
function leaveWithReader(stream) {
  stream.on('error', (error) => {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EPIPE') throw error;
    process.exit();
  });
}

module.exports = { leaveWithReader };
