'use strict';

const { isobox, useFiles } = require('./command.js');

const GUEST = `interface Item { name: string; price: number }

async function total(items: Item[]): Promise<number> {
  let sum = 0;
  for (const { price } of items) sum += price;
  if (sum > 10) {
    throw new RangeError(\`too dear: \${sum}\`);
  }
  return sum;
}

console.log('items', { n: 1 });
const items = (await shop.list({ count: 3 })) as Item[];
await total(items);
`;

const cwd = useFiles({
  'guest.ts': GUEST,
  'fenced.md': 'Sure!\n\n```ts\nconst n: number = 6;\nn * 7\n```\n',
  'lone.ts': 'export default async function main(): Promise<string> { return "called"; }',
  'broken.ts': 'const a = 1;\nlet b: number = ;\n',
  'shop.js': `
    exports.list = async ({ count }) => Array.from({ length: count }, (_, i) => ({ name: 'n', price: i * 5 }));
    exports.notAFunction = 5;
  `,
  'maths.mjs':
    'export const add = ({ a, b }) => a + b; export default () => { throw new Error("no"); };',
  'double.mjs': 'export default (n, { signal }) => (signal.aborted ? 0 : n * 2);',
  'triple.cjs': 'module.exports = async (n) => n * 3;',
  'typed.ts': `
    import { twice } from './helper.ts';
    enum Unit { Euro = 'EUR' }
    interface Price { item: string; amount: number }
    export const price = async ({ item }: { item: string }): Promise<Price & { unit: Unit }> =>
      ({ item, amount: twice(3), unit: Unit.Euro });`,
  'helper.ts': 'export const twice = (n: number): number => n * 2;',
  'common.cts': 'exports.hello = (name: string): string => `hello ${name}`;',
  'plain.ts': 'module.exports = (n: number) => n + 1;',
  'lone.mts': 'export default (n: number): number => -n;',
  'wrong.ts': 'export const f = (n: number => n;',
  'empty.js': 'exports.x = 1;',
  'failing.js':
    'exports.f = () => { throw Object.assign(new Error("the shop is closed"), { code: "E_SHOP" }); };',
  'throws.js': 'throw new Error("not today");',
  'node_modules/from-npm/package.json': '{"name":"from-npm","main":"index.js"}',
  'node_modules/from-npm/index.js': 'exports.hello = () => "hello";',
});

const run = (args, options) => isobox(['run', ...args], { cwd, ...options });

describe('guests', () => {
  test.each([
    ['an expression', '6 * 7', '42\n'],
    ['a body with return', 'const a = 6; return a * 7;', '42\n'],
    ['a string, as it is', '"a\\nb"', 'a\nb\n'],
    ['an object, readable', '({ a: [1, "x", { b: null }] })', "{ a: [ 1, 'x', { b: null } ] }\n"],
    ['nothing', 'undefined', ''],
    ['TypeScript', 'const n: number = 5; n as unknown', '5\n'],
  ])('%s from standard input', async (_name, input, stdout) => {
    expect(await run(['-'], { input })).toEqual({ code: 0, signal: null, stdout, stderr: '' });
  });

  test.each([
    ['fenced.md', '42\n'],
    ['lone.ts', 'called\n'],
  ])('the file %s', async (file, stdout) => {
    expect(await run([file])).toMatchObject({ code: 0, stdout, stderr: '' });
  });

  test('the console goes to standard error as it comes, the result to standard output', async () => {
    const input = 'console.log("one"); console.error({ two: 2 }); 3';
    expect(await run(['-'], { input })).toMatchObject({
      code: 0,
      stdout: '3\n',
      stderr: 'one\n{"two":2}\n',
    });
  });
});

describe('-e', () => {
  test('runs code from the command line', async () => {
    expect(await run(['-e', 'const n: number = 6; n * 7'])).toMatchObject({
      code: 0,
      stdout: '42\n',
      stderr: '',
    });
    const { code, stderr } = await run(['--eval', '\nnope()']);
    expect(code).toBe(1);
    expect(stderr).toContain('at <eval>:2:1 (guest_error)');
  });

  test.each([
    ['a file too', ['-e', '1', 'guest.ts'], 'give either a file or -e, not both'],
    ['no code', ['-e'], "option '-e, --eval <code>' argument missing"],
    ['--watch', ['-e', '1', '--watch'], '--watch needs a file'],
  ])('%s is a usage error', async (_name, args, text) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(text);
  });
});

