'use strict';
// Guests that bury their host: in logs, calls, payloads, functions, results, reports.

const { returns, stops, throws } = require('../expectations.js');

const late = stops('deadline');
const MiB = 2 ** 20;

/** @type {import('./index.js').Category} */
module.exports = {
  limits: { wallMs: 300 },
  // The logs that were kept, 4 MiB of them at most, are rebuilt on the host's loop before the answer.
  settleMs: 100,
  programs: [
    { name: 'short lines', source: 'for (;;) console.log("x")', expect: late },
    {
      name: 'long lines',
      source: 'for (;;) console.log("x".repeat(1e6))',
      expect: stops('deadline', 'memory'),
    },
    {
      name: 'lines of every level',
      source:
        'for (;;) for (const l of ["log", "info", "warn", "error", "debug"]) console[l](l, { l })',
      expect: late,
    },
    {
      name: 'kept lines stay within what is kept',
      source: 'for (let i = 0; i < 3e4; i++) console.log(i); return 1',
      limits: { wallMs: 5000, logLines: 100 },
      inspect: ({ logs, logsTruncated, value }) => [logs.length, logsTruncated, value],
      expect: returns([100, true, 1]),
    },
    {
      name: 'entries with large arguments',
      source: 'const a = new Array(1e5).fill("x"); for (;;) console.log(a, { a })',
      console: 'entries',
      expect: stops('deadline', 'memory'),
    },
    {
      name: 'entries whose arguments multiply',
      source: 'let a = [1]; for (let i = 0; i < 25; i++) a = [a, a]; for (;;) console.log(a)',
      console: 'entries',
      expect: stops('deadline', 'memory'),
    },
    {
      name: 'lines whose arguments multiply',
      source:
        'let a = { x: 1 }; for (let i = 0; i < 25; i++) a = { a, b: a }; for (;;) console.log(a)',
      expect: stops('deadline', 'memory'),
    },
    {
      name: 'lines of objects with endless keys',
      source:
        'const o = new Proxy({}, { ownKeys: () => Array.from({ length: 1e5 }, (_, i) => "k" + i), getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }) }); for (;;) console.log(o)',
      expect: stops('deadline', 'memory'),
    },
    { name: 'calls, one after the other', source: 'for (;;) await host.ping()', expect: late },
    {
      name: 'calls over their budget',
      source: 'for (;;) await host.ping()',
      limits: { calls: 100, wallMs: 2000 },
      expect: stops('calls'),
    },
    {
      name: 'calls that nobody waits for',
      source: 'for (;;) host.ping()',
      limits: { wallMs: 5000 },
      expect: stops('calls'),
    },
    {
      name: 'calls that are never answered',
      source: 'for (;;) { host.never(); await null }',
      limits: { wallMs: 5000 },
      expect: stops('calls'),
    },
    {
      name: 'calls that nobody waits for, without a bound on them',
      source: 'for (;;) { host.ping(); await null }',
      limits: { callsInFlight: Infinity, wallMs: 300 },
      expect: stops('deadline', 'memory', 'calls'),
    },
    {
      name: 'calls that all fail',
      source: 'for (;;) await host.fail().catch(() => {})',
      expect: late,
    },
    {
      name: 'calls whose arguments cannot cross',
      source: 'for (;;) await host.echo(10n).catch(() => {})',
      expect: late,
    },
    {
      name: 'large payloads, awaited',
      source: 'const text = "x".repeat(1e6); for (;;) await host.echo(text)',
      expect: stops('deadline', 'memory', 'calls'),
    },
    {
      name: 'large payloads that nobody waits for',
      source: 'const text = "x".repeat(4e6); for (;;) host.never(text)',
      limits: { wallMs: 5000 },
      expect: stops('calls', 'memory'),
    },
    {
      name: 'payloads over the budget of bytes',
      source: 'const text = "x".repeat(1e5); for (;;) await host.echo(text)',
      limits: { callBytes: MiB, wallMs: 2000 },
      expect: stops('calls'),
    },
    {
      name: 'one payload that is too large',
      source: 'try { await host.echo("x".repeat(2e6)) } catch (e) { return e.name }',
      limits: { valueBytes: MiB, wallMs: 2000 },
      expect: returns('SerializationError'),
    },
    {
      name: 'a payload that multiplies',
      source:
        'let a = ["x".repeat(100)]; for (let i = 0; i < 22; i++) a = [a, a]; try { await host.echo(a) } catch (e) { return e.name }',
      limits: { wallMs: 2000 },
      expect: { causes: ['finished', 'memory', 'deadline', 'calls'] },
    },
    {
      name: 'a result that is too large',
      source: 'return "x".repeat(2e6)',
      limits: { resultBytes: MiB, wallMs: 2000 },
      expect: stops('output'),
    },
    {
      name: 'a result that multiplies',
      source: 'let a = ["x"]; for (let i = 0; i < 26; i++) a = [a, a]; return a',
      limits: { resultBytes: MiB, wallMs: 2000 },
      expect: stops('output', 'serialization'),
    },
    {
      name: 'a result of millions of empty arrays, which is small as text',
      source: 'const row = new Array(1000).fill([]); return new Array(10000).fill(row)',
      limits: { wallMs: 2000 },
      expect: stops('output', 'serialization'),
    },
    {
      name: 'a clone of hundreds of thousands of empty arrays',
      source: 'const list = []; for (let i = 0; i < 4e5; i++) list.push([]); return list',
      values: 'clone',
      limits: { wallMs: 2000 },
      expect: stops('output', 'serialization'),
    },
    {
      name: 'arguments of millions of empty objects',
      source:
        'const row = new Array(1000).fill({}); const rows = new Array(3000).fill(row); for (;;) await host.ping(rows)',
      limits: { wallMs: 2000 },
      expect: throws('SerializationError'),
    },
    {
      name: 'an array of a great length and few elements',
      source: 'const a = []; a[4294967290] = 1; return a',
      limits: { wallMs: 1000, resultBytes: MiB },
      expect: stops('serialization', 'output', 'deadline', 'memory'),
    },
    {
      name: 'a clone of an array of a great length and few elements',
      source: 'const a = []; a[4294967290] = 1; await host.echo(a); return a',
      values: 'clone',
      limits: { wallMs: 1000 },
      inspect: ({ value }) => value === undefined || value.length === 4294967291,
      expect: { causes: ['finished', 'serialization', 'guest_error', 'deadline'], value: true },
    },
    {
      name: 'functions handed out without end',
      source: 'for (;;) await give.take(() => {})',
      values: 'clone',
      globals: { give: { take: () => 1 } },
      limits: { wallMs: 5000 },
      expect: { causes: ['guest_error', 'calls', 'deadline', 'memory'] },
    },
    {
      name: 'functions handed out by the hundred thousand',
      source: 'for (;;) await give.take(Array.from({ length: 1e5 }, () => () => {}))',
      values: 'clone',
      globals: { give: { take: () => 1 } },
      limits: { wallMs: 5000 },
      expect: { causes: ['guest_error', 'calls', 'deadline', 'memory'] },
    },
    {
      name: 'functions asked for without end',
      source: 'for (;;) await give.make()',
      values: 'clone',
      globals: { give: { make: () => () => 1 } },
      expect: { causes: ['guest_error', 'calls', 'deadline', 'memory'] },
    },
    {
      name: 'host and guest calling each other in a circle',
      source: 'const f = async () => { await give.call(f) }; await f()',
      values: 'clone',
      globals: { give: { call: async (/** @type {Function} */ f) => f() } },
      expect: stops('deadline', 'calls', 'memory'),
    },
    {
      name: 'replies without end, kept',
      source: 'const kept = []; for (;;) kept.push(await host.record())',
      limits: { wallMs: 500 },
      expect: stops('deadline', 'memory'),
    },
    {
      name: 'a thousand calls of which each throws the host’s error in a circle',
      source:
        'const next = () => host.fail().catch(next); for (let i = 0; i < 1000; i++) next(); await new Promise(() => {})',
      expect: late,
    },
    {
      name: 'reports without end, from microtasks between calls',
      source:
        'const next = () => host.soon().then(next, next); for (let i = 0; i < 500; i++) next(); for (;;) await null',
      expect: late,
    },
    {
      name: 'unhandled rejections without end',
      source: 'for (;;) { host.fail(); await null }',
      limits: { wallMs: 2000 },
      expect: stops('calls', 'deadline', 'memory', 'guest_error'),
    },
    {
      name: 'ten thousand keys, each new, at every call',
      source:
        'let n = 0; for (;;) await host.ping(Object.fromEntries(Array.from({ length: 1e4 }, () => ["k" + n++, 0])))',
      expect: stops('deadline', 'memory', 'calls'),
    },
    {
      name: 'imports without end of what is not there',
      source: 'for (let i = 0; ; i++) await import("./m" + i + ".js").catch(() => {})',
      expect: stops('deadline', 'memory'),
    },
    {
      name: 'imports without end, all at once',
      source: 'for (let i = 0; ; i++) import("./m" + i + ".js").catch(() => {})',
      limits: { wallMs: 3000 },
      expect: stops('deadline', 'memory'),
    },
    {
      name: 'names of properties without end in a log',
      source: 'let n = 0; for (;;) console.log({ ["k" + n++]: { [n]: n } })',
      expect: late,
    },
    {
      name: 'warnings of the engine',
      source:
        'for (let i = 0; i < 1000; i++) { console.trace?.("t"); console.assert?.(false, "a"); console.count?.("c"); console.table?.([[1]]); console.time?.("x"); console.timeEnd?.("x") } return 1',
      limits: { wallMs: 2000 },
      expect: returns(1),
    },
  ],
};
