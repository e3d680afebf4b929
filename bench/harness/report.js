'use strict';
// Results as text.

/**
 * @param {number} value
 * @returns {string} with three figures that count, as far as a table needs them
 */
function formatNumber(value) {
  if (value >= 100) return value.toFixed(0);
  return value.toPrecision(3);
}

/** @param {number} part */
const formatPercent = (part) => `${(part * 100).toFixed(part < 0.1 ? 1 : 0)} %`;

/**
 * @param {string[][]} rows the first one is the header; the first column is text, the others are numbers
 * @returns {string}
 */
function formatTable(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const align = (/** @type {string} */ cell, /** @type {number} */ column) =>
    column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]);
  return rows.map((row) => `  ${row.map(align).join('  ').trimEnd()}`).join('\n');
}

/**
 * @param {string} name
 * @param {import('./contract.d.ts').Scenario} scenario
 * @param {import('./contract.d.ts').ScenarioResult} result
 * @param {Map<string, string>} failures
 */
function formatScenario(name, { title, unit, better, cases }, result, failures) {
  const lines = [`${name}: ${title} (${unit}, ${better} is better)`];
  for (const caseName of cases) {
    const rows = Object.entries(result[caseName]).map(([system, { p50, p95, spread, ratio }]) => [
      system,
      formatNumber(p50),
      formatNumber(p95),
      formatPercent(spread),
      ratio === null ? '-' : formatNumber(ratio),
    ]);
    const label = cases.length > 1 ? caseName : '';
    lines.push(formatTable([[label, 'p50', 'p95', 'spread', 'x isobox'], ...rows]));
  }
  for (const [system, reason] of failures) {
    lines.push(`  ${system}: not measured: ${reason.split('\n')[0]}`);
  }
  return lines.join('\n');
}

module.exports = { formatNumber, formatPercent, formatScenario, formatTable };
