'use strict';
// The reports of one run, with a bound on what they keep in the host's memory.

const { types } = require('node:util');

const { MAX_REPORTS, MAX_REPORT_BYTES } = require('./limits.js');

// What an object or a primitive takes beside its characters and bytes, roughly.
const CELL_BYTES = 16;

/**
 * Roughly what a value that came from a guest takes. Values are trees here, but for references they share, which are
 * counted once.
 *
 * @param {unknown} root
 * @param {number} enough counting stops here
 */
function roughBytes(root, enough) {
  const seen = new Set();
  const open = [root];
  let bytes = 0;
  while (open.length > 0 && bytes < enough) {
    const value = open.pop();
    bytes += CELL_BYTES;
    if (typeof value === 'string') bytes += value.length;
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    if (ArrayBuffer.isView(value) || types.isArrayBuffer(value)) {
      bytes += value.byteLength;
    } else if (types.isMap(value)) {
      for (const entry of value) open.push(...entry);
    } else if (types.isSet(value)) {
      for (const member of value) open.push(member);
    } else {
      for (const key of Object.keys(value)) {
        bytes += key.length;
        open.push(/** @type {Record<string, unknown>} */ (value)[key]);
      }
    }
  }
  return bytes;
}

class ReportLog {
  #bytes = 0;

  /** @param {unknown[]} reports the live array */
  constructor(reports) {
    this.reports = reports;
  }

  /**
   * @param {unknown} value
   * @returns {string | undefined} which bound it broke
   */
  add(value) {
    if (this.reports.length >= MAX_REPORTS) return `more than ${MAX_REPORTS} reports`;
    this.#bytes += roughBytes(value, MAX_REPORT_BYTES + 1);
    if (this.#bytes > MAX_REPORT_BYTES) return `more than ${MAX_REPORT_BYTES} bytes of reports`;
    this.reports.push(value);
    return undefined;
  }
}

module.exports = { ReportLog };
