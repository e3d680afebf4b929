'use strict';
// The pages of documentation, and what is in them.

const fs = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '..', '..');

/** @returns {string[]} every page that people read, by its path from the root */
function listPages() {
  const below = (/** @type {string} */ folder) =>
    fs
      .readdirSync(path.join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => path.posix.join(folder, name));
  return [...below('.'), ...below('docs'), 'bench/README.md'];
}

/** @param {string} page */
const readPage = (page) => fs.readFileSync(path.join(root, page), 'utf8');

/**
 * @param {string} text
 * @returns {{ language: string, code: string, line: number }[]} its code blocks
 */
function listBlocks(text) {
  return [...text.matchAll(/^(`{3,})(\w*)\n([\s\S]*?)^\1$/gm)].map((match) => ({
    language: match[2],
    code: match[3],
    line: text.slice(0, match.index).split('\n').length,
  }));
}

/** @param {string} text */
const withoutBlocks = (text) => text.replace(/^(`{3,})\w*\n[\s\S]*?^\1$/gm, '');

/**
 * @param {string} text
 * @returns {Set<string>} the anchors of its headings, as GitHub makes them
 */
function listAnchors(text) {
  const anchors = new Set();
  for (const [, heading] of withoutBlocks(text).matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
    let unique = anchor;
    for (let i = 1; anchors.has(unique); i++) unique = `${anchor}-${i}`;
    anchors.add(unique);
  }
  return anchors;
}

module.exports = { listAnchors, listBlocks, listPages, readPage, root, withoutBlocks };
