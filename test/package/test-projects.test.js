'use strict';
// Every test belongs to one project of Jest, and every project has a command. The project `process` runs some of them a
// second time.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '..', '..');
const { projects } = require('../../jest.config.js');
const { scripts } = require('../../package.json');

const names = /** @type {{ displayName: string }[]} */ (projects).map(
  ({ displayName }) => displayName,
);

test('every file of tests belongs to one project', () => {
  const jest = path.join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const listed = names
    .filter((name) => name !== 'process')
    .flatMap((name) => {
      const args = [jest, '--selectProjects', name, '--listTests', '--json'];
      const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
      const files = JSON.parse(stdout.slice(stdout.indexOf('[')));
      expect(files.length).toBeGreaterThan(0);
      return files.map((file) => path.relative(root, file));
    });
  const there = fs
    .readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => path.join('test', name));
  expect(listed.sort()).toEqual(there.sort());
});

test('every project has a command, which CI runs', () => {
  const ci = fs.readFileSync(path.join(root, '.ci', 'run'), 'utf8');
  for (const name of names) {
    const command = name === 'main' ? 'test' : `test:${name}`;
    // The last option ends the list of projects, so that what is added names files.
    const line = `--selectProjects ${name} --config jest.config.js`;
    expect([`jest ${line}`, `jest --runInBand ${line}`]).toContain(scripts[command]);
    expect(ci).toMatch(new RegExp(`\\b${name}\\b`));
  }
});
