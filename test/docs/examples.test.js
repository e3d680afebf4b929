'use strict';
// Every `js` block of the documentation runs, and every `expression; // value` line in it holds. Blocks that begin with
// the name of a file belong to the transcripts of docs/cli.md; `ts` blocks are signatures.

const { execFileSync } = require('node:child_process');
const vm = require('node:vm');

const { listBlocks, listPages, readPage, root } = require('./pages.js');

const FILE_NAME = /^\/\/ [\w.-]+\.[jt]s\n/;

const examples = listPages().flatMap((page) =>
  listBlocks(readPage(page))
    .filter(({ language, code }) => language === 'js' && !FILE_NAME.test(code))
    .map(({ code, line }) => [`${page}:${line}`, code]),
);

/** Lines that state a value become checks. */
function withChecks(code) {
  return code.replace(/^(\S.*); \/\/ (.+)$/gm, 'await __check(async () => ($1), () => ($2));');
}

test('there are examples', () => {
  expect(examples.length).toBeGreaterThan(30);
});

test.each(examples)('%s', async (place, code) => {
  let checks = 0;
  const __check = async (actual, expected) => {
    checks += 1;
    expect(await actual()).toEqual(expected());
  };
  const source = `(async (require, __check) => {${withChecks(code)}\n})`;
  const run = vm.runInThisContext(source, { filename: place });
  await run((name) => require(name), __check);
  expect(checks).toBeGreaterThan(0);
});

test('npm start shows what the guest found', () => {
  const output = execFileSync(process.execPath, ['examples/first-run.js'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(output).toContain('success');
  expect(output).toContain('10 plums on their way');
});
