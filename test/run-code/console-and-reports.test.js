'use strict';
// What a guest says while it runs (contract 2.7)

const { sleep } = require('../support/time.js');
const { useRunCode } = require('./use-run-code.js');

const { runJs, resultOf, errorOf } = useRunCode();

test('SHOULD: console calls are captured with level, arguments and time', async () => {
  const before = Date.now();
  const { logs } = await runJs(
    'for (const level of ["log", "info", "warn", "error", "debug"]) console[level](level, { a: [1] }, 2n); export default 1',
  );
  expect(logs).toEqual(
    ['log', 'info', 'warn', 'error', 'debug'].map((level) => ({
      level,
      args: [level, { a: [1] }, 2n],
      timestamp: expect.any(Number),
    })),
  );
  for (const { timestamp } of logs) {
    expect(Number.isInteger(timestamp)).toBe(true);
    expect(timestamp).toBeGreaterThanOrEqual(before - 1);
    expect(timestamp).toBeLessThanOrEqual(Date.now() + 1);
  }
});

test('console is synchronous, and nothing is lost: not at the end, not on failure', async () => {
  expect(await resultOf('export default console.log("x")')).toBe(undefined);
  const source = 'for (let i = 0; i < 1000; i++) console.log(i); ';
  for (const end of [
    'export default () => { console.log("last") }',
    'console.log("last"); throw 1',
    'console.log("last")',
  ]) {
    const { logs } = await runJs(source + end);
    expect(logs).toHaveLength(1001);
    expect(logs.at(-1).args).toEqual(['last']);
  }
});

test('logs of modules, microtasks and callbacks are captured in their order', async () => {
  const modules = { './m.js': 'console.log("module")' };
  const source = `import './m.js'; console.log('entry'); queueMicrotask(() => console.log('micro'));
    export default async () => { await host(() => console.log('callback')); console.log('end') }`;
  const { logs } = await runJs(source, { modules, globals: { host: (f) => f() } });
  expect(logs.map(({ args }) => args[0])).toEqual(['module', 'entry', 'micro', 'callback', 'end']);
});

test('arguments that cannot be copied are text, and nothing a guest logs throws', async () => {
  const source = `
    console.log(Symbol('s'), () => 1, new Error('boo'), new (class A { x = 1 })(), new WeakMap());
    console.log(new Proxy({}, { ownKeys() { throw 1 } }), { get a() { throw 2 } });
    console.log(); console.log(undefined, -0, NaN);
    export default 1`;
  const { status, logs } = await runJs(source);
  expect(status).toBe('success');
  expect(logs).toHaveLength(4);
  expect(logs[0].args.slice(0, 3)).toEqual(['Symbol(s)', '() => 1', 'Error: boo']);
  expect(logs[2].args).toEqual([]);
  expect(logs[3].args).toEqual([undefined, -0, NaN]);
});

test('logged values are those of the moment', async () => {
  const { logs } = await runJs(
    'const o = { n: 1 }; console.log(o); o.n = 2; console.log(o); export default 1',
  );
  expect(logs.map(({ args }) => args[0].n)).toEqual([1, 2]);
});

test('with a console of the caller, nothing is captured', async () => {
  const heard = [];
  const console_ = { log: (...args) => void heard.push(args) };
  const source = 'await console.log("to the host", 1); export default typeof console.warn';
  const { result, logs } = await runJs(source, { globals: { console: console_ } });
  expect({ result, logs, heard }).toEqual({
    result: 'undefined',
    logs: [],
    heard: [['to the host', 1]],
  });
});

test('a console of undefined is still the caller’s', async () => {
  expect(await resultOf('export default typeof console', { globals: { console: undefined } })).toBe(
    'undefined',
  );
});

test('a guest may replace its console methods, or shadow the console', async () => {
  const { logs } = await runJs(
    'console.log = () => {}; console.log("gone"); console.warn("kept"); export default 1',
  );
  expect(logs.map(({ args }) => args[0])).toEqual(['kept']);
  expect(
    await runJs('const console = { log() {} }; console.log(1); export default 1'),
  ).toMatchObject({ logs: [] });
});

