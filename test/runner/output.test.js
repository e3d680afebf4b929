'use strict';
// Hosts that read slowly, or not at all.

const { RunnerProcess, endAfterEach, executeMessage, residentMiB } = require('./runner-process.js');
const { sleep } = require('../support/time.js');

endAfterEach();

test("a guest's console is in the result and nowhere else", async () => {
  const runner = new RunnerProcess();
  runner.execute('e', 'console.log("out"); console.error("err"); console.warn({ a: 1 }); 1');
  expect(await runner.first('done')).toMatchObject({ logs: ['out', 'err', '{"a":1}'], result: 1 });
  await runner.end();
  expect(runner.lines).toHaveLength(2);
  expect(runner.stderr).toBe('');
});

test('text of guests cannot break out of its line', async () => {
  const runner = new RunnerProcess();
  const text = '\n{"type":"done"}\n\r\u000b\u000c\u001c\u0085\u2028\u2029"\\';
  runner.execute('e\n2', `const t = ${JSON.stringify(text)}; console.log(t); t`);
  expect(await runner.first('done')).toMatchObject({ id: 'e\n2', logs: [text], result: text });
  expect(runner.lines).toHaveLength(2);
  // Nothing that any reader takes for the end of a line.
  const ends = [...runner.lines.join('')].filter(
    (c) => c < ' ' || '\u0085\u2028\u2029'.includes(c),
  );
  expect(ends).toEqual([]);
});

test('a host that sends and does not read costs no memory, and is served when it reads', async () => {
  const runner = new RunnerProcess();
  await runner.expectToServe();
  const { pid, stdin, stdout } = runner.child;
  const before = residentMiB(pid);
  stdout.pause();
  // While the first is active, each of the others is answered with a `done` of about as many bytes.
  runner.execute('active', 'await tools.ask()', { tools: ['ask'], options: { timeoutMs: 60_000 } });
  const ids = Array.from({ length: 100_000 }, (_, i) => `busy-${i}`);
  let taken = 0;
  const sendAll = async () => {
    for (; taken < ids.length; taken += 100) {
      const batch = ids.slice(taken, taken + 100);
      const lines = batch.map((id) => `${JSON.stringify(executeMessage(id, '1'))}\n`).join('');
      await new Promise((resolve) => {
        stdin.write(lines, resolve);
      });
    }
  };
  const sent = sendAll();
  await sleep(1500);
  const takenSoFar = taken;
  await sleep(500);
  // It has stopped reading, because nobody reads what it says.
  expect(takenSoFar).toBeLessThan(ids.length / 2);
  expect(taken).toBe(takenSoFar);
  expect(residentMiB(pid) - before).toBeLessThan(32);
  stdout.resume();
  await sent;
  await runner.when(() => runner.lines.length >= ids.length + 4, 'an answer to each');
  const { callId } = await runner.first('tool_call');
  runner.send({ type: 'tool_result', callId, ok: true, result: 'late' });
  expect(await runner.first('done', 'active')).toMatchObject({ ok: true, result: 'late' });
});

test('a guest that calls faster than its host reads is stopped by the bound on open calls', async () => {
  const runner = new RunnerProcess();
  runner.child.stdout.pause();
  runner.execute('flood', 'for (;;) tools.ask("x".repeat(1000))', { tools: ['ask'] });
  await sleep(1000);
  runner.child.stdout.resume();
  expect(await runner.first('done')).toMatchObject({ ok: false, error: { code: 'runtime_error' } });
  await runner.expectToServe();
});

test('a large result arrives whole at a slow reader', async () => {
  const runner = new RunnerProcess();
  runner.child.stdout.pause();
  runner.execute('e', '"x".repeat(10_000_000)');
  await sleep(500);
  runner.child.stdout.resume();
  const { result } = await runner.first('done');
  expect(result).toHaveLength(10_000_000);
});

test('a closed standard output ends the runner, and what runs', async () => {
  const runner = new RunnerProcess();
  runner.execute('e', 'for (;;) await tools.ask()', { tools: ['ask'] });
  const { callId } = await runner.first('tool_call');
  runner.child.stdout.destroy();
  runner.send({ type: 'tool_result', callId, ok: true });
  expect(await runner.exit).toMatchObject({ code: 1, signal: null });
  expect(runner.stderr).toBe('');
});

test('a closed standard error is no reason to end', async () => {
  const runner = new RunnerProcess();
  runner.child.stderr.destroy();
  runner.write('nonsense\n'.repeat(50));
  await runner.expectToServe();
  expect(await runner.end()).toMatchObject({ code: 0 });
});
