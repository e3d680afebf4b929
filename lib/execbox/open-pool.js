'use strict';
// The pool with its public types.

const { IsolatePool } = require('../pool.js');

/**
 * @param {import('../../types/index.js').PoolOptions} [options]
 * @returns {import('../../types/index.js').IsolatePool}
 */
function openPool(options) {
  return /** @type {any} */ (new IsolatePool(options));
}

module.exports = { openPool };
