'use strict';
// `isobox completion`: scripts that know every command and option.

const { spawnSync } = require('node:child_process');

const { createProgram } = require('../../lib/cli/index.js');
const { isobox } = require('./command.js');

const commands = createProgram().commands;

/** What bash would offer for a line. */
async function complete(...words) {
  const { stdout: script } = await isobox(['completion', 'bash']);
  const line = words.map((word) => JSON.stringify(word)).join(' ');
  const { stdout, stderr } = spawnSync(
    'bash',
    [
      '-c',
      `${script}\nCOMP_WORDS=(isobox ${line}); COMP_CWORD=${words.length}; _isobox; echo "\${COMPREPLY[@]}"`,
    ],
    { encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  return stdout.trim().split(' ');
}

test('bash completes commands, options and shells', async () => {
  expect(await complete('ru')).toEqual(['run', 'runner']);
  expect(await complete('run', '--t')).toEqual(['--tool', '--timeout']);
  expect(await complete('mcp', '--tool')).toEqual(['--tool-chain']);
  expect(await complete('help', 'doc')).toEqual(['doctor']);
  expect(await complete('completion', '')).toEqual(['bash', 'zsh', 'fish']);
  expect(await complete('run', 'guest')).toEqual(['']);
});

test.each(['bash', 'zsh', 'fish'])('%s knows every command and option', async (shell) => {
  const { code, stdout, stderr } = await isobox(['completion', shell]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const command of commands) {
    expect(stdout).toMatch(new RegExp(`\\b${command.name()}\\b`));
    for (const { long } of command.options) {
      expect(stdout).toContain(shell === 'fish' ? `-l ${long?.slice(2)} ` : String(long));
    }
  }
});

test('another shell is a usage error that names those there are', async () => {
  expect(await isobox(['completion', 'tcsh'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('bash, zsh, fish'),
  });
});
