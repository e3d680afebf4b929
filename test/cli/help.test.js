'use strict';

const { spawnSync } = require('node:child_process');

const { version } = require('../../package.json');
const { BIN, isobox } = require('./command.js');

const COMMANDS = ['run', 'runner', 'mcp', 'bench', 'doctor'];

test('--help names every command, shows examples and the exit codes', async () => {
  const { code, stdout, stderr } = await isobox(['--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const name of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
  expect(stdout).toContain('Examples:');
  expect(stdout).toContain('Exit codes:');
});

test.each(COMMANDS)('the help of %s teaches by example', async (name) => {
  const [byOption, byCommand] = await Promise.all([
    isobox([name, '--help']),
    isobox(['help', name]),
  ]);
  expect(byOption).toMatchObject({ code: 0, stderr: '' });
  expect(byOption.stdout).toMatch(name === 'mcp' ? /mcpServers/ : /Examples?:/);
  expect(byCommand.stdout).toBe(byOption.stdout);
});

test('--version is that of the package', async () => {
  expect(await isobox(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n` });
});

test('without a command, the help goes to standard error', async () => {
  const { code, stdout, stderr } = await isobox([]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('Usage: isobox');
});

test.each([
  ['a misspelt command', ['runer'], 'Did you mean run'],
  ['a misspelt option', ['run', 'x.js', '--tiemout', '5'], 'Did you mean --timeout?'],
  ['an unknown option', ['doctor', '--frobnicate'], "unknown option '--frobnicate'"],
  ['a missing argument', ['run'], "missing required argument 'file'"],
  ['an argument too many', ['run', 'a', 'b'], 'too many arguments'],
])('%s is a usage error that helps', async (_name, args, text) => {
  const { code, stdout, stderr } = await isobox(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(text);
  expect(stderr).toContain('--help');
});

test('help needs neither the addon nor the library', () => {
  const program = `
    process.on('exit', () => console.error(JSON.stringify(Object.keys(require.cache))));
    require(${JSON.stringify(BIN)});
  `;
  const { stderr } = spawnSync(process.execPath, ['-e', program, BIN, '--help'], {
    encoding: 'utf8',
  });
  const files = JSON.parse(stderr.trim().split('\n').at(-1));
  const own = files.filter((file) => file.includes('/lib/') && !file.includes('node_modules'));
  expect(own.length).toBeGreaterThan(3);
  expect(own.filter((file) => !file.includes('/lib/cli/'))).toEqual([]);
  expect(files.filter((file) => file.endsWith('.node'))).toEqual([]);
});
