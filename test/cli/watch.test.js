'use strict';
// `isobox run --watch`: again with every change, until it is told to stop.

const fs = require('node:fs');
const path = require('node:path');

const { isobox, useFiles } = require('./command.js');

const cwd = useFiles({
  'guest.ts': 'console.log("first"); await shop.price(1)',
  'shop.ts': 'export const price = (n: number): number => n * 10;',
  'endless.ts': 'console.log("endless"); for (;;);',
});

/** Runs a step for each time that one of the streams has said something new. */
function inSteps(child, steps) {
  let seen = '';
  const look = (text) => {
    seen += text;
    while (steps.length > 0 && steps[0][0].test(seen)) {
      seen = '';
      steps.shift()[1](child);
    }
  };
  child.stdout.on('data', look);
  child.stderr.on('data', look);
}

const write = (name, text) => fs.writeFileSync(path.join(cwd, name), text);
const WAITS = /waits for changes/;

test('a file runs again when it or its tools change, and is stopped when it still runs', async () => {
  const args = ['run', '--watch', 'guest.ts', '--tool', 'shop=./shop.ts', '--timeout', '15000'];
  const { code, stdout, stderr } = await isobox(args, {
    cwd,
    onStart: (child) =>
      inSteps(child, [
        [WAITS, () => write('guest.ts', 'console.log("second"); await shop.price(2)')],
        [
          WAITS,
          () => write('shop.ts', 'export const price = (n: number): string => `${n} plums`;'),
        ],
        [WAITS, () => write('guest.ts', 'throw new Error("third")')],
        [WAITS, () => write('guest.ts', 'console.log("endless"); for (;;);')],
        [/endless/, () => write('guest.ts', '"last"')],
        [WAITS, () => child.kill('SIGTERM')],
      ]),
  });
  expect(code).toBe(143);
  expect(stdout).toBe('10\n20\n2 plums\nlast\n');
  expect(stderr).toMatch(/first[^]*second[^]*Error: third[^]*endless[^]*Stopped by SIGTERM/);
});

test('a signal ends the guest that runs', async () => {
  const { code, stdout } = await isobox(['run', '--watch', 'endless.ts', '--timeout', '15000'], {
    cwd,
    onStart: (child) => inSteps(child, [[/endless/, () => child.kill('SIGINT')]]),
  });
  expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
});

test.each([
  ['standard input', ['-', '--watch']],
  ['nothing', ['--watch']],
])('%s cannot be watched', async (_name, args) => {
  expect(await isobox(['run', ...args], { cwd })).toMatchObject({ code: 2, stdout: '' });
});
