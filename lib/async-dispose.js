'use strict';

/**
 * The name of the method that `await using` calls, also on the first releases of Node 20, which have no such symbol.
 *
 * @type {typeof Symbol.asyncDispose}
 */
const asyncDispose = /** @type {any} */ (Symbol.asyncDispose) ?? Symbol.for('nodejs.asyncDispose');

module.exports = asyncDispose;
