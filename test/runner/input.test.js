'use strict';
// What a host may send, and what it may not: lines that are no messages are ignored and named on standard error, and the
// runner goes on.

const { RunnerProcess, endAfterEach, executeMessage, residentMiB } = require('./runner-process.js');

endAfterEach();

const lineOf = (message) => `${JSON.stringify(message)}\n`;
const nested = (depth) => '['.repeat(depth) + ']'.repeat(depth);
const resultLine = (callId, json) =>
  `{"type":"tool_result","callId":"${callId}","ok":true,"result":${json}}\n`;

/** A runner whose guest waits for the answer to its one call. */
async function waitingRunner(code = 'await tools.ask()') {
  const runner = new RunnerProcess();
  runner.execute('exec-1', code, { tools: ['ask'] });
  const { callId } = await runner.first('tool_call');
  return { runner, callId };
}

describe('lines that are no messages', () => {
  test.each([
    ['text', 'hello\n', 'not JSON'],
    ['a truncated message', '{"type":"cancel","id":"ex\n', 'not JSON'],
    [
      'two messages on one line',
      '{"type":"cancel","id":"1"}{"type":"cancel","id":"2"}\n',
      'not JSON',
    ],
    ['a NUL byte', '{"type":"cancel","id":"\0"}\n', 'not JSON'],
    ['a message behind a NUL byte', '\0{"type":"cancel","id":"1"}\n', 'not JSON'],
    ['a byte order mark in the middle', '\n\ufeff{"type":"cancel","id":"1"}\n', 'not JSON'],
    ['bytes that are not UTF-8', Buffer.from('{"type":"cancel","id":"\xff"}\n', 'latin1'), 'UTF-8'],
    [
      'an encoded surrogate',
      Buffer.from('{"type":"cancel","id":"\xed\xa0\x80"}\n', 'latin1'),
      'UTF-8',
    ],
    ['deep nesting', `${nested(100_000)}\n`, 'too deeply'],
    ['deep nesting that never closes', `${'['.repeat(1_000_000)}\n`, 'not JSON'],
    [
      'deep nesting behind a number only V8 reads',
      `[${'9'.repeat(30)},${nested(5000)}]\n`,
      'deeply',
    ],
    [
      'an unknown type',
      '{"type":"exec","id":"1"}\n',
      '"type" is not execute, cancel or tool_result',
    ],
    ["a runner's message", '{"type":"started","id":"1"}\n', '"type" is not execute'],
    ['a field of the wrong type', '{"type":"cancel","id":1}\n', '"id" is not a string'],
    ['no object', '[1,2]\n', 'not an object'],
    [
      'a limit that is no number',
      lineOf(executeMessage('x', '1', { options: { timeoutMs: '1' } })),
      '"timeoutMs"',
    ],
    [
      'an infinite limit',
      lineOf(executeMessage('x', '1', { options: { timeoutMs: 5 } })).replace(':5,', ':1e999,'),
      'no message',
    ],
    ['a number that is not JSON', '{"type":"cancel","id":"1","x":01}\n', 'not JSON'],
  ])('%s', async (_name, bytes, complaint) => {
    const runner = new RunnerProcess();
    runner.write(bytes);
    await runner.complaint(complaint);
    expect(runner.stderr).toMatch(/^isobox runner: line \d+ is ignored: it is [^\n]+\n$/);
    await runner.expectToServe();
  });

  test('an active execution does not notice them', async () => {
    const { runner, callId } = await waitingRunner();
    runner.write('nonsense\n{"type":"tool_result"}\n\n{"type":"cancel","id":"other"}\n');
    runner.write(resultLine('no-such-call', '1'));
    runner.write(resultLine(callId, '"the answer"'));
    expect(await runner.first('done')).toMatchObject({ ok: true, result: 'the answer' });
  });

  test('only the first hundred are named', async () => {
    const runner = new RunnerProcess();
    runner.write('x\n'.repeat(5000));
    await runner.complaint('further ones are not reported');
    await runner.expectToServe();
    expect(runner.stderr.trim().split('\n')).toHaveLength(101);
  });
});

describe('lines that are too long', () => {
  test('a line of 300 MB costs neither memory nor the next line', async () => {
    const runner = new RunnerProcess();
    await runner.expectToServe();
    const before = residentMiB(runner.child.pid);
    const chunk = Buffer.alloc(2 ** 20, 'x');
    runner.write('{"type":"cancel","id":"');
    for (let i = 0; i < 300; i += 1) {
      if (!runner.child.stdin.write(chunk)) {
        await new Promise((resolve) => {
          runner.child.stdin.once('drain', resolve);
        });
      }
    }
    const during = residentMiB(runner.child.pid);
    runner.write('"}\n');
    await runner.complaint(`longer than --max-line allows (${300 * 2 ** 20 + 25} bytes)`);
    await runner.expectToServe();
    // What has been read and not been collected is there too.
    expect(during - before).toBeLessThan(150);
  });

  test('--max-line is the longest line that is read', async () => {
    const message = { type: 'execute', id: 'e', code: '1', options: {}, providers: [] };
    const exact = lineOf({ ...message, code: `/*${'x'.repeat(2048)}*/1` });
    const runner = new RunnerProcess(['--max-line', String(exact.length - 1)]);
    runner.write(exact);
    expect(await runner.first('done')).toMatchObject({ ok: true, result: 1 });
    runner.write(exact.replace('xx', 'xxx'));
    await runner.complaint('longer than --max-line');
    await runner.expectToServe();
  });
});

