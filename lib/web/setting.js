'use strict';
// `web` where it is set for many runs. The rest of web/ is loaded by those who use it.

/**
 * @param {unknown} value
 * @param {string} where
 * @returns {import('../../types/index.js').Web | undefined} the same; throws for what no run could be given
 */
function readWebSetting(value, where) {
  if (value !== undefined) require('./read-web.js').readWeb(value, where);
  return /** @type {any} */ (value);
}

module.exports = { readWebSetting };
