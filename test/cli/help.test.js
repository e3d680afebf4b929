'use strict';

const { spawnSync } = require('node:child_process');
const path = require('node:path');

const { version } = require('../../package.json');
const { BIN, isobox } = require('./command.js');

const COMMANDS = [
  'run',
  'repl',
  'runner',
  'mcp',
  'threads',
  'tpmjs',
  'bench',
  'doctor',
  'completion',
];

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

describe('a reader that has had enough is no error', () => {
  const commands = [
    ['--help'],
    ['--version'],
    ['help', 'run'],
    ...COMMANDS.map((name) => [name, '--help']),
    ['completion', 'bash'],
    ['doctor', '--json'],
    ['bench', '--seconds', '0.05', '--json'],
    ['run', '-e', '"x".repeat(5_000_000)'],
    ['run', '--json', '-e', '"x".repeat(5_000_000)'],
  ];
  test.each(commands)('isobox %s %s %s %s', async (...args) => {
    const given = args.filter((one) => one !== undefined);
    const { code, signal, stderr } = await isobox(given, {
      onStart: (child) => child.stdout.destroy(),
    });
    expect({ code, signal }).toEqual({ code: 0, signal: null });
    expect(stderr).not.toMatch(/EPIPE|Error|at /);
  });

  test('nor is one of the errors', async () => {
    const { signal, stdout } = await isobox(['run', '-e', 'for (;;) console.log("x")'], {
      onStart: (child) => child.stderr.once('data', () => child.stderr.destroy()),
    });
    expect({ signal, stdout }).toEqual({ signal: null, stdout: '' });
  });

  test('in a pipe of a shell', () => {
    const { stdout, stderr, status } = spawnSync(
      '/bin/sh',
      ['-c', '"$0" "$1" --help | head -1', process.execPath, BIN],
      { encoding: 'utf8' },
    );
    expect({ stdout, stderr, status }).toEqual({
      stdout: 'Usage: isobox [options] [command]\n',
      stderr: '',
      status: 0,
    });
  });
});

test('help needs neither the addon nor the library, but for the table of limits', () => {
  const program = `
    process.on('exit', () => console.error(JSON.stringify(Object.keys(require.cache))));
    require(${JSON.stringify(BIN)});
  `;
  const { stderr } = spawnSync(process.execPath, ['-e', program, BIN, '--help'], {
    encoding: 'utf8',
  });
  const files = JSON.parse(String(stderr.trim().split('\n').at(-1)));
  const lib = path.join(BIN, '..', '..', 'lib');
  const own = files.flatMap((file) => (file.startsWith(lib) ? [path.relative(lib, file)] : []));
  expect(own.length).toBeGreaterThan(3);
  expect(own.filter((file) => !file.startsWith('cli')).sort()).toEqual([
    'checks/options.js',
    'limits.js',
  ]);
  expect(files.filter((file) => file.endsWith('.node'))).toEqual([]);
});
