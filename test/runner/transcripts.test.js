'use strict';
// The minimal transcripts of the runner specification and the protocol reference, over the real command. Lines are
// compared as text: names, their order and their spelling; only times and call ids are the runner's own.

const { RunnerProcess, endAfterEach } = require('./runner-process.js');

endAfterEach();

const EXECUTE_ECHO =
  '{"type":"execute","id":"exec-1","code":"CODE","options":{"timeoutMs":1000,"memoryLimitBytes":67108864,"maxLogLines":100,"maxLogChars":64000},"providers":[{"name":"tools","tools":{"echo":{"safeName":"echo","originalName":"echo","description":"Echo input"}},"types":"declare namespace tools { ... }"}]}';

const TRANSCRIPTS = {
  'Minimal Success Transcript': [
    [
      '>',
      EXECUTE_ECHO.replace(
        'CODE',
        String.raw`const value = await tools.echo({\"ok\":true}); value.ok`,
      ),
    ],
    ['<', '{"type":"started","id":"exec-1"}'],
    [
      '<',
      '{"type":"tool_call","callId":"CALL","providerName":"tools","safeToolName":"echo","input":{"ok":true}}',
    ],
    ['>', '{"type":"tool_result","callId":"CALL","ok":true,"result":{"ok":true}}'],
    ['<', '{"type":"done","id":"exec-1","ok":true,"durationMs":MS,"logs":[],"result":true}'],
  ],
  'Minimal Transcript of the protocol reference': [
    ['>', EXECUTE_ECHO.replace('CODE', String.raw`await tools.echo({\"ok\":true})`)],
    ['<', '{"type":"started","id":"exec-1"}'],
    [
      '<',
      '{"type":"tool_call","callId":"CALL","providerName":"tools","safeToolName":"echo","input":{"ok":true}}',
    ],
    ['>', '{"type":"tool_result","callId":"CALL","ok":true,"result":{"ok":true}}'],
    ['<', '{"type":"done","id":"exec-1","ok":true,"durationMs":MS,"logs":[],"result":{"ok":true}}'],
  ],
  'Minimal Cancellation Transcript': [
    [
      '>',
      '{"type":"execute","id":"exec-2","code":"await tools.hang({})","options":{"timeoutMs":1000,"memoryLimitBytes":67108864,"maxLogLines":100,"maxLogChars":64000},"providers":[{"name":"tools","tools":{"hang":{"safeName":"hang","originalName":"hang"}},"types":"declare namespace tools { ... }"}]}',
    ],
    ['<', '{"type":"started","id":"exec-2"}'],
    [
      '<',
      '{"type":"tool_call","callId":"CALL","providerName":"tools","safeToolName":"hang","input":{}}',
    ],
    ['>', '{"type":"cancel","id":"exec-2"}'],
    [
      '<',
      '{"type":"done","id":"exec-2","ok":false,"durationMs":MS,"logs":[],"error":{"code":"timeout","message":"Execution timed out"}}',
    ],
  ],
};

test.each(Object.entries(TRANSCRIPTS))('%s', async (_name, transcript) => {
  const runner = new RunnerProcess();
  let callId;
  let seen = 0;
  for (const [direction, line] of transcript) {
    if (direction === '>') {
      runner.write(`${line.replace('CALL', callId)}\n`);
      continue;
    }
    seen += 1;
    const expected = seen;
    await runner.when(() => runner.lines.length >= expected, line);
    const actual = runner.lines[expected - 1];
    const { durationMs, callId: id } = JSON.parse(actual);
    callId = id ?? callId;
    expect(actual).toBe(line.replace('MS', String(durationMs)).replace('CALL', callId));
  }
  expect(await runner.end()).toMatchObject({ code: 0, signal: null });
  expect(runner.lines).toHaveLength(seen);
  expect(runner.stderr).toBe('');
});
