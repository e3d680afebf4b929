'use strict';
// What went wrong (contract 2.4, 2.5): statuses from causes, places from the engine.

const { useRunCode } = require('./use-run-code.js');

const { runJs, resultOf, errorOf } = useRunCode();

test('an error has name, message, stack and the place where it was thrown', async () => {
  const source =
    'function inner() {\n  throw new TypeError("no");\n}\nexport default function main() {\n  inner();\n}';
  expect(await errorOf(source, { filename: 'agent.js' })).toEqual({
    status: 'error',
    name: 'TypeError',
    message: 'Line 2 of agent.js: no',
    stack: 'TypeError: no\n    at inner (agent.js:2:9)\n    at main (agent.js:5:3)',
    filename: 'agent.js',
    line: 2,
    column: expect.any(Number),
    frame: expect.stringContaining('> 2 |   throw new TypeError("no");\n'),
  });
});

test.each([
  ['5', '5'],
  ['"text"', 'text'],
  ['null', 'null'],
  ['undefined', 'undefined'],
  ['10n', '10'],
  ['Symbol("s")', 'Symbol(s)'],
])('a thrown %s is an Error with that as its message', async (expression, message) => {
  for (const source of [
    `throw ${expression}`,
    `export default () => { throw ${expression} }`,
    `export default async () => { throw ${expression} }`,
  ]) {
    expect(await errorOf(source)).toMatchObject({ status: 'error', name: 'Error', message });
  }
});

test.each([
  ['an object', '({ a: 1 })', 'Error', /\[object Object\] with the keys a$/],
  ['an object with a name and message', '({ name: "Zed", message: "hi" })', 'Zed', /hi$/],
  ['a function', 'function named() {}', 'Error', /named/],
  ['an error with a changed name', 'Object.assign(new Error("m"), { name: "Mine" })', 'Mine', /m$/],
  [
    'a proxy that throws',
    'new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })',
    'Error',
    /^/,
  ],
  [
    'an error whose message is a getter that throws',
    'Object.defineProperty(new Error(), "message", { get() { throw 1 } })',
    'Error',
    /^/,
  ],
])('a thrown %s is described', async (_what, expression, name, message) => {
  const error = await errorOf(`export default () => { throw (${expression}) }`);
  expect(error).toMatchObject({ status: 'error', name });
  expect(error.message).toMatch(message);
});

test.each([
  ['a SyntaxError at run time', 'new SyntaxError("Unexpected token")'],
  [
    'a TypeScriptTranspileError',
    'Object.assign(new Error("x"), { name: "TypeScriptTranspileError" })',
  ],
  [
    'a missing module',
    'Object.assign(new Error("Cannot find module \'x\'"), { name: "ModuleNotFoundError" })',
  ],
  [
    'a missing export',
    'Object.assign(new Error("does not provide an export"), { name: "MissingExportError" })',
  ],
  ['out of memory', 'new RangeError("JavaScript heap out of memory allocation failed")'],
  [
    'a termination',
    'Object.assign(new Error("Code execution terminated"), { name: "Terminated" })',
  ],
  ['an abort', 'Object.assign(new Error("aborted"), { name: "AbortError" })'],
  ['refused options', 'Object.assign(new Error("x"), { name: "InvalidCodeExecutionOptions" })'],
])('a guest that forges %s is an error all the same', async (_what, expression) => {
  for (const source of [
    `throw ${expression}`,
    `export default async () => { throw ${expression} }`,
  ]) {
    expect(await errorOf(source)).toMatchObject({ status: 'error' });
  }
});

test('a JSON.parse or a regular expression that fails at run time is an error', async () => {
  expect(await errorOf('export default () => JSON.parse("{")')).toMatchObject({
    status: 'error',
    name: 'SyntaxError',
  });
  expect(await errorOf('export default () => new RegExp("(")')).toMatchObject({
    status: 'error',
    name: 'SyntaxError',
  });
});

test('a stack the guest has written is not believed', async () => {
  const source = 'const e = new Error("x"); e.stack = "forged at /etc/passwd:1:1"; throw e';
  const { stack } = await errorOf(source);
  expect(stack).not.toContain('forged');
});

test('Error.prepareStackTrace of a guest is not asked, and cannot reach the host', async () => {
  const source = `
    Error.prepareStackTrace = (e, frames) => 'prepared ' + typeof frames;
    export default () => { throw new Error('x') }`;
  const { stack } = await errorOf(source);
  expect(stack).toMatch(/^Error: x\n {4}at default \(<runCode>:3:/);
});

test.each([
  ['export default 1;\nlet let = 3;', 2, 5],
  ['export default (', 1, 17],
  ['export default await;', 1, 21],
  ['const a = 1;\nconst a = 2;', 2, 7],
  ['export { nope }', 1, 10],
  ['with (a) {}', 1, 1],
  ['"\\08"', 1, 2],
])('SHOULD: a syntax error in %j is a link_error at its place', async (source, line, column) => {
  const error = await errorOf(source);
  expect(error).toMatchObject({
    status: 'link_error',
    name: 'SyntaxError',
    filename: '<runCode>',
    line,
  });
  expect(Math.abs(error.column - column)).toBeLessThanOrEqual(1);
});

test('a long message is cut, and a deep stack is finite', async () => {
  const { message } = await errorOf("throw new Error('x'.repeat(2 ** 20))");
  expect(message.length).toBeLessThan(2 ** 17);
  const { name, stack } = await errorOf('export default function f() { return f() + 1 }');
  expect(name).toBe('RangeError');
  expect(stack.split('\n').length).toBeLessThan(100);
});

test('errors are plain data of the host', async () => {
  const { error } = await runJs('throw new Error("x")');
  expect(Object.getPrototypeOf(error) === Object.prototype || error instanceof Object).toBe(true);
  expect(JSON.parse(JSON.stringify(error))).toEqual(error);
});

test('an error with a cause, or several errors, is described by its own message', async () => {
  expect(await errorOf("throw new Error('outer', { cause: new Error('inner') })")).toMatchObject({
    message: expect.stringContaining('outer'),
  });
  expect(await errorOf("await Promise.any([Promise.reject(new Error('a'))])")).toMatchObject({
    name: 'AggregateError',
  });
});

test('an error that is caught harms nothing', async () => {
  expect(
    await resultOf(
      'export default () => { try { throw new Error("x") } catch (e) { return e.message } }',
    ),
  ).toBe('x');
});
