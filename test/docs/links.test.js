'use strict';
// Relative links of the documentation lead to files and headings that exist.

const fs = require('node:fs');
const path = require('node:path');

const { listAnchors, listPages, readPage, root, withoutBlocks } = require('./pages.js');
const { listPackedFiles } = require('../../scripts/release.js');

/** @param {string} page @returns {string[]} the relative targets of its links */
function linksOf(page) {
  const text = withoutBlocks(readPage(page)).replace(/`[^`\n]*`/g, '``');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target)
    .filter((target) => !/^(https?|mailto):/.test(target));
}

/** @param {string} page */
function brokenLinks(page) {
  return linksOf(page).filter((target) => {
    const [file, anchor] = target.split('#');
    const to = file === '' ? page : path.posix.join(path.posix.dirname(page), file);
    if (!fs.existsSync(path.join(root, to))) return true;
    return anchor !== undefined && !listAnchors(readPage(to)).has(anchor);
  });
}

test.each(listPages())('the links of %s', (page) => {
  expect(brokenLinks(page)).toEqual([]);
});

test('docs/README.md leads to every page of docs/', () => {
  const index = readPage('docs/README.md');
  const missing = listPages()
    .filter((page) => page.startsWith('docs/') && page !== 'docs/README.md')
    .filter((page) => !index.includes(`](${path.posix.basename(page)}`));
  expect(missing).toEqual([]);
});

test('the package has its documentation, with all that it leads to', () => {
  const packed = listPackedFiles();
  const has = (file) =>
    packed.some((one) => one === file || one.startsWith(`${file.replace(/\/$/, '')}/`));
  const pages = [...listPages().filter((page) => page !== 'bench/README.md'), 'llms.txt'];
  expect(pages.filter((page) => !has(page))).toEqual([]);
  const lost = pages.flatMap((page) =>
    linksOf(page)
      .map((target) => target.split('#')[0])
      .filter((file) => file !== '')
      .map((file) => path.posix.join(path.posix.dirname(page), file))
      .filter((file) => !has(file))
      .map((file) => `${page}: ${file}`),
  );
  expect(lost).toEqual([]);
});

test('the links of llms.txt', () => {
  expect(brokenLinks('llms.txt')).toEqual([]);
});
