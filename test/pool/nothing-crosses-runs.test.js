'use strict';

const { usePool } = require('../support/pools.js');

const { valueOf, run } = usePool({ threads: 1, warm: { target: 1 } });

// What a guest leaves behind, and what the next one would see of it.
const TRACES = {
  'a global variable': ['globalThis.left = 1', 'typeof left'],
  'a changed prototype': ['Object.prototype.left = 1', 'typeof {}.left'],
  'a changed array prototype': ['Array.prototype.map = () => "mine"', '[1].map((x) => x).length'],
  'a replaced intrinsic': [
    'globalThis.JSON = null; Math.max = null',
    'typeof JSON + typeof Math.max',
  ],
  'a deleted intrinsic': [
    'delete globalThis.Promise; delete Array.prototype.push',
    'typeof [].push',
  ],
  'a registered symbol': [
    'Symbol.for("left").description; globalThis[Symbol.for("left")] = 1',
    'Reflect.ownKeys(globalThis).filter((key) => typeof key === "symbol").map(String).join()',
  ],
  'a frozen global object': ['Object.freeze(globalThis)', 'Object.isFrozen(globalThis)'],
  'a changed stack limit': ['Error.stackTraceLimit = 0', 'Error.stackTraceLimit'],
  'a stack formatter': ['Error.prepareStackTrace = () => "mine"', 'typeof Error.prepareStackTrace'],
  'a cached template': ['globalThis.f = (t) => t; f`x`.raw', 'typeof f'],
  'a last match': ['/(left)/.exec("left")', 'RegExp.$1'],
  'a changed console': ['console.log = () => {}', 'console.log.name'],
};

test.each(Object.entries(TRACES))('%s stays in its run', async (_name, [leave, look]) => {
  const before = await valueOf({ source: `return ${look}` });
  await valueOf({ source: leave });
  expect(await valueOf({ source: `return ${look}` })).toEqual(before);
});

test('module state is made anew for every run', async () => {
  /** @type {import('isobox').RunRequest} */
  const request = {
    kind: 'module',
    source: 'import { next } from "./counter.js"; export default next()',
    module: { sources: { 'counter.js': 'let n = 0; export const next = () => ++n' } },
  };
  expect(await valueOf(request)).toBe(1);
  expect(await valueOf(request)).toBe(1);
});

test('a run does not see the names another one was given', async () => {
  const names = '[typeof tool, typeof secret, typeof bound]';
  const given = {
    namespaces: { tool: { call() {} } },
    globals: { secret: 1 },
    bindings: { bound: 2 },
  };
  expect(await valueOf({ source: `return ${names}`, ...given })).toEqual([
    'object',
    'number',
    'number',
  ]);
  expect(await valueOf({ source: `return ${names}` })).toEqual([
    'undefined',
    'undefined',
    'undefined',
  ]);
});

test('a run does not get the intrinsics another one asked for', async () => {
  const source = 'try { return eval("1") + typeof WebAssembly } catch (e) { return e.name }';
  const intrinsics = { codeGeneration: true, webAssembly: true, sharedMemory: true };
  expect(await valueOf({ source, intrinsics })).toBe('1object');
  expect(await valueOf({ source })).toBe('EvalError');
});

test("a value from the host is the guest's own copy", async () => {
  const shared = { list: [1, 2, 3] };
  const source = 'shared.list.push(4); shared.mine = true; return shared.list.length';
  expect(await valueOf({ source, globals: { shared } })).toBe(4);
  expect(await valueOf({ source, globals: { shared } })).toBe(4);
  expect(shared).toEqual({ list: [1, 2, 3] });
});

test("the host's own prototypes are out of reach", async () => {
  const source = `
    const seen = [given, given.list, given.call, {}, [], () => {}];
    for (const value of seen) Object.getPrototypeOf(value).polluted = true;
    Object.getPrototypeOf(given.call).constructor.prototype.polluted = true;
    return await given.call({})`;
  const given = {
    list: [],
    call: (input) => [input.polluted, {}.polluted, /** @type {any} */ ([]).polluted],
  };
  const value = await valueOf({ source, values: 'clone', globals: { given } });
  expect(value.map((one) => one === undefined)).toEqual([true, true, true]);
});

test('logs, facts and errors are of their own run', async () => {
  const first = await run({ source: 'console.log("first"); throw new Error("first")' });
  const second = await run({ source: 'console.log("second"); return 2' });
  expect(first.logs.map(({ text }) => text)).toEqual(['first']);
  expect(second.logs.map(({ text }) => text)).toEqual(['second']);
  expect(second).toMatchObject({ ok: true, facts: { callCount: 0, calls: [] } });
});

test('runs side by side do not mix', async () => {
  const source = `
    globalThis.mine = name;
    const seen = [];
    for (let i = 0; i < 20; i++) {
      seen.push(await host.echo(name) === name && mine === name);
      console.log(name);
    }
    return seen.every(Boolean)`;
  const names = Array.from({ length: 20 }, (_, i) => `guest ${i}`);
  const outcomes = await Promise.all(
    names.map((name) =>
      run({ source, bindings: { name }, namespaces: { host: { echo: async (input) => input } } }),
    ),
  );
  for (const [i, { value, logs }] of outcomes.entries()) {
    expect(value).toBe(true);
    expect(new Set(logs.map(({ text }) => text))).toEqual(new Set([names[i]]));
  }
});
