'use strict';
// Guest source as models write it, through the executor. Positions are those of the caller's text.

const { IsolateExecutor } = require('../../lib/execbox/index.js');
const { closeSourceWorkers } = require('../../lib/source/index.js');
const { startStopwatch } = require('../../scripts/stolen-time.js');
const { toolsOf } = require('./contract.js');

let executor;

beforeAll(() => {
  executor = new IsolateExecutor();
});

afterAll(async () => {
  await executor.dispose();
  await closeSourceWorkers();
});

test.each([
  ['a fence with a label', '```javascript\n1 + 1\n```', 2],
  ['a fence with text around it', 'Here you go:\n\n```ts\nconst a: number = 4; a\n```\nEnjoy!', 4],
  ['TypeScript', 'interface A { n: number }\nconst a = { n: 1 } as A;\na.n satisfies number', 1],
  ['types in parameters', 'const f = (x: number): number => x * 2; f(4)', 8],
  ['a typed arrow function', 'async (): Promise<number> => 5', 5],
  ['an enum', 'enum E { A = 3 }\nE.A', 3],
  ['the last expression of several', '1; 2; 3', 3],
  ['the last expression behind an await', 'const v = await tools.echo({ ok: true }); v.ok', true],
  ['a statement that gives nothing', 'const a = 1;', undefined],
  ['a conditional return', 'if (true) { return "early" } "late"', 'early'],
  ['a function with other statements is not called', 'function f() { return 1 }; 2', 2],
  ['a template', '`a${1 + 1}b`', 'a2b'],
  ['a comment at the end', '5 // five', 5],
  ['a comment at the start', '// five\n5', 5],
])('%s', async (_name, code, value) => {
  const result = await executor.execute(code, [toolsOf({ echo: (input) => input })]);
  expect(result).toMatchObject({ ok: true, result: value, logs: [] });
});

test('a function that is only a part of the last expression cannot be returned', async () => {
  expect(await executor.execute('[() => 1][0]', [])).toMatchObject({
    error: { code: 'serialization_error' },
  });
});

test.each([
  ['JavaScript', 'const a = 1;\nconst b = ;', '2:11'],
  ['JavaScript in a fence', 'Well:\n```js\nconst a = 1;\nconst b = ;\n```', '4:11'],
  ['TypeScript', 'const a: number = 1;\nconst b: = 2;', '2:10'],
])('a syntax error in %s says where', async (_name, code, place) => {
  const { error } = await executor.execute(code, []);
  expect(error.code).toBe('runtime_error');
  expect(error.message).toMatch(/^SyntaxError: /);
  expect(error.message).toContain(`(${place})`);
});

test.each(['}); globalThis.escaped = 1; (() => {', '}', 'return 1 }); (async () => {'])(
  'no source closes its wrapper: %j',
  async (code) => {
    expect(await executor.execute(code, [])).toMatchObject({ error: { code: 'runtime_error' } });
  },
);

test('aborting ends the preparation too', async () => {
  const controller = new AbortController();
  const code = `const a: number[] = [${'1,'.repeat(200_000)}]; a.length`;
  const running = executor.execute(code, [], { signal: controller.signal });
  controller.abort();
  const elapsedMs = startStopwatch();
  expect(await running).toMatchObject({ ok: false, error: { code: 'timeout' } });
  expect(elapsedMs()).toBeLessThan(300);
});
