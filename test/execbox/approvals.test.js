'use strict';
// Tools that need approval: nothing is called without it, and the guest's time stands still while somebody decides.

const { IsolateExecutor, resolveProvider } = require('../../lib/execbox/index.js');
const { sleep } = require('../support/time.js');

const provide = (tools, approve) => resolveProvider({ name: 'bank', tools, approve });

test('a tool that always needs approval is refused when there is nobody to ask', () => {
  const pay = { needsApproval: true, execute: () => 1 };
  expect(() => provide({ pay })).toThrow(TypeError);
  expect(() => provide({ pay })).toThrow(/pay needs approval.*approve/);
  expect(() => provide({ pay: { ...pay, needsApproval: 'yes' } })).toThrow(/boolean or a function/);
});

const HOSTS = /** @type {const} */ (['thread', 'process']);

describe.each(HOSTS)('on host %s', (host) => {
  const executor = new IsolateExecutor({ host, timeoutMs: 1000 });
  afterAll(() => executor.dispose());

  test('an approved call is made, with what the schema made of its input', async () => {
    const asked = [];
    const pay = {
      needsApproval: true,
      inputSchema: { type: 'object', required: ['sum'] },
      execute: ({ sum }) => `paid ${sum}`,
    };
    const approve = async (request, { signal }) => {
      asked.push({ ...request, hasSignal: signal instanceof AbortSignal });
      return true;
    };
    const result = await executor.execute('await bank.pay({ sum: 5 })', [
      provide({ pay }, approve),
    ]);
    expect(result).toMatchObject({ ok: true, result: 'paid 5' });
    expect(asked).toEqual([
      { providerName: 'bank', toolName: 'pay', input: { sum: 5 }, hasSignal: true },
    ]);
  });

  test.each([
    ['a refusal', () => false, 'bank.pay was not approved, and was not called'],
    ['anything but true', () => 'yes', 'bank.pay was not approved, and was not called'],
    [
      'a failure to ask',
      () => {
        throw new Error('gone');
      },
      'bank.pay needs approval, which could not be asked for: gone',
    ],
  ])('after %s the tool is not called', async (_name, approve, message) => {
    const execute = jest.fn();
    const provider = provide({ pay: { needsApproval: true, execute } }, approve);
    const result = await executor.execute('await bank.pay({})', [provider]);
    expect(result.error).toMatchObject({ code: 'tool_error', message });
    expect(execute).not.toHaveBeenCalled();
  });

  test('a function decides by the input; without anybody to ask, its calls fail', async () => {
    const pay = { needsApproval: ({ sum }) => sum > 10, execute: ({ sum }) => sum };
    const code =
      'const small = await bank.pay({ sum: 1 });' +
      'return [small, await bank.pay({ sum: 11 }).catch((e) => e.message)]';
    expect((await executor.execute(code, [provide({ pay })])).result).toEqual([
      1,
      'bank.pay needs approval, and there is nobody who can be asked',
    ]);
    expect((await executor.execute(code, [provide({ pay }, () => true)])).result).toEqual([1, 11]);
  });

  test('the deadline stands still while somebody is asked, and goes on after', async () => {
    const pay = { needsApproval: true, execute: () => 'paid' };
    const provider = provide({ pay }, () => sleep(1300).then(() => true));
    const calls = 'const all = await Promise.all([bank.pay(), bank.pay()]);';
    const patient = await executor.execute(`${calls} all`, [provider]);
    expect(patient).toMatchObject({ ok: true, result: ['paid', 'paid'] });
    const hung = await executor.execute(`${calls} await new Promise(() => {})`, [provider]);
    expect(hung.error).toMatchObject({ code: 'timeout' });
    const busy = await executor.execute(`${calls} for (;;);`, [provider]);
    expect(busy.error).toMatchObject({ code: 'timeout' });
  });

  test('an abort ends the wait for an answer', async () => {
    const controller = new AbortController();
    const asked = [];
    const provider = provide(
      { pay: { needsApproval: true, execute() {} } },
      (_request, context) => {
        asked.push(context.signal);
        setTimeout(() => controller.abort(), 20);
        return new Promise(() => {});
      },
    );
    const { signal } = controller;
    const result = await executor.execute('await bank.pay()', [provider], { signal });
    expect(result.error).toMatchObject({ code: 'timeout' });
    expect(asked[0].aborted).toBe(true);
  });

  test('lines of the console are told, and are in the result', async () => {
    const lines = [];
    const result = await executor.execute('console.log("a"); console.warn("b"); 1', [], {
      onLog: (line) => lines.push(line),
    });
    expect(result).toMatchObject({ ok: true, logs: ['a', 'b'] });
    expect(lines).toEqual(['a', 'b']);
  });
});

test('lines of the console come while the guest runs on a thread', async () => {
  const executor = new IsolateExecutor({ timeoutMs: 5000 });
  const lines = [];
  let seen;
  const wait = {
    execute: async () => {
      await sleep(50);
      seen = [...lines];
    },
  };
  const code = 'console.log("before"); await bank.wait(); console.log("after")';
  await executor.execute(code, [provide({ wait })], { onLog: (line) => lines.push(line) });
  expect(seen).toEqual(['before']);
  expect(lines).toEqual(['before', 'after']);
  await executor.dispose();
});
