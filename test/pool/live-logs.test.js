'use strict';

const { runChild } = require('../support/child.js');
const { usePool } = require('../support/pools.js');

const { run } = usePool();

test('onLog hears every line as it comes, before the run goes on', async () => {
  const seen = [];
  const outcome = await run({
    source: 'console.log("one"); await host.call(); console.warn("two")',
    namespaces: { host: { call: () => void seen.push('call') } },
    onLog: ({ level, text }) => seen.push(`${level} ${text}`),
  });
  expect(seen).toEqual(['log one', 'call', 'warn two']);
  expect(outcome.logs.map(({ text }) => text)).toEqual(['one', 'two']);
});

test('onLog hears a guest that has not ended', async () => {
  const heard = await new Promise((resolve) => {
    const handle = run({
      source: 'console.log("still running"); for (;;);',
      onLog: ({ text }) => {
        resolve({ text, running: handle.running });
        handle.terminate();
      },
    });
  });
  expect(heard).toEqual({ text: 'still running', running: true });
});

test('onLog gets entries in entries mode', async () => {
  const seen = [];
  await run({
    source: 'console.info({ a: 1 }, "x")',
    console: 'entries',
    onLog: (entry) => seen.push(entry),
  });
  expect(seen).toEqual([{ level: 'info', timestamp: expect.any(Number), args: [{ a: 1 }, 'x'] }]);
});

test('onLog hears what is kept, in the form in which it is kept', async () => {
  const seen = [];
  const outcome = await run({
    source: 'for (let i = 0; i < 5; i++) console.log("line " + i)',
    limits: { logLines: 3, logChars: 15 },
    onLog: (entry) => seen.push(entry),
  });
  expect(seen.map(({ text }) => text)).toEqual(['line 0', 'line 1', 'lin']);
  expect(seen).toEqual(outcome.logs);
});

test('handle.logs fills while the run goes on', async () => {
  const lengths = [];
  const handle = run({
    source: 'console.log(1); await host.call(); console.log(2); await host.call()',
    namespaces: { host: { call: () => void lengths.push(handle.logs.length) } },
    liveLogs: true,
  });
  const { logs } = await handle;
  expect(lengths).toEqual([1, 2]);
  expect(handle.logs).toEqual(logs);
});

test('handle.logs stays empty unless live logs were asked for', async () => {
  const handle = run({ source: 'console.log(1)' });
  expect((await handle).logs).toHaveLength(1);
  expect(handle.logs).toEqual([]);
});

test('with liveLogs false, onLog hears and handle.logs stays empty', async () => {
  const heard = jest.fn();
  const handle = run({ source: 'console.log(1)', onLog: heard, liveLogs: false });
  await handle;
  expect(heard).toHaveBeenCalledTimes(1);
  expect(handle.logs).toEqual([]);
});

test('nothing is heard after the run has ended', async () => {
  const seen = [];
  const handle = run({
    source: 'for (let i = 0; ; i++) { console.log(i); await host.call() }',
    namespaces: { host: { call: () => (seen.length >= 3 ? handle.terminate() : undefined) } },
    onLog: ({ text }) => seen.push(text),
  });
  const { logs } = await handle;
  const heard = seen.length;
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  expect(seen).toHaveLength(heard);
  expect(logs.map(({ text }) => text)).toEqual(seen);
});

test("an onLog that throws is the host's uncaught exception, and the run goes on", async () => {
  const { code, reports } = await runChild(async ({ IsolatePool, report }) => {
    const pool = new IsolatePool({ threads: 1 });
    process.on('uncaughtException', (error) => report(`uncaught: ${error.message}`));
    const heard = [];
    const outcome = await pool.run({
      source: 'console.log(1); await host.call(); console.log(2); return "done"',
      namespaces: { host: { call: () => 1 } },
      onLog: ({ text }) => {
        heard.push(text);
        throw new Error(`listener ${text}`);
      },
    });
    await pool.dispose();
    const { parked, queued, stuck } = pool.stats();
    report({ heard, value: outcome.value, logs: outcome.logs.length, parked, queued, stuck });
  });
  expect(reports).toEqual([
    'uncaught: listener 1',
    'uncaught: listener 2',
    { heard: ['1', '2'], value: 'done', logs: 2, parked: 0, queued: 0, stuck: 0 },
  ]);
  expect(code).toBe(0);
});

test('an onLog that throws ends a process that does not listen for it', async () => {
  const { code, stderr } = await runChild(async ({ IsolatePool }) => {
    const onLog = () => {
      throw new Error('from the listener');
    };
    await new IsolatePool({ threads: 1 }).run({ source: 'console.log(1)', onLog });
  });
  expect(code).toBe(1);
  expect(stderr).toContain('from the listener');
});
