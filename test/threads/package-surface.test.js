'use strict';
// The entry `isobox/threads`, its peers and its example, as users meet them.

const path = require('node:path');

const { runNode } = require('../support/child.js');

const root = path.join(__dirname, '..', '..');

test('require and import give the same names', async () => {
  const script = `
    import * as viaImport from 'isobox/threads';
    import { createRequire } from 'node:module';
    const viaRequire = createRequire(import.meta.url)('isobox/threads');
    const names = Object.keys(viaRequire).sort();
    const same = names.every((name) => viaImport[name] === viaRequire[name]) && viaImport.default === viaRequire;
    console.log(JSON.stringify({ same, names, imported: Object.keys(viaImport).length }));`;
  const { stdout, stderr } = await runNode(['--input-type=module', '-e', script], { cwd: root });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({
    same: true,
    names: [
      'createThreadRuntime',
      'defineAgent',
      'defineEffect',
      'defineHandler',
      'defineHook',
      'defineModel',
      'definePrompt',
      'defineThreadEndpoint',
      'defineTool',
    ],
    imported: 10,
  });
});

test('the rest of isobox does not load it, nor its peers', async () => {
  const script = `
    for (const name of ['isobox', 'isobox/run-code', 'isobox/execbox', 'isobox/mcp', 'isobox/threads']) require(name);
    const loaded = Object.keys(require.cache).filter((file) => /node_modules.(lmdb|pg|ws)./.test(file));
    console.log(JSON.stringify(loaded));`;
  const { stdout } = await runNode(['-e', script], { cwd: root });
  expect(JSON.parse(stdout)).toEqual([]);
});

test.each([
  ['lmdb', '/tmp/isobox-nowhere'],
  ['pg', 'postgres://localhost:1/x'],
])('a store without %s says what to install', async (peer, store) => {
  const script = `
    const Module = require('node:module');
    const resolve = Module._resolveFilename;
    Module._resolveFilename = function (request, ...rest) {
      if (request !== ${JSON.stringify(peer)}) return resolve.call(this, request, ...rest);
      throw Object.assign(new Error("Cannot find module '" + request + "'"), { code: 'MODULE_NOT_FOUND' });
    };
    require('isobox/threads').createThreadRuntime({ store: ${JSON.stringify(store)} }).catch((error) => console.log(error.message));`;
  const { stdout, stderr } = await runNode(['-e', script], { cwd: root });
  expect(stderr).toBe('');
  expect(stdout).toContain(`needs the package ${peer}. Install it with: npm install ${peer}`);
});

test('the example is killed, goes on, and has its answer', async () => {
  const { code, stdout, stderr } = await runNode([path.join(root, 'examples', 'threads.js')], {
    cwd: root,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('the first process ended by SIGKILL');
  expect(stdout).toContain(
    'assistant The sum of the squares from 1 to 100 is 338350. 338350 is right',
  );
  expect(stdout).toContain('subagents: checker (terminated)');
});
