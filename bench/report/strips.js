'use strict';
// Distributions on a logarithmic axis: for times that differ by orders of magnitude.

const {
  HEAD,
  MARGIN,
  WIDTH,
  card,
  element,
  formatValue,
  label,
  line,
  logarithmicSteps,
  toneOf,
} = require('./svg.js');

const NAMES = 170;
const VALUES = 90;
const ROW = 34;
const BOX = 14;

/**
 * A thin line from p1 to p99, a box from p25 to p75, and p50 in figures.
 *
 * @param {{ title: string, note: string, unit: string, systems: Record<string, import('../harness/contract.d.ts').Measured> }} plot
 */
function stripPlot({ title, note, unit, systems }) {
  const rows = Object.entries(systems).sort(([, a], [, b]) => a.p50 - b.p50);
  const first = Math.min(...rows.map(([, { p1 }]) => p1)) / 1.5;
  const last = Math.max(...rows.map(([, { p99 }]) => p99)) * 1.2;
  const left = MARGIN + NAMES;
  const width = WIDTH - left - MARGIN - VALUES;
  const x = (/** @type {number} */ value) =>
    left + (Math.log(value / first) / Math.log(last / first)) * width;
  const bottom = HEAD + rows.length * ROW;
  const body = logarithmicSteps(first, last).flatMap((mark) => [
    line(x(mark), HEAD, x(mark), bottom),
    label(x(mark), bottom + 18, formatValue(mark), 'muted small middle'),
  ]);
  body.push(label(WIDTH - MARGIN, bottom + 18, unit, 'muted small end'));
  rows.forEach(([system, { p1, p25, p50, p75, p99 }], i) => {
    const isOwn = system === 'isobox';
    const tone = toneOf(system);
    const middle = HEAD + i * ROW + ROW / 2;
    const bar = (
      /** @type {number} */ from,
      /** @type {number} */ to,
      /** @type {number} */ height,
    ) =>
      element('rect', {
        x: x(from),
        y: middle - height / 2,
        width: Math.max(x(to) - x(from), 2),
        height,
        rx: Math.min(2, height / 2),
        class: tone,
      });
    body.push(label(left - 10, middle + 4, system, isOwn ? 'ink strong end' : 'ink end'));
    body.push(bar(p1, p99, 3), bar(p25, p75, BOX));
    body.push(
      element('rect', { x: x(p50) - 1.5, y: middle - 10, width: 3, height: 20, class: 'ink' }),
    );
    const text = `${formatValue(p50)} ${unit}`;
    body.push(label(WIDTH - MARGIN, middle + 4, text, isOwn ? 'ink strong end' : 'ink end'));
  });
  return card({ title, note, height: bottom + 18 - HEAD, body });
}

module.exports = { stripPlot };
