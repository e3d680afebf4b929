'use strict';
// From a result to what the model gets to see of it.

const { native } = require('../native.js');

/** @typedef {import('../../types/internal/native.js').NativeOutputSettings} OutputSettings */

/** What no stage looks at. */
const MIN_BYTES = 5000;
/** Up to this size a reduction takes less time than handing it to a thread. */
const MAX_INLINE_BYTES = 64 * 1024;

/**
 * @param {Buffer} output
 * @param {OutputSettings} settings
 * @returns {Promise<string | null>} null when it stays as it is
 */
async function reduceOutput(output, settings) {
  const { length } = output;
  const isSmall = length <= MIN_BYTES && length <= settings.chunkThreshold;
  if (isSmall && length <= settings.maxBytes) return null;
  return length <= MAX_INLINE_BYTES
    ? native.reduceOutput(output, settings)
    : native.reduceOutputLater(output, settings);
}

module.exports = { reduceOutput };
