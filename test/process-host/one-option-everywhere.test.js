'use strict';
// `host: 'process'` wherever guests can be run: the guest is in a process that the program has not had before.

const { createRunCode, threadState } = require('../../lib/run-code/index.js');
const { childrenOf } = require('../execbox/child-processes.js');
const { RunnerProcess } = require('../runner/runner-process.js');
const { openAgent, say } = require('../threads/support.js');
const { makeSearchServer, useChain } = require('../tool-chain/chains.js');

const known = new Set();
/** How many processes there are that were not there when it was last asked. */
const countNew = () => {
  const found = childrenOf(process.pid).filter((pid) => !known.has(pid));
  for (const pid of found) known.add(pid);
  return found.length;
};
const source = 'export default await countNew()';

test('createRunCode and threadState share a pool of processes, and so do threads of agents', async () => {
  const run = createRunCode({ host: 'process' });
  expect(await run(source, { globals: { countNew } })).toMatchObject({ result: 1 });
  const state = threadState(/** @type {any} */ ({}), { host: 'process' });
  expect(await state.runCode(source, { globals: { countNew } })).toMatchObject({ result: 0 });
  const { thread } = await openAgent([say('hello')], { options: { host: 'process' } });
  const pids = async () => childrenOf(process.pid);
  const seen = await thread.runCode('export default await pids()', { globals: { pids } });
  expect(seen).toMatchObject({ status: 'success', result: [...known] });
});

test('on threads, which is what they are without it, there is no process', async () => {
  const run = createRunCode({ host: 'thread' });
  expect(await run(source, { globals: { countNew } })).toMatchObject({ result: 0 });
  await expect(openAgent([], { options: { host: 'moon' } })).rejects.toThrow(/settings\.host/);
});

test.each([
  [{ host: 'worker' }, /settings\.host must be one of 'thread', 'process'/],
  [{ host: 'thread', pool: { run() {} } }, /give only one of the two/],
])('createRunCode(%j) is refused', (settings, message) => {
  expect(() => createRunCode(/** @type {any} */ (settings))).toThrow(message);
});

test('a tool chain', async () => {
  countNew();
  const { call } = await useChain({ exa: makeSearchServer() }, { host: 'process' });
  expect(countNew()).toBe(1);
  const { tier, isError, content } = await call('const a = await exa.say({ text: "hi" }); a + "!"');
  expect({ tier, isError, text: content[0].text }).toEqual({
    tier: 'isolate',
    isError: false,
    text: 'hi!',
  });
  await expect(useChain({ exa: makeSearchServer() }, { host: 'moon' })).rejects.toThrow(
    /options\.host/,
  );
});

test('isobox runner: its guests are in a process, and it outlives that one', async () => {
  const runner = new RunnerProcess(['--host', 'process']);
  const pid = Number(runner.child.pid);
  await runner.expectToServe();
  const [guests] = childrenOf(pid);
  runner.execute('1', 'for (;;);');
  await runner.first('started', '1');
  process.kill(guests, 'SIGKILL');
  expect(await runner.first('done', '1')).toMatchObject({
    ok: false,
    error: { code: 'internal_error' },
  });
  await runner.expectToServe();
  expect(childrenOf(pid)).not.toContain(guests);
  expect(await runner.end()).toMatchObject({ code: 0, signal: null });
});
