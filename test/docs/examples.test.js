'use strict';
// Every `js` block of the documentation runs as a reader would run it: pasted into a file, with `node example.mjs`, in a
// project that has isobox and what its page says to install. It prints what its lines of the form `console.log(…); // text`
// say. Blocks that begin with the name of a file belong to the transcripts of docs/cli.md; `ts` blocks are signatures.

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { runNode } = require('../support/child.js');
const { listBlocks, listPages, readPage, root } = require('./pages.js');
const { makeProject } = require('./reader-project.js');

const FILE_NAME = /^\/\/ [\w.-]+\.[jt]s\n/;

const examples = listPages().flatMap((page) =>
  listBlocks(readPage(page))
    .filter(({ language, code }) => language === 'js' && !FILE_NAME.test(code))
    .map(({ code, line }) => ({ page, place: `${page}:${line}`, code })),
);

/** @param {string} code @returns {string[]} the packages it needs beside isobox */
function packagesOf(code) {
  const names = [...code.matchAll(/^import .* from '([^']+)';$|^} from '([^']+)';$/gm)].map(
    (match) => match[1] ?? match[2],
  );
  // The peer that threads keep their data with.
  if (names.includes('isobox/threads')) names.push('lmdb');
  // What the executor bundles packages with, and reads their names with.
  if (names.includes('isobox/tpmjs')) names.push('esbuild', 'npm-package-arg');
  return names
    .filter((name) => !name.startsWith('node:') && !/^isobox(?:\/|$)/.test(name))
    .map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    );
}

/** @param {string} page @returns {Set<string>} what it says to install */
function installedBy(page) {
  const commands = [...readPage(page).matchAll(/npm install ([^\n`]*)/g)].map((match) => match[1]);
  return new Set(commands.flatMap((names) => names.trim().split(/\s+/)));
}

/** @param {string} text */
const inOneLine = (text) => text.replace(/\s+/g, ' ').trim();

const everything = [...new Set(examples.flatMap(({ code }) => packagesOf(code)))];
/** @type {{ bare: string, full: string }} */
let projects;

beforeAll(() => {
  projects = { bare: makeProject(), full: makeProject(everything) };
}, 60_000);

afterAll(() => {
  for (const project of Object.values(projects)) fs.rmSync(project, { recursive: true });
});

test('there are examples', () => {
  expect(examples.length).toBeGreaterThan(50);
});

test.each(examples.map((example) => [example.place, example]))('%s', async (place, example) => {
  const { page, code } = example;
  const packages = packagesOf(code);
  expect([...installedBy(page)]).toEqual(expect.arrayContaining(packages));
  const cwd = packages.length === 0 ? projects.bare : projects.full;
  const file = path.join(cwd, `${place.replace(/\W+/g, '-')}.mjs`);
  fs.writeFileSync(file, code);
  const { code: status, stdout, stderr } = await runNode([file], { cwd });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const printed = inOneLine(stdout);
  const expected = [...code.matchAll(/^console\.log\(.*\); \/\/ (.+)$/gm)].map(([, text]) => text);
  expect(expected.length).toBeGreaterThan(0);
  let from = 0;
  for (const text of expected) {
    const at = printed.indexOf(inOneLine(text), from);
    expect({ printed: at < 0 ? printed.slice(from) : text }).toEqual({ printed: text });
    from = at + inOneLine(text).length;
  }
});

test('npm start shows what the guest found', () => {
  const output = execFileSync(process.execPath, ['examples/first-run.js'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(output).toContain('success');
  expect(output).toContain('10 plums on their way');
});
