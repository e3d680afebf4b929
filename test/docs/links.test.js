'use strict';
// Relative links of the documentation lead to files and headings that exist.

const fs = require('node:fs');
const path = require('node:path');

const { listAnchors, listPages, readPage, root, withoutBlocks } = require('./pages.js');

/** @param {string} page */
function brokenLinks(page) {
  const text = withoutBlocks(readPage(page)).replace(/`[^`\n]*`/g, '``');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target);
  return targets.filter((target) => {
    if (/^(https?|mailto):/.test(target)) return false;
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
