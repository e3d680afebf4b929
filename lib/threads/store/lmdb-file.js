'use strict';
// Looks at the file of a store before LMDB does: it maps the file into memory, and what is no store, or is cut short, would end
// the process.

const { Buffer } = require('node:buffer');
const fs = require('node:fs');

/** LMDB takes the system's, from the least to the largest there is. */
const PAGE_BYTES = [4096, 8192, 16_384, 32_768, 65_536];
const HEAD_BYTES = 160;
const MAGIC = 0xbeefc0de;
// The file begins with two pages that say what it is; the younger one counts. Offsets in such a page:
const AT_MAGIC = 24;
const AT_PAGE_BYTES = 48;
const AT_LAST_PAGE = 144;
const AT_TRANSACTION = 152;

/**
 * @param {string} file
 * @throws {Error} when it is there, and is not what LMDB has written
 */
function checkFile(file) {
  if (!fs.existsSync(file) || fs.statSync(file).size === 0) return;
  const { size } = fs.statSync(file);
  const heads = readHeads(file);
  if (heads.length === 0) throw new Error(`${file} is not a store`);
  const { lastPage, pageBytes } = heads.sort((a, b) => b.transaction - a.transaction)[0];
  const wanted = (lastPage + 1) * pageBytes;
  if (size < wanted) throw new Error(`${file} is cut short: ${size} of ${wanted} bytes are there`);
}

/** @param {string} file */
function readHeads(file) {
  const descriptor = fs.openSync(file, 'r');
  try {
    return [0, ...PAGE_BYTES].flatMap((offset) => {
      const head = Buffer.alloc(HEAD_BYTES);
      fs.readSync(descriptor, head, 0, HEAD_BYTES, offset);
      const pageBytes = head.readUInt32LE(AT_PAGE_BYTES);
      const isHead = head.readUInt32LE(AT_MAGIC) === MAGIC && PAGE_BYTES.includes(pageBytes);
      if (!isHead || (offset !== 0 && offset !== pageBytes)) return [];
      return {
        pageBytes,
        lastPage: Number(head.readBigUInt64LE(AT_LAST_PAGE)),
        transaction: Number(head.readBigUInt64LE(AT_TRANSACTION)),
      };
    });
  } finally {
    fs.closeSync(descriptor);
  }
}

module.exports = { checkFile };