test('a flood of logs is cut, and the result says so', async () => {
  const { status, logs, logsTruncated } = await runJs(
    'for (let i = 0; i < 30_000; i++) console.log(i); export default 1',
  );
  expect({ status, logsTruncated }).toEqual({ status: 'success', logsTruncated: true });
  expect(logs.length).toBeGreaterThan(1000);
});

test('the output of the host is not written to', async () => {
  const write = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
  await runJs('console.log("x"); console.error("y"); console.table?.([1]); export default 1');
  const written = write.mock.calls.length;
  write.mockRestore();
  expect(written).toBe(0);
});

describe('report', () => {
  test('adds to reports, then calls back, and gives the guest what the callback returns', async () => {
    const order = [];
    const handle = runJs('export default async () => [await report({ n: 1 }), await report(2)]', {
      report: async (value) => {
        order.push([value, handle.reports.length]);
        await sleep(5);
        return { seen: value };
      },
    });
    const { result, reports } = await handle;
    expect(result).toEqual([{ seen: { n: 1 } }, { seen: 2 }]);
    expect(reports).toEqual([{ n: 1 }, 2]);
    expect(order).toEqual([
      [{ n: 1 }, 1],
      [2, 2],
    ]);
  });

  test('is there only when the caller asked for it, and is not on globalThis', async () => {
    expect(await resultOf('export default typeof report')).toBe('undefined');
    const source = 'export default [typeof report, "report" in globalThis]';
    expect(await resultOf(source, { report() {} })).toEqual(['function', false]);
  });

  test('loses nothing when nobody awaits it', async () => {
    const { reports } = await runJs(
      'for (let i = 0; i < 500; i++) report(i); export default () => { report("last") }',
      { report() {} },
    );
    expect(reports).toHaveLength(501);
    expect(reports.at(-1)).toBe('last');
  });

  test('is in order with everything else a guest tells its host', async () => {
    const order = [];
    const source =
      'report(1); host(2); report(3); host(4); export default async () => { await host(5) }';
    await runJs(source, {
      report: (v) => void order.push(v),
      globals: { host: (v) => void order.push(v) },
    });
    expect(order).toEqual([1, 2, 3, 4, 5]);
  });

  test('a callback that throws rejects for the guest, and the value is kept', async () => {
    const report = () => {
      throw new RangeError('not wanted');
    };
    const { result, reports } = await runJs(
      'export default () => report(1).catch((e) => [e.name, e.message])',
      { report },
    );
    expect({ result, reports }).toEqual({ result: ['RangeError', 'not wanted'], reports: [1] });
  });

  test('a value that cannot cross is not reported', async () => {
    const { result, reports } = await runJs(
      'export default () => report(Symbol()).catch((e) => e.name)',
      { report() {} },
    );
    expect({ result, reports }).toEqual({ result: 'SerializationError', reports: [] });
  });

  test('takes one value, undefined when there is none', async () => {
    const { reports } = await runJs('report(1, 2); report(); export default 0', { report() {} });
    expect(reports).toEqual([1, undefined]);
  });

  test('can carry a function of the guest, callable while the run lives', async () => {
    const { result } = await runJs('export default () => report((x) => x + 1)', {
      report: (f) => f(41),
    });
    expect(result).toBe(42);
  });

  test('what failed stays reported', async () => {
    const { status, reports } = await runJs('report("step 1"); throw new Error("step 2")', {
      report() {},
    });
    expect({ status, reports }).toEqual({ status: 'error', reports: ['step 1'] });
  });
});

test('a name that was not given is a ReferenceError with its place', async () => {
  expect(await errorOf('\nexport default () => report(1)')).toMatchObject({
    name: 'ReferenceError',
    line: 2,
  });
});
