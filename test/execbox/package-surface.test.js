'use strict';

const path = require('node:path');

const { runNode } = require('../support/child.js');

const root = path.join(__dirname, '..', '..');

test.each(['isobox/execbox', 'isobox/execbox/runtime', 'isobox/protocol'])(
  '%s has the same names by require and by import',
  async (name) => {
    const required = Object.keys(require(name)).sort();
    const source = `import * as names from '${name}'; console.log(JSON.stringify(Object.keys(names)))`;
    const { code, stdout } = await runNode(['--input-type=module', '-e', source], { cwd: root });
    expect(code).toBe(0);
    const imported = JSON.parse(stdout).filter((one) => one !== 'default');
    expect(imported.sort()).toEqual(required);
  },
);

test('the example of a migration runs', async () => {
  const file = path.join(root, 'examples', 'execbox-migration.js');
  const { code, stdout, stderr } = await runNode([file], { cwd: root });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('function search_docs(input: {');
  expect(stdout).toContain('result: 1550');
  expect(stdout).toContain("code: 'validation_error'");
  expect(stdout).toContain("code: 'timeout'");
});

test('requiring the package loads no Zod', async () => {
  const source =
    "require('isobox/execbox'); console.log(Object.keys(require.cache).some((file) => /node_modules.zod/.test(file)))";
  const { stdout } = await runNode(['-e', source], { cwd: root });
  expect(stdout.trim()).toBe('false');
});
