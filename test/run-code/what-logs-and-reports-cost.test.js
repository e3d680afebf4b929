'use strict';

const { runChild } = require('../support/child.js');

/** Of the host's heap and loop while one guest with 128 MiB of memory runs. */
const MAX_GROWN_MIB = 256;
const MAX_TURN_MS = 80;

test.each([
  [
    'a console that is given a quarter of a million maps',
    `const a = []; for (let i = 0; i < 249990; i++) a.push(new Map);
     for (let i = 0; i < 66; i++) console.log(a); export default 1`,
  ],
  [
    'a console that is given regular expressions',
    `for (let i = 0; i < 2000; i++) console.log(Array.from({ length: 100 }, (_, j) => new RegExp(i + '_' + j)));
     export default 1`,
  ],
  [
    'a hundred thousand entries',
    `for (let i = 0; i < 100000; i++) console.log({ i, b: 'x' + i }, [i]); export default 1`,
  ],
  [
    'reports of maps',
    `const a = []; for (let i = 0; i < 200000; i++) a.push(new Map);
     for (let i = 0; i < 30; i++) await report(a); export default 1`,
  ],
  [
    'reports of long strings',
    `const s = 'x'.repeat(1e7); for (let i = 0; i < 30; i++) await report({ s }); export default 1`,
  ],
])('the host bears %s', async (_, source) => {
  const child = await runChild(
    async ({ LoopWatch, report, runCode }, text) => {
      await runCode('export default 1');
      const watch = new LoopWatch();
      const execution = runCode(text, { report: () => {} });
      const bound = setTimeout(() => execution.terminate('long enough'), 3000);
      const { status } = await execution;
      clearTimeout(bound);
      report({ status, ...watch.take() });
      watch.stop();
    },
    { args: source, boundMs: 20_000 },
  );
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
  const [{ status, worstTurnMs, grownMiB }] = child.reports;
  expect(['success', 'terminated', 'memory']).toContain(status);
  expect(worstTurnMs).toBeLessThan(MAX_TURN_MS);
  expect(grownMiB).toBeLessThan(MAX_GROWN_MIB);
});

test('entries that take long to rebuild are rebuilt when they are read, once', async () => {
  const { runCode } = require('../../lib/run-code/index.js');
  const { logs, status } = await runCode(
    `for (let i = 0; i < 200; i++) console.log(Array.from({ length: 100 }, (_, j) => new RegExp('r' + i + '_' + j)));
     export default 1`,
  );
  expect(status).toBe('success');
  expect(logs).toHaveLength(200);
  const last = logs[199];
  expect(Object.keys(last).sort()).toEqual(['args', 'level', 'timestamp']);
  expect(/** @type {any} */ (last.args[0])[99]).toEqual(/r199_99/);
  expect(last.args).toBe(last.args);
  expect(JSON.parse(JSON.stringify(logs[150])).level).toBe('log');
});
