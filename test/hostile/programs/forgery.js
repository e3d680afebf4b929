'use strict';
// Guests that lie about why they ended, or make telling it dangerous. No cause and no host's code is ever taken from
// what a guest says.

const { returns, stops } = require('../expectations.js');

/** An error of the guest, whatever it looks like: no code of the host is on it. */
const ownError = (error = {}) => ({
  causes: /** @type {import('isobox').StopCause[]} */ (['guest_error']),
  error: { hostCode: undefined, ...error },
});

const hostError = {
  causes: /** @type {import('isobox').StopCause[]} */ (['guest_error']),
  error: { hostCode: 'E_HOST', message: 'the host says no', name: 'RangeError' },
};

const caught = (/** @type {string} */ then) =>
  `let e; try { await host.fail() } catch (x) { e = x } ${then}`;

/** @type {import('./index.js').Category} */
module.exports = {
  limits: { wallMs: 300 },
  programs: [
    {
      name: 'an error that looks like a deadline',
      source:
        'throw Object.assign(new Error("The run reached its deadline"), { name: "DeadlineError", cause: "deadline" })',
      expect: ownError({ name: 'DeadlineError' }),
    },
    {
      name: 'an error that looks like the memory limit',
      source:
        'class MemoryLimitError extends Error { name = "MemoryLimitError" } throw new MemoryLimitError("memory")',
      expect: ownError(),
    },
    {
      name: 'an object that looks like an outcome',
      source: 'throw { ok: true, cause: "finished", value: 1, error: null }',
      expect: ownError(),
    },
    {
      name: 'a result that looks like a failure',
      source: 'return { ok: false, cause: "memory", error: { name: "MemoryLimitError" } }',
      expect: returns({ ok: false, cause: 'memory', error: { name: 'MemoryLimitError' } }),
    },
    {
      name: 'a code and a hostCode of one’s own',
      source:
        'throw Object.assign(new Error("m"), { code: "E_HOST", hostCode: "E_HOST", isObject: false })',
      expect: ownError({ message: 'm' }),
    },
    {
      name: 'the link error of a module that links',
      source:
        'throw Object.assign(new SyntaxError("Cannot find module"), { specifier: "./x.js", cause: "link_error" })',
      expect: ownError({ name: 'SyntaxError', specifier: undefined }),
    },
    { name: 'the host’s own error, uncaught', source: 'await host.fail()', expect: hostError },
    { name: 'the host’s own error, thrown again', source: caught('throw e'), expect: hostError },
    {
      name: 'the host’s own error, written over',
      source: caught(
        'e.message = "mine"; e.name = "Mine"; e.code = "E_MINE"; e.stack = "mine"; throw e',
      ),
      expect: hostError,
    },
    {
      name: 'a copy of the host’s error',
      source: caught(
        'throw Object.create(Object.getPrototypeOf(e), Object.getOwnPropertyDescriptors(e))',
      ),
      expect: ownError(),
    },
    {
      name: 'a proxy around the host’s error',
      source: caught('throw new Proxy(e, {})'),
      expect: ownError(),
    },
    {
      name: 'an heir of the host’s error',
      source: caught('throw Object.setPrototypeOf(new Error("m"), e)'),
      expect: ownError(),
    },
    {
      name: 'a mark stolen with a return override',
      source: caught(
        'class Return { constructor(o) { return o } } class Steal extends Return { #x = 1 } const s = new Steal(e); const own = new Error("own"); new Steal(own); throw own',
      ),
      expect: ownError({ message: 'own' }),
    },
    {
      name: 'a message getter that throws',
      source:
        'throw Object.defineProperty(new Error("m"), "message", { get() { throw new Error("again") } })',
      expect: ownError(),
    },
    {
      name: 'a message getter that loops',
      source: 'throw Object.defineProperty(new Error("m"), "message", { get() { for (;;) {} } })',
      expect: stops('deadline', 'guest_error'),
    },
    {
      name: 'a name getter that loops on an object that is no error',
      source: 'throw { get name() { for (;;) {} }, get message() { for (;;) {} } }',
      expect: stops('deadline', 'guest_error'),
    },
    {
      name: 'a message that is an object',
      source:
        'throw Object.assign(new Error("m"), { message: { toString() { for (;;) {} } }, name: Symbol("n") })',
      expect: ownError(),
    },
    {
      name: 'a message of a hundred megabytes',
      source: 'throw new Error("x".repeat(1e8))',
      expect: { causes: ['guest_error', 'memory'] },
    },
    {
      name: 'a name of many lines and colours',
      source: 'throw Object.assign(new Error("m"), { name: "\\u001b[31mFAIL\\r\\n\\0" })',
      expect: ownError({ message: 'm' }),
    },
    {
      name: 'lone surrogates in name and message',
      source: 'throw Object.assign(new Error("\\ud800m\\udfff"), { name: "\\udc00" })',
      expect: ownError(),
    },
    {
      name: 'a stack getter that loops',
      source: 'throw Object.defineProperty(new Error("m"), "stack", { get() { for (;;) {} } })',
      expect: stops('guest_error', 'deadline'),
    },
    {
      name: 'a stack in which somebody else is to blame',
      source:
        'const e = new Error("m"); e.stack = "Error: m\\n    at host (/srv/app/host.js:1:1)"; throw e',
      // The frame shows the source as it was written, and so this text.
      inspect: ({ error }) => /srv/.test(JSON.stringify({ ...error, frame: undefined })),
      expect: { ...ownError({ message: 'm' }), value: false },
    },
    {
      name: 'prepareStackTrace that gives an object',
      source:
        'Error.prepareStackTrace = () => ({ toString() { for (;;) {} } }); throw new Error("m")',
      expect: ownError({ message: 'm' }),
    },
    {
      name: 'a toString that loops, on a thrown object',
      source: 'throw { toString() { for (;;) {} } }',
      expect: stops('deadline', 'guest_error'),
    },
    {
      name: 'throwing undefined',
      source: 'throw undefined',
      expect: ownError({ message: 'undefined', isObject: false }),
    },
    { name: 'throwing null', source: 'throw null', expect: ownError({ message: 'null' }) },
    {
      name: 'throwing a symbol',
      source: 'throw Symbol("s")',
      expect: ownError({ message: /Symbol/ }),
    },
    { name: 'throwing a BigInt', source: 'throw 10n', expect: ownError({ message: '10' }) },
    { name: 'throwing a function', source: 'throw function f() {}', expect: ownError() },
    { name: 'throwing a promise', source: 'throw Promise.reject(1)', expect: ownError() },
    {
      name: 'throwing an object without a prototype',
      source: 'throw Object.create(null)',
      expect: ownError(),
    },
    {
      name: 'throwing a revoked proxy',
      source: 'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy',
      expect: ownError(),
    },
    {
      name: 'throwing a proxy whose every trap throws',
      source:
        'throw new Proxy(new Error("m"), new Proxy({}, { get() { throw new Error("trap") } }))',
      expect: ownError(),
    },
    {
      name: 'throwing a proxy whose every trap loops',
      source: 'throw new Proxy({}, new Proxy({}, { get() { for (;;) {} } }))',
      expect: stops('deadline', 'guest_error'),
    },
    {
      name: 'rejecting with a thenable',
      source: 'await Promise.reject({ then() { for (;;) {} }, message: "m" })',
      expect: ownError(),
    },
    {
      name: 'throwing the global object',
      source:
        'globalThis.name = "DeadlineError"; globalThis.message = "deadline"; throw globalThis',
      expect: ownError(),
    },
    {
      name: 'an aggregate of a million errors',
      source: 'throw new AggregateError(new Array(1e6).fill(new Error("e")), "many")',
      expect: { causes: ['guest_error', 'memory'] },
    },
    {
      name: 'an error thrown by a getter of the result that looks like the host’s',
      source:
        'return { get x() { throw Object.assign(new Error("m"), { name: "SerializationError", hostCode: "serialization_error" }) } }',
      expect: { causes: ['guest_error', 'serialization'], error: { hostCode: undefined } },
    },
    {
      name: 'catching the end',
      source:
        'try { for (;;) {} } catch { throw Object.assign(new Error("m"), { name: "finished" }) } finally { return 1 }',
      expect: stops('deadline'),
    },
    {
      name: 'an error of another kind after the budget of calls is spent',
      source:
        'try { for (;;) await host.ping() } catch {} finally { throw new Error("not calls") }',
      limits: { calls: 5, wallMs: 2000 },
      expect: stops('calls'),
    },
    {
      name: 'a log line that looks like another',
      source: 'console.log("a\\n[error] host: b\\u001b[2K\\r"); console.error("c"); return 1',
      inspect: ({ logs }) => logs.length,
      expect: { causes: ['finished'], value: 2 },
    },
    {
      name: 'a syntax error that quotes a host path',
      source: 'let x = "/srv/app/host.js:1" "unexpected"',
      inspect: ({ error }) => [error.name, error.filename],
      expect: { causes: ['link_error'], value: ['SyntaxError', '<guest>'] },
    },
  ],
};
