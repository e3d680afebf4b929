'use strict';
// isolated-vm as its documentation says: an isolate with a memory limit and a context per run, host functions through one
// reference with JSON between, a timeout for what runs at once and a timer that disposes of the isolate for the rest.

const { loadRival } = require('../../../bench/rivals/load.js');

const ivm = loadRival('isolated-vm');

/** For its own timeout to be first. */
const GRACE_MS = 20;

const BOOTSTRAP = `
  globalThis.host = Object.fromEntries(names.map((name) => [name, async (input) => {
    const text = await call.apply(undefined, [name, JSON.stringify(input)], { result: { promise: true, copy: true } });
    const { value, error } = JSON.parse(text);
    if (error !== undefined) throw Object.assign(new Error(error.message), error);
    return value;
  }]));
  globalThis.console = Object.fromEntries(['log', 'info', 'warn', 'error', 'debug'].map((level) => [level, (...args) => {
    log.applyIgnored(undefined, [level, args.map(String).join(' ')]);
  }]));
  delete globalThis.names; delete globalThis.call; delete globalThis.log;`;

/** @type {import('./subject.js').Runner} */
async function run(source, { wallMs, memoryMiB }, host) {
  const isolate = new ivm.Isolate({ memoryLimit: Math.max(8, memoryMiB) });
  const context = await isolate.createContext();
  /** @type {string[]} */
  const logs = [];
  const call = async (/** @type {string} */ name, /** @type {string} */ input) => {
    try {
      return JSON.stringify({ value: await host[name](input && JSON.parse(input)) });
    } catch (error) {
      const { name: kind, message, code } = /** @type {any} */ (error);
      return JSON.stringify({ error: { name: kind, message, code } });
    }
  };
  await context.evalClosure(
    `const [names, call, log] = [$0, $1, $2]; globalThis.names = names; globalThis.call = call; globalThis.log = log; ${BOOTSTRAP}`,
    [
      new ivm.ExternalCopy(Object.keys(host)).copyInto(),
      new ivm.Reference(call),
      new ivm.Reference((/** @type {string} */ _level, /** @type {string} */ text) => {
        logs.push(text);
      }),
    ],
  );
  const guest = context
    .eval(`(async () => {${source}\n})().then((value) => JSON.stringify([value]))`, {
      timeout: wallMs,
      promise: true,
      copy: true,
    })
    .then(
      (/** @type {string} */ text) => ({ end: 'value', value: JSON.parse(text)[0] }),
      (/** @type {Error} */ error) => ({
        end: /timed out|disposed|memory limit/i.test(String(error?.message)) ? 'stopped' : 'error',
        text: String(error?.message),
      }),
    );
  const deadline = new Promise((resolve) => {
    setTimeout(() => {
      resolve({ end: 'stopped', text: 'the deadline' });
      isolate.dispose();
    }, wallMs + GRACE_MS).unref();
  });
  return Promise.race([guest, deadline]);
}

module.exports = { run };
