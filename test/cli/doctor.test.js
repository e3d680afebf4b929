'use strict';

const fs = require('node:fs');
const path = require('node:path');

const { builtPath } = require('../../lib/addon-paths.js');
const { isobox, useFiles } = require('./command.js');

const root = path.join(__dirname, '..', '..');

/** A copy of the package without a binary. */
function copyWithoutBinary() {
  const directory = useFiles({});
  for (const name of ['bin', 'lib', 'package.json']) {
    fs.cpSync(path.join(root, name), path.join(directory, name), { recursive: true });
  }
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(directory, 'node_modules'));
  return directory;
}

const bare = copyWithoutBinary();

test('every check passes here, and is named with what was seen', async () => {
  const { code, stdout, stderr } = await isobox(['doctor', '--json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const health = JSON.parse(stdout);
  expect(health).toMatchObject({
    ok: true,
    node: { version: process.versions.node, abi: process.versions.modules },
    v8: { version: process.versions.v8 },
    binary: { isLoaded: true },
    machine: { cores: expect.any(Number), totalMemoryBytes: expect.any(Number) },
  });
  expect(health.binary.file).toBe(builtPath(root));
  expect(health.checks.filter(({ status }) => status === 'failed')).toEqual([]);
  const names = health.checks.map(({ name }) => name);
  for (const name of ['a guest calls a tool', 'memory', 'CPU time', 'deadline of a loop']) {
    expect(names).toContain(name);
  }
  const { detail } = health.checks.find(({ name }) => name === 'guests in processes');
  expect(detail).toMatch(/^locked in by .*seccomp.*; (forked|not forked)|does not offer/);
});

test('the report for people says the same', async () => {
  const { code, stdout } = await isobox(['doctor']);
  expect(code).toBe(0);
  expect(stdout).toContain(`${process.versions.node} (ABI ${process.versions.modules}`);
  expect(stdout).toMatch(/^ok +deadline inside a builtin V8 cannot stop +answered/m);
  expect(stdout).toContain('isobox works here.');
  // eslint-disable-next-line no-control-regex
  expect(stdout).not.toMatch(/\x1b\[/);
});

test('without a binary it says what was tried and what to do, and fails', async () => {
  const bin = path.join(bare, 'bin', 'isobox.js');
  const { code, stdout, stderr } = await isobox(['doctor'], { bin });
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toMatch(/^failed +native binary/m);
  expect(stdout).toContain('no such file');
  expect(stdout).toContain(path.join('scripts', 'build.js'));
  expect(stdout).toContain('1 of 2 checks failed.');
});

test.each([
  ['run', ['run', '-']],
  ['runner', ['runner']],
  ['bench', ['bench']],
])('without a binary, %s says so and leaves with 4', async (_name, args) => {
  const bin = path.join(bare, 'bin', 'isobox.js');
  const { code, stdout, stderr } = await isobox(args, { bin, input: '1' });
  expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
  expect(stderr).toContain('isobox has no native binary for Node');
  expect(stderr).not.toContain('    at ');
});
