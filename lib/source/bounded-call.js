'use strict';

const vm = require('node:vm');

/** @type {{ call: (() => void) | null }} */
const sandbox = { call: null };
/** @type {{ script: vm.Script, context: vm.Context } | undefined} */
let trampoline;

/**
 * Calls a function on this thread and ends it if it takes too long, loops in WebAssembly included.
 * Whatever state the function was changing stays half changed.
 *
 * @template T
 * @param {() => T} action must not be reentered
 * @param {number} timeoutMs
 * @returns {{ value: T, isTimedOut: false } | { isTimedOut: true }}
 */
function callBounded(action, timeoutMs) {
  trampoline ??= { script: new vm.Script('call()'), context: vm.createContext(sandbox) };
  /** @type {T | undefined} */
  let value;
  sandbox.call = () => {
    value = action();
  };
  try {
    trampoline.script.runInContext(trampoline.context, { timeout: timeoutMs });
    return { value: /** @type {T} */ (value), isTimedOut: false };
  } catch (error) {
    if (/** @type {any} */ (error)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return { isTimedOut: true };
  } finally {
    sandbox.call = null;
  }
}

module.exports = { callBounded };