describe('messages, however they arrive', () => {
  test('byte by byte', async () => {
    const runner = new RunnerProcess();
    const bytes = Buffer.from(lineOf(executeMessage('e', '"grün 😀".length')));
    for (const byte of bytes) runner.write(Buffer.from([byte]));
    expect(await runner.first('done')).toMatchObject({ ok: true, result: 7 });
  });

  test('many in one chunk', async () => {
    const runner = new RunnerProcess();
    const count = 500;
    const busy = Array.from({ length: count }, (_, i) => lineOf(executeMessage(`busy-${i}`, '1')));
    runner.write(
      lineOf(executeMessage('e', 'await tools.ask()', { tools: ['ask'] })) + busy.join(''),
    );
    await runner.when(() => runner.lines.length >= count + 2, 'an answer to each');
    const { callId } = await runner.first('tool_call');
    runner.write(resultLine(callId, '1'));
    expect(await runner.first('done', 'e')).toMatchObject({ ok: true, result: 1 });
    const refused = runner.messages.filter(({ type, ok }) => type === 'done' && !ok);
    expect(refused.map(({ id }) => id)).toEqual(busy.map((_, i) => `busy-${i}`));
    for (const { error } of refused) expect(error.code).toBe('internal_error');
  });

  test('with carriage returns, blank lines, white space and a byte order mark', async () => {
    const runner = new RunnerProcess();
    runner.write('\ufeff{ "type": "cancel", "id": "1" }\r\n\r\n\n  \t \n  ');
    runner.write(`${JSON.stringify(executeMessage('e', '1'))} \r\n`);
    expect(await runner.first('done')).toMatchObject({ ok: true, result: 1 });
    expect(runner.stderr).toBe('');
  });

  test('with a field twice: the last counts', async () => {
    const runner = new RunnerProcess();
    const line = lineOf(executeMessage('e', '2'));
    runner.write(line.replace('{', '{"id":5,"code":"1",'));
    expect(await runner.first('done')).toMatchObject({ id: 'e', ok: true, result: 2 });
  });

  test('a last line without a line feed is read; then its execution is cancelled', async () => {
    const runner = new RunnerProcess();
    runner.child.stdin.end(JSON.stringify(executeMessage('e', 'for (;;);')));
    expect(await runner.exit).toMatchObject({ code: 0, signal: null });
    expect(runner.messages).toMatchObject([
      { type: 'started', id: 'e' },
      { type: 'done', id: 'e', ok: false, error: { code: 'timeout' } },
    ]);
  });

  test('an end of input within a message is no message', async () => {
    const runner = new RunnerProcess();
    runner.child.stdin.end(JSON.stringify(executeMessage('e', '1')).slice(0, -5));
    expect(await runner.exit).toMatchObject({ code: 0, signal: null });
    expect(runner.lines).toEqual([]);
    expect(runner.stderr).toContain('line 1 is ignored: it is not JSON');
  });
});

describe('results that only V8 can read', () => {
  test.each([
    ['integers beyond 64 bits', `[${'9'.repeat(30)},-${'9'.repeat(30)}]`, [1e30, -1e30]],
    ['halves of surrogate pairs', '"\\ud800 \\udc00 \\ud83d\\ude00"', '\ud800 \udc00 😀'],
    ['both, within objects', `{"a":{"\\udfff":${2n ** 70n}}}`, { a: { '\udfff': 2 ** 70 } }],
  ])('%s', async (_name, json, value) => {
    const { runner, callId } = await waitingRunner();
    runner.write(resultLine(callId, json));
    expect(await runner.first('done')).toMatchObject({ ok: true, result: value });
  });

  test('a number beyond all numbers is an error in the guest, not silence', async () => {
    const { runner, callId } = await waitingRunner();
    runner.write(resultLine(callId, '1e999'));
    expect(await runner.first('done')).toMatchObject({
      ok: false,
      error: { code: 'serialization_error' },
    });
  });

  test('names of prototypes are names like others', async () => {
    const { runner, callId } = await waitingRunner(
      'const r = await tools.ask(); [Object.keys(r), r.polluted, ({}).polluted]',
    );
    runner.write(resultLine(callId, '{"__proto__":{"polluted":1},"constructor":2}'));
    expect(await runner.first('done')).toMatchObject({
      ok: true,
      result: [['__proto__', 'constructor'], null, null],
    });
    await runner.expectToServe();
  });
});