describe('tools', () => {
  test('exports of a module are a namespace, a lone function is callable itself', async () => {
    const input =
      '[await maths.add({ a: 1, b: 2 }), await double(4), await triple(5), await npm.hello()]';
    const tools = ['maths=maths.mjs', 'double=./double.mjs', 'triple=triple.cjs', 'npm=from-npm'];
    const { code, stdout, stderr } = await run(
      ['-', '--json', ...tools.flatMap((tool) => ['--tool', tool])],
      { input },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout).value).toEqual([3, 8, 15, 'hello']);
  });

  test('modules may be written in TypeScript, and import others that are', async () => {
    const input =
      '[await shop.price({ item: "plum" }), await common.hello("you"), await plain(1), await lone(2)]';
    const tools = ['shop=./typed.ts', 'common=common.cts', 'plain=./plain.ts', 'lone=lone.mts'];
    const { code, stdout, stderr } = await run(
      ['-', '--json', ...tools.flatMap((tool) => ['--tool', tool])],
      { input },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout).value).toEqual([
      { item: 'plum', amount: 6, unit: 'EUR' },
      'hello you',
      2,
      -2,
    ]);
  });

  test('what a tool throws is told apart from what the guest throws', async () => {
    const result = await run(['-', '--tool', 't=failing.js'], { input: 'await t.f()' });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('Error: the shop is closed');
    expect(result.stderr).toContain('A tool threw this');
  });

  test.each([
    ['no module', 'shop', 'name=module'],
    ['no identifier', 'a-b=./shop.js', 'name=module'],
    ['a module that is not there', 'x=./nowhere.js', './nowhere.js does not load'],
    ['a package that is not there', 'x=no-such-package', 'no-such-package does not load'],
    ['a module that throws', 'x=./throws.js', 'not today'],
    ['a module without functions', 'x=./empty.js', 'exports none'],
    ['a module in TypeScript that does not compile', 'x=./wrong.ts', 'Line 1 of'],
  ])('%s is a usage error', async (_name, tool, text) => {
    const { code, stdout, stderr } = await run(['-', '--tool', tool], { input: '1' });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(text);
    expect(stderr).not.toContain('    at ');
  });

  test('one name twice is a usage error', async () => {
    const tools = ['--tool', 'a=shop.js', '--tool', 'a=maths.mjs'];
    expect(await run(['-', ...tools], { input: '1' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('two tools have the name a'),
    });
  });
});

