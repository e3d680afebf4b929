'use strict';
// What models are told about their mistakes: by the executor on all of its hosts, by the pool and by runCode.

const { IsolatePool } = require('../../lib/index.js');
const { IsolateExecutor, resolveProvider } = require('../../lib/execbox/index.js');
const { runCode } = require('../../lib/run-code/index.js');
const { MISTAKES } = require('./mistakes.js');

const provider = resolveProvider({
  name: 'tools',
  tools: {
    get_user: {
      inputSchema: { type: 'object', required: ['id'] },
      execute: ({ id }) => ({ id, name: 'Ada' }),
    },
    list_users: { execute: () => [{ name: 'Ada' }] },
    'send-mail': {
      execute() {
        throw new ReferenceError('setTimeout is not defined');
      },
    },
  },
});
const LIMITS = { timeoutMs: 300, memoryLimitBytes: 16 * 2 ** 20 };

test('there are at least forty of them', () => {
  expect(Object.keys(MISTAKES).length).toBeGreaterThanOrEqual(40);
});

describe('the executor', () => {
  const executor = new IsolateExecutor();
  afterAll(() => executor.dispose());

  test.each(Object.entries(MISTAKES))('on %s', async (_name, mistake) => {
    const { code, error, at, hint, message } = mistake;
    const limits = code.includes('kept') ? { ...LIMITS, timeoutMs: 10_000 } : LIMITS;
    const result = await executor.execute(code, [provider], limits);
    const told = /** @type {any} */ (result.ok ? result : result.error);
    expect(told.hint).toMatch(hint);
    if (message !== undefined) expect(told.message).toContain(message);
    if (error !== undefined) {
      const said = told.message.replace(/^SyntaxError: (.*) \(\d+:\d+\)$/, '$1');
      expect(`${told.name}: ${said}`.startsWith(error)).toBe(true);
    }
    if (at !== undefined) {
      expect([told.line, told.column]).toEqual(at);
      expect(told.frame).toContain(`> ${at[0]} | ${code.split('\n')[at[0] - 1]}`);
    }
  });

  test('places are those of the text as it was given, fences and types included', async () => {
    const code = 'Here it is:\n\n```ts\nconst n: number = 1;\nreturn n + missing;\n```\n';
    const { error } = await executor.execute(code);
    expect(error).toMatchObject({ name: 'ReferenceError', line: 5, column: 12 });
    expect(error?.frame).toBe(
      '  3 | ```ts\n  4 | const n: number = 1;\n> 5 | return n + missing;\n    |            ^\n  6 | ```',
    );
  });

  test('errors of the host have neither a place nor a hint', async () => {
    const failures = ['await tools.send_mail({})', 'await tools.get_user({})'];
    for (const code of failures) {
      const { error } = await executor.execute(code, [provider]);
      expect(Object.keys(error ?? {})).toEqual(['code', 'message']);
    }
  });

  test('an abort is told from a deadline', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 30);
    const aborted = await executor.execute('for (;;);', [], { signal: controller.signal });
    expect(aborted.error).toMatchObject({
      code: 'timeout',
      hint: expect.stringMatching(/caller ended/),
    });
    const early = await executor.execute('1', [], { signal: AbortSignal.abort() });
    expect(early.error).toMatchObject({
      code: 'timeout',
      hint: expect.stringMatching(/caller ended/),
    });
    const late = await executor.execute('for (;;);', [], LIMITS);
    expect(late.error).toMatchObject({
      code: 'timeout',
      hint: expect.stringMatching(/limit of 300 ms/),
    });
  });

  test('a result that was meant has no hint', async () => {
    for (const code of [
      '1',
      'return null',
      'if (true) { return }',
      'await tools.list_users()',
      '',
    ]) {
      expect(await executor.execute(code, [provider])).not.toHaveProperty('hint');
    }
  });

  test('console.table and its like are captured', async () => {
    const code =
      'console.table([{ a: 1 }]); console.dir({ b: 2 }); console.group("g"); console.groupEnd();' +
      'console.trace("t"); console.assert(1 > 2, "no"); console.assert(true, "yes");' +
      'console.time("x"); console.timeEnd("x"); console.count(); return 1';
    const { ok, logs } = await executor.execute(code);
    expect(ok).toBe(true);
    expect(logs).toEqual(['[{"a":1}]', '{"b":2}', 'g', 't', 'false no']);
  });
});

test('names, places and hints come from processes too', async () => {
  const executor = new IsolateExecutor({ host: 'process' });
  const { error } = await executor.execute('const a = 1;\nreturn fetch(a);', [provider]);
  expect(error).toMatchObject({ name: 'ReferenceError', line: 2, column: 8 });
  expect(error?.frame).toContain('> 2 | return fetch(a);');
  expect(error?.hint).toContain('no network');
  const { hint } = await executor.execute('const result = 1;', [provider]);
  expect(hint).toContain('End it with return');
  const late = await executor.execute('for (;;);', [], LIMITS);
  expect(late.error?.hint).toContain('limit of 300 ms');
  await executor.dispose();
});

test('the pool gives frames and hints', async () => {
  const pool = new IsolatePool();
  const namespaces = { tools: { get_user: () => 1 } };
  const run = (source, more = {}) => pool.run({ source, namespaces, ...more });
  expect((await run('return tools.getUser()')).error).toMatchObject({
    frame: '> 1 | return tools.getUser()\n    |              ^',
    hint: 'tools has no getUser. Did you mean get_user?',
  });
  expect((await run('const a = 1')).hint).toContain('End it with return');
  expect((await run('for (;;);', { limits: { cpuMs: 20 } })).error?.hint).toContain('20 ms');
  const module = { imports: { users: { list: () => [] } }, sources: { 'lib/a.js': '' } };
  const imported = await run('import _ from "lodash"; export default 1', {
    kind: 'module',
    module,
  });
  expect(imported.error?.hint).toBe('There are these modules: users, ./lib/a.js.');
  await pool.dispose();
});

test('runCode gives frames and hints', async () => {
  const code = 'const n: number = 1;\nexport default () => process.exit(n);';
  const { error } = await runCode(code);
  expect(error).toMatchObject({ line: 2, hint: expect.stringMatching(/do not see the process/) });
  expect(error?.frame).toContain('> 2 | export default () => process.exit(n);');
  const missing = await runCode('import _ from "lodash"; export default _', {
    imports: { users: { list: () => [] } },
  });
  expect(missing.error?.hint).toBe('There are these modules: users.');
  expect((await runCode('const a = 1')).error?.hint).toContain('export default');
});
