'use strict';
// The reports of one run, with a bound on what they keep in the host's memory.

const { MAX_REPORTS, MAX_REPORT_BYTES } = require('./limits.js');

class ReportLog {
  #bytes = 0;

  /** @param {unknown[]} reports the live array */
  constructor(reports) {
    this.reports = reports;
  }

  /**
   * @param {unknown} value
   * @param {number} bytes what it takes
   * @returns {string | undefined} which bound it broke
   */
  add(value, bytes) {
    if (this.reports.length >= MAX_REPORTS) return `more than ${MAX_REPORTS} reports`;
    this.#bytes += bytes;
    if (this.#bytes > MAX_REPORT_BYTES) return `more than ${MAX_REPORT_BYTES} bytes of reports`;
    this.reports.push(value);
    return undefined;
  }
}

module.exports = { ReportLog };
