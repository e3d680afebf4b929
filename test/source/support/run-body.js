'use strict';
// Runs a prepared body the way the pool does: wrapped on its own line, with the wrapping hidden.

const vm = require('node:vm');

const PREFIX = '(async()=>{';
const SUFFIX = '\n})()';

/**
 * @param {string} code
 * @param {object} [globals]
 * @returns {Promise<any>} what the body returns
 */
function runBody(code, globals = {}) {
  const script = new vm.Script(PREFIX + code + SUFFIX, {
    filename: 'guest.js',
    columnOffset: -PREFIX.length,
  });
  return script.runInContext(vm.createContext(globals));
}

/**
 * @param {string} code
 * @returns {Promise<{ line: number, column: number } | null>} where it failed, in `code`
 */
async function failurePlace(code) {
  const error = await runBody(code).then(
    () => null,
    (reason) => reason,
  );
  const place = /guest\.js:(\d+):(\d+)/.exec(String(error?.stack));
  return place && { line: Number(place[1]), column: Number(place[2]) };
}

module.exports = { failurePlace, runBody };
