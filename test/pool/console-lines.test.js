'use strict';

const { usePool } = require('../support/pools.js');

const { run, valueOf } = usePool();

const linesOf = async (source, request = {}) => {
  const outcome = await run({ source, ...request });
  expect(outcome.cause).toBe('finished');
  return outcome.logs.map(({ text }) => text);
};

test('each call is one line, its arguments joined by spaces', async () => {
  const source =
    'console.log("a", "b", 1); console.log(); console.log(""); console.log("one\\ntwo")';
  expect(await linesOf(source)).toEqual(['a b 1', '', '', 'one\ntwo']);
});

test('nothing in a string is a format', async () => {
  expect(await linesOf('console.log("%s %d %j %%", "x", 1)')).toEqual(['%s %d %j %% x 1']);
});

test.each([
  ['undefined', 'undefined'],
  ['null', 'null'],
  ['true', 'true'],
  ['-1.5e21', '-1.5e+21'],
  ['NaN', 'NaN'],
  ['Infinity', 'Infinity'],
  ['123n', '123'],
  ['Symbol("s")', 'Symbol(s)'],
  ['"text"', 'text'],
  ['{ a: 1, b: [true, null, "x"] }', '{"a":1,"b":[true,null,"x"]}'],
  ['[1, undefined, () => {}]', '[1,null,null]'],
  ['{ a: undefined, f() {} }', '{}'],
  ['new Date(0)', '"1970-01-01T00:00:00.000Z"'],
  ['new Map([[1, 2]])', '{}'],
  ['new (class Mine { x = 1 })', '{"x":1}'],
  ['{ toJSON: () => ({ as: "told" }) }', '{"as":"told"}'],
  ['Object.create(null)', '{}'],
  ['new Error("broken")', 'Error: broken'],
  ['new (class Mine extends TypeError { name = "Mine" })("m")', 'Mine: m'],
  ['function f() {}', 'function f() {}'],
  ['new String("boxed")', '"boxed"'],
  ['new Proxy({ a: 1 }, {})', '{"a":1}'],
  ['"é 日本 😀"', 'é 日本 😀'],
])('%s is written as %s', async (argument, line) => {
  expect(await linesOf(`console.log(${argument})`)).toEqual([line]);
});

test.each([
  ['a cycle', 'const a = {}; a.a = a; console.log(a)', '[object Object]'],
  ['a bigint inside', 'console.log([1n, 2n])', '1,2'],
  ['a toJSON that throws', 'console.log({ toJSON() { throw 1 }, toString: () => "told" })', 'told'],
  ['a getter that throws', 'console.log({ get a() { throw 1 } })', '[object Object]'],
])('what JSON cannot say is converted to a string: %s', async (_name, source, line) => {
  expect(await linesOf(source)).toEqual([line]);
});

test('logging never throws into the guest', async () => {
  const source = `
    const hostile = { toJSON() { throw 1 }, toString() { throw 2 } };
    console.log('before', hostile, 'after');
    console.log(Object.create(null, { toJSON: { get() { throw 3 } } }));
    console.log(new Proxy({}, { get() { throw 4 } }));
    return 'still here'`;
  const { value, logs } = await run({ source });
  expect(value).toBe('still here');
  expect(logs).toHaveLength(3);
  expect(logs[0].text).toMatch(/^before .* after$/);
});

test('a toJSON that never ends is stopped by the deadline', async () => {
  const source = 'console.log({ toJSON() { for (;;); } })';
  expect(await run({ source, limits: { wallMs: 100 } })).toMatchObject({ cause: 'deadline' });
});

test('there is a method for each level, and each gives undefined', async () => {
  const levels = ['log', 'info', 'warn', 'error', 'debug'];
  const source = `return ${JSON.stringify(levels)}.map((level) => typeof console[level](level))`;
  const before = Date.now();
  const { logs, value } = await run({ source });
  expect(value).toEqual(levels.map(() => 'undefined'));
  expect(logs.map(({ level, text }) => [level, text])).toEqual(
    levels.map((level) => [level, level]),
  );
  for (const { timestamp } of logs) {
    expect(timestamp).toBeGreaterThanOrEqual(before - 1);
    expect(timestamp).toBeLessThanOrEqual(Date.now() + 1);
  }
});

