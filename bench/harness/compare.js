'use strict';
// What changed since an earlier run, beyond the noise of both.

const { formatNumber, formatTable } = require('./report.js');

// Changes below this are noise, however calm the blocks were.
const LEAST_CHANGE = 0.05;

/**
 * @param {import('./contract.d.ts').Results} before
 * @param {import('./contract.d.ts').Results} now
 * @returns {string}
 */
function formatChanges(before, now) {
  const rows = [];
  for (const [scenario, cases] of Object.entries(now.scenarios)) {
    for (const [caseName, systems] of Object.entries(cases)) {
      for (const [system, measured] of Object.entries(systems)) {
        const earlier = before.scenarios[scenario]?.[caseName]?.[system];
        if (earlier === undefined) continue;
        const change = measured.p50 / earlier.p50 - 1;
        if (Math.abs(change) < LEAST_CHANGE + measured.spread + earlier.spread) continue;
        rows.push([
          `${scenario}, ${caseName}: ${system}`,
          formatNumber(earlier.p50),
          formatNumber(measured.p50),
          `${change > 0 ? '+' : ''}${(change * 100).toFixed(0)} %`,
        ]);
      }
    }
  }
  const head = `compared with Node ${before.node} on ${before.cpu}, ${before.cores} cores:`;
  if (rows.length === 0) return `${head} no change beyond noise`;
  return `${head}\n${formatTable([['p50', 'before', 'now', 'change'], ...rows])}`;
}

module.exports = { formatChanges };
