'use strict';
// Every example of docs/cli.md that shows its output does what it shows, and the options are those of the help.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { createProgram } = require('../../lib/cli/index.js');
const { EXIT } = require('../../lib/cli/exit-codes.js');
const { BIN, useFiles } = require('./command.js');

const docs = path.join(__dirname, '..', '..', 'docs');
const text = fs.readFileSync(path.join(docs, 'cli.md'), 'utf8');
/** Commands whose options have a page of their own. */
const PAGES = /** @type {Record<string, string>} */ ({ runner: 'runner.md', tpmjs: 'tpmjs.md' });

/** Files of the examples: blocks whose first line is a comment with the name. */
const files = Object.fromEntries(
  [...text.matchAll(/```(?:js|ts)\n\/\/ (\S+)\n([\s\S]*?)```/g)].map(([block, name]) => [
    name,
    block.replace(/^```\w+\n|```$/g, ''),
  ]),
);
const transcripts = [...text.matchAll(/```sh\n\$ (.*)\n([\s\S]*?)```/g)].map(
  ([, command, output]) => [command, output],
);

const cwd = useFiles({
  ...files,
  'bin/isobox': `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`,
  'bin/node': `#!/bin/sh\nexec "${process.execPath}" "$@"\n`,
});
for (const name of ['isobox', 'node']) fs.chmodSync(path.join(cwd, 'bin', name), 0o755);

test('there are examples', () => {
  expect(Object.keys(files).sort()).toEqual(['guest.ts', 'shop.js']);
  expect(transcripts.length).toBeGreaterThanOrEqual(4);
});

test.each(transcripts)('$ %s', (command, output) => {
  const { stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd,
    encoding: 'utf8',
    timeout: 20_000,
    env: { ...process.env, PATH: `${path.join(cwd, 'bin')}:${process.env.PATH}` },
  });
  expect(stdout + stderr).toBe(output);
});

test('every command and every option is documented', () => {
  const program = createProgram();
  for (const command of program.commands) {
    const name = command.name();
    expect(text).toContain(`\`${name}\``);
    if (name === 'mcp') continue; // docs/mcp.md
    const page = name in PAGES ? fs.readFileSync(path.join(docs, PAGES[name]), 'utf8') : text;
    for (const { long } of command.options) expect(page).toContain(long);
  }
});

test('every exit code is documented', () => {
  for (const code of Object.values(EXIT)) {
    expect(text).toMatch(new RegExp(`^\\| ${code} +\\|`, 'm'));
  }
});