test('methods work without their object', async () => {
  expect(await linesOf('const { log } = console; [1, 2].forEach((n) => log(n))')).toEqual([
    '1',
    '2',
  ]);
});

test('all methods that show something are captured; timers and counters do nothing', async () => {
  const source =
    'console.table([1]); console.trace("x"); console.group("g"); console.groupEnd(); console.dir({});' +
    'console.count(); console.time("t"); console.timeEnd("t");' +
    'console.assert(true, "a"); console.assert(0, "b")';
  expect(await linesOf(source)).toEqual(['[1]', 'x', 'g', '{}', '0 b']);
});

test('changing intrinsics does not change the formatting of plain values', async () => {
  const source =
    'JSON.stringify = () => "mine"; String = () => "mine"; console.log({ a: 1 }, 2, "x")';
  expect(await linesOf(source)).toEqual(['{"a":1} 2 x']);
});

test('lines are kept in order across awaits and calls', async () => {
  const source = 'console.log(1); await host.call(); console.log(2); await null; console.log(3)';
  expect(await linesOf(source, { namespaces: { host: { call() {} } } })).toEqual(['1', '2', '3']);
});

test.each([
  ['throws', 'throw new Error("end")', 'guest_error'],
  ['cannot give its result', 'return 1n', 'serialization'],
  ['is stopped', 'for (;;);', 'deadline'],
])('what a guest logged before it %s is kept', async (_name, end, cause) => {
  const outcome = await run({ source: `console.log('kept'); ${end}`, limits: { wallMs: 500 } });
  expect(outcome.cause).toBe(cause);
  expect(outcome.logs.map(({ text }) => text)).toEqual(['kept']);
});

test('a module logs while it is evaluated and while its export runs', async () => {
  const source =
    'import "./dep.js"; console.log("entry"); export default () => console.log("called")';
  const module = { sources: { 'dep.js': 'console.log("dep")' } };
  expect(await linesOf(source, { kind: 'module', module })).toEqual(['dep', 'entry', 'called']);
});

describe('where the console is', () => {
  const SOURCE =
    'return [typeof console, "console" in globalThis, Object.keys(globalThis).includes("console")]';

  test('by default it is on the global object', async () => {
    expect(await valueOf({ source: SOURCE })).toEqual(['object', true, false]);
    expect(await valueOf({ source: SOURCE, console: 'lines' })).toEqual(['object', true, false]);
    expect(await valueOf({ source: SOURCE, console: {} })).toEqual(['object', true, false]);
  });

  test('with scope lexical it is not', async () => {
    expect(await valueOf({ source: SOURCE, console: { scope: 'lexical' } })).toEqual([
      'object',
      false,
      false,
    ]);
    expect(await linesOf('console.log(1)', { console: { scope: 'lexical' } })).toEqual(['1']);
  });

  test('with scope lexical a module may shadow it, and others still have it', async () => {
    const source =
      'import "./dep.js"; const console = { log() {} }; console.log("lost"); export default 1';
    const module = { sources: { 'dep.js': 'console.log("kept")' } };
    const request = { kind: 'module', module, console: { scope: 'lexical' } };
    expect(await linesOf(source, request)).toEqual(['kept']);
  });

  test.each(/** @type {const} */ (['none', { mode: 'none' }, { mode: 'none', scope: 'lexical' }]))(
    'with %j there is none',
    async (console) => {
      expect(await valueOf({ source: SOURCE, console })).toEqual(['undefined', false, false]);
    },
  );

  test("without one, the host's own takes its place", async () => {
    const log = jest.fn();
    const outcome = await run({
      source: 'await console.log("to the host", 1)',
      console: 'none',
      bindings: { console: { log } },
      values: 'clone',
    });
    expect(log).toHaveBeenCalledWith('to the host', 1);
    expect(outcome.logs).toEqual([]);
  });
});
