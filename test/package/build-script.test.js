'use strict';

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const script = path.join(__dirname, '..', '..', 'scripts', 'build.js');

const runBuild = (args, env = {}) =>
  spawnSync(process.execPath, [script, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    timeout: 20_000,
  });

test('missing tools are named, with the packages that bring them', () => {
  const empty = fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-path-'));
  try {
    const { status, stderr } = runBuild([], { PATH: empty });
    expect(status).toBe(1);
    for (const word of ['cmake', 'make or ninja', 'C++20 compiler', 'apt-get install']) {
      expect(stderr).toContain(word);
    }
  } finally {
    fs.rmSync(empty, { recursive: true });
  }
});

test('an unknown argument is refused', () => {
  const { status, stderr } = runBuild(['--debug']);
  expect(status).toBe(1);
  expect(stderr).toContain('--debug');
});
