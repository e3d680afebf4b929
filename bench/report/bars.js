'use strict';
// Bars from zero, one group for each case: for what is compared by its size.

const {
  HEAD,
  MARGIN,
  WIDTH,
  card,
  element,
  formatValue,
  label,
  line,
  roundSteps,
  toneOf,
} = require('./svg.js');

const NAMES = 170;
const VALUES = 110;
const ROW = 26;
const BAR = 16;
const GAP = 16;

/**
 * @param {{ title: string, note: string, unit: string, result: import('../harness/contract.d.ts').ScenarioResult }} plot
 */
function barPlot({ title, note, unit, result }) {
  const groups = Object.entries(result).filter(([, systems]) => Object.keys(systems).length > 0);
  const left = MARGIN + NAMES;
  const width = WIDTH - left - MARGIN - VALUES;
  const body = [];
  let y = HEAD;
  for (const [caseName, systems] of groups) {
    const rows = Object.entries(systems).sort(([, a], [, b]) => a.p50 - b.p50);
    const steps = roundSteps(Math.max(...rows.map(([, { p50 }]) => p50)));
    const x = (/** @type {number} */ value) => left + (value / steps[steps.length - 1]) * width;
    if (groups.length > 1) {
      body.push(label(MARGIN, y + 14, caseName, 'ink strong'));
      y += 26;
    }
    if (rows.some(([system, { ratio }]) => system !== 'isobox' && ratio !== null)) {
      body.push(label(WIDTH - MARGIN, y - 4, 'times isobox’s', 'muted small end'));
    }
    const bottom = y + rows.length * ROW;
    for (const step of steps) {
      body.push(line(x(step), y, x(step), bottom));
      const mark = step === 0 ? '0' : `${formatValue(step)} ${unit}`;
      body.push(label(x(step), bottom + 16, mark, 'muted small middle'));
    }
    for (const [system, { p50, ratio }] of rows) {
      const isOwn = system === 'isobox';
      const middle = y + ROW / 2;
      body.push(label(left - 10, middle + 4, system, isOwn ? 'ink strong end' : 'ink end'));
      body.push(
        element('rect', {
          x: left,
          y: middle - BAR / 2,
          width: Math.max(x(p50) - left, 1),
          height: BAR,
          rx: 2,
          class: toneOf(system),
        }),
      );
      const value = formatValue(p50);
      body.push(label(x(p50) + 8, middle + 4, value, isOwn ? 'ink strong' : 'ink'));
      if (!isOwn && ratio !== null) {
        body.push(label(WIDTH - MARGIN, middle + 4, `${formatValue(ratio, 2)} ×`, 'muted end'));
      }
      y += ROW;
    }
    y = bottom + 24 + GAP;
  }
  return card({ title, note, height: y - GAP - 10 - HEAD, body });
}

module.exports = { barPlot };