describe('failures', () => {
  test("an uncaught error has a code frame, a caret and the guest's own positions", async () => {
    const { code, stdout, stderr } = await run(['guest.ts', '--tool', 'shop=./shop.js']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      [
        'items {"n":1}',
        'RangeError: too dear: 15',
        '  at guest.ts:7:11 (guest_error)',
        '',
        '  5 |   for (const { price } of items) sum += price;',
        '  6 |   if (sum > 10) {',
        '> 7 |     throw new RangeError(`too dear: ${sum}`);',
        '    |           ^',
        '  8 |   }',
        '',
        '    at total (guest.ts:7:11)',
        '    at guest.ts:14:7',
        '',
      ].join('\n'),
    );
  });

  test('what does not compile is shown where it is', async () => {
    const { code, stderr } = await run(['broken.ts']);
    expect(code).toBe(1);
    expect(stderr).toContain('SyntaxError');
    expect(stderr).toContain('broken.ts:2:17');
    expect(stderr).toMatch(/> 2 \| let b: number = ;\n\s+\|\s+\^/);
  });

  test.each([
    ['a thrown primitive', 'throw 5', 1, 'Error: 5'],
    ['a result that is not JSON', '({ f() {} })', 1, 'A result is made of'],
    ['an import', 'import fs from "node:fs"; 1', 1, 'import'],
    ['the deadline', 'for (;;);', 3, '--timeout <ms> gives it more time'],
    [
      'a builtin that never returns',
      'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)',
      3,
      'deadline',
    ],
    [
      'the memory limit',
      'const a = []; for (;;) a.push(new Array(1000).fill(1));',
      3,
      '--memory <size>',
    ],
  ])('%s', async (_name, input, code, text) => {
    const result = await run(['-', '--timeout', '1000', '--memory', '32m'], { input });
    expect(result).toMatchObject({ code, signal: null, stdout: '' });
    expect(result.stderr).toContain(text);
  });

  test.each([
    ['a file that is not there', ['nowhere.ts'], 'there is no file nowhere.ts'],
    ['a directory', ['.'], 'cannot be read'],
    ['a timeout of no time', ['guest.ts', '--timeout', '0'], 'between 1 and'],
    ['a timeout that is no number', ['guest.ts', '--timeout', 'soon'], 'must be a number'],
    ['too little memory', ['guest.ts', '--memory', '1k'], 'between 8 MiB and 4 GiB'],
    ['memory that is no size', ['guest.ts', '--memory', 'lots'], 'such as 64m'],
  ])('%s is a usage error', async (_name, args, text) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(text);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('%s stops the guest', async (signal, code) => {
    const result = await run(['-', '--timeout', '15000'], {
      input: 'console.log("running"); for (;;);',
      onStart: (child) => child.stderr.once('data', () => child.kill(signal)),
    });
    expect(result).toMatchObject({ code, signal: null });
    expect(result.stderr).toContain(signal);
  });

  test('a reader that has had enough is no error', async () => {
    const result = await run(['-'], {
      input: '"x".repeat(5_000_000)',
      onStart: (child) => child.stdout.destroy(),
    });
    expect(result).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('--json', () => {
  test.each([
    ['an end', '1', 'finished'],
    ['source that does not compile', 'let a = = 1', 'link_error'],
    ['source that is too large', `"${'x'.repeat(2 ** 20)}"`, 'link_error'],
    ['a throw', 'throw 1', 'guest_error'],
    ['a result that is not JSON', '10n', 'serialization'],
    ['a deadline', 'for (;;);', 'deadline'],
    ['a memory limit', 'const a = []; for (;;) a.push(new Array(1e5).fill(1.5))', 'memory'],
  ])('has facts after %s', async (_name, input, cause) => {
    const { stdout } = await run(['-', '--json', '--timeout', '2000', '--memory', '32m'], {
      input,
    });
    const outcome = JSON.parse(stdout);
    expect(outcome).toMatchObject({ cause, logs: [], logsTruncated: false });
    expect(outcome.facts).toEqual({
      wallMs: expect.any(Number),
      cpuMs: expect.any(Number),
      queuedMs: expect.any(Number),
      peakMemoryBytes: expect.any(Number),
      callCount: 0,
      callBytes: 0,
      calls: [],
    });
  });

  test('prints one object, and the console in it', async () => {
    const input = 'console.warn("careful"); ({ a: 1 })';
    const { code, stdout, stderr } = await run(['-', '--json'], { input });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      cause: 'finished',
      value: { a: 1 },
      logs: [{ level: 'warn', text: 'careful' }],
      facts: { wallMs: expect.any(Number), callCount: 0 },
    });
  });

  test.each([
    [
      'a throw',
      'throw new TypeError("no")',
      1,
      { cause: 'guest_error', error: { name: 'TypeError', message: 'no', line: 1 } },
    ],
    [
      'a syntax error',
      '\nlet a = ;',
      1,
      { cause: 'link_error', error: { name: 'SyntaxError', line: 2, column: 9 } },
    ],
    ['a limit', 'for (;;);', 3, { cause: 'deadline' }],
  ])('%s', async (_name, input, code, report) => {
    const result = await run(['-', '--json', '--timeout', '500'], { input });
    expect(result).toMatchObject({ code, stderr: '' });
    expect(JSON.parse(result.stdout)).toMatchObject({ ok: false, ...report });
  });
});

describe('colours', () => {
  const failing = { input: 'throw new Error("x")' };
  // eslint-disable-next-line no-control-regex
  const ESCAPE = /\x1b\[/;

  test('there are none where there is no terminal', async () => {
    expect((await run(['-'], failing)).stderr).not.toMatch(ESCAPE);
  });

  test('FORCE_COLOR asks for them, NO_COLOR has the last word', async () => {
    const env = { FORCE_COLOR: '1' };
    expect((await run(['-'], { ...failing, env })).stderr).toMatch(ESCAPE);
    const both = { ...env, NO_COLOR: '1' };
    expect((await run(['-'], { ...failing, env: both })).stderr).not.toMatch(ESCAPE);
  });
});

test('--host process runs the guest in a process of its own, with its tools and limits', async () => {
  const tools = ['--tool', 'shop=./shop.js'];
  const { code, stdout, stderr } = await isobox(['run', '-', '--host', 'process', ...tools], {
    cwd,
    input: 'console.log("hi"); return (await shop.list({ count: 2 })).length',
  });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '2\n', stderr: 'hi\n' });
  const stopped = await isobox(['run', '-', '--host', 'process', '--timeout', '100'], {
    cwd,
    input: 'for (;;);',
  });
  expect(stopped.code).toBe(3);
});

test('--host takes no other word', async () => {
  const { code, stderr } = await isobox(['run', '-', '--host', 'moon'], { cwd, input: 'return 1' });
  expect(code).toBe(2);
  expect(stderr).toMatch(/thread, process/);
});
