'use strict';
// Every JavaScript example of the README runs, and every `expression; // value` line in it holds.

const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const root = path.join(__dirname, '..', '..');
const readme = fs.readFileSync(path.join(root, 'README.md'), 'utf8');
const examples = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code);

const packages = {
  isobox: () => require('../../lib/index.js'),
  'isobox/run-code': () => require('../../lib/run-code/index.js'),
};

/** Lines that state a value become checks. */
function withChecks(code) {
  return code.replace(/^(\S.*); \/\/ (.+)$/gm, '__check(() => ($1), () => ($2));');
}

test('the README has examples', () => {
  expect(examples.length).toBeGreaterThanOrEqual(3);
});

test.each(examples.map((code) => [code.split('\n').find((line) => /await .*\(/.test(line)), code]))(
  'README example: %s',
  async (_title, code) => {
    let checks = 0;
    const __check = (actual, expected) => {
      checks += 1;
      expect(actual()).toEqual(expected());
    };
    const run = vm.runInThisContext(`(async (require, __check) => {${withChecks(code)}\n})`);
    await run((name) => packages[name](), __check);
    expect(checks).toBeGreaterThan(0);
  },
);

test('npm start shows what the guest found', () => {
  const { execFileSync } = require('node:child_process');
  const output = execFileSync(process.execPath, ['examples/first-run.js'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(output).toContain('success');
  expect(output).toContain('10 plums on their way');
});
