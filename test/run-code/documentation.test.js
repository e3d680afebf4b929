'use strict';
// The example runs as it stands, and both kinds of module give the same.

const path = require('node:path');

const { runNode } = require('../support/child.js');

const root = path.join(__dirname, '..', '..');

test('examples/run-code-agent.js: the second program of the agent succeeds', async () => {
  const { code, stdout, stderr } = await runNode([
    path.join(root, 'examples', 'run-code-agent.js'),
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.trim().split('\n')).toEqual([
    expect.stringMatching(/^link_error - Line 1 of turn-1\.ts: .*listOrders/),
    'progress {"step":"found","count":2}',
    'log refunded a1',
    'log refunded a3',
    'answer {"refunded":["a1","a3"],"total":32.5}',
  ]);
});

test('require and import of the package give the same names', async () => {
  const script = `
    import * as viaImport from 'isobox/run-code';
    import { createRequire } from 'node:module';
    const viaRequire = createRequire(import.meta.url)('isobox/run-code');
    const { result } = await viaImport.runCode('export default 1 as number');
    const names = Object.keys(viaRequire).sort();
    const same = names.every((name) => viaImport[name] === viaRequire[name]) && viaImport.default === viaRequire;
    console.log(JSON.stringify({ result, same, names }));`;
  const { stdout, stderr } = await runNode(['--input-type=module', '-e', script], { cwd: root });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({
    result: 1,
    same: true,
    names: [
      'DEFAULT_MAX_MEMORY_LIMIT_BYTES',
      'DEFAULT_MEMORY_LIMIT_BYTES',
      'MIN_MEMORY_LIMIT_BYTES',
      'createRunCode',
      'runCode',
      'threadState',
    ],
  });
});
