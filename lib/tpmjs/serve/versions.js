'use strict';
// The versions of the protocol: which one a request speaks, and what an answer looks like in it.

/** @typedef {'1.0' | '1.1'} Version */

const VERSIONS = Object.freeze(/** @type {const} */ (['1.0', '1.1']));

/**
 * @param {string | undefined} header what the request says
 * @param {Version} fallback for requests that say nothing, or something that is not known here
 * @returns {Version} a later 1.x gets the latest there is
 */
function versionOf(header, fallback) {
  const given = header?.trim();
  const known = VERSIONS.find((version) => version === given);
  if (known !== undefined) return known;
  return /^1\.\d+$/.test(given ?? '') ? '1.1' : fallback;
}

/**
 * @param {InstanceType<typeof import('../base/failures.js').Failure>} failure
 * @param {Version} version
 */
function failureBody(failure, version) {
  const { code, stage, errorCode, retryable } = failure.kind;
  return version === '1.0'
    ? { success: false, error: { code, message: failure.message } }
    : { success: false, error: failure.message, errorStage: stage, errorCode, retryable };
}

module.exports = { VERSIONS, failureBody, versionOf };
