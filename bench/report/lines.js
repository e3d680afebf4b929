'use strict';
// Lines over runs in flight, with names at their ends. Higher is better in all of them, so what V8 does alone is a ceiling.

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
} = require('./svg.js');

const HEIGHT = 280;
const AXIS = 56;
const NAMES = 150;
const NAME_HEIGHT = 16;

/**
 * Moves names apart that would cover each other, and keeps their order.
 *
 * @param {{ y: number }[]} names
 */
function spread(names) {
  names.sort((a, b) => a.y - b.y);
  for (let i = 1; i < names.length; i++) {
    names[i].y = Math.max(names[i].y, names[i - 1].y + NAME_HEIGHT);
  }
  const over = names.length > 0 ? names[names.length - 1].y - (HEAD + HEIGHT) : 0;
  if (over <= 0) return;
  names[names.length - 1].y -= over;
  for (let i = names.length - 2; i >= 0; i--) {
    names[i].y = Math.min(names[i].y, names[i + 1].y - NAME_HEIGHT);
  }
}

/**
 * @param {{ title: string, note: string, axis: string, result: import('../harness/contract.d.ts').ScenarioResult }} plot
 * the cases are numbers, at equal distances
 */
function linePlot({ title, note, axis, result }) {
  const cases = Object.keys(result).sort((a, b) => Number(a) - Number(b));
  const systems = [...new Set(cases.flatMap((caseName) => Object.keys(result[caseName])))];
  const most = Math.max(
    ...cases.flatMap((one) => Object.values(result[one]).map(({ p50 }) => p50)),
  );
  const steps = roundSteps(most);
  const left = MARGIN + AXIS;
  const right = WIDTH - MARGIN - NAMES;
  const bottom = HEAD + HEIGHT;
  const x = (/** @type {number} */ i) =>
    left + (i / Math.max(cases.length - 1, 1)) * (right - left);
  const y = (/** @type {number} */ value) => bottom - (value / steps[steps.length - 1]) * HEIGHT;
  const body = steps.flatMap((step) => [
    line(left, y(step), right, y(step)),
    label(left - 10, y(step) + 4, formatValue(step), 'muted small end'),
  ]);
  cases.forEach((caseName, i) =>
    body.push(label(x(i), bottom + 20, caseName, 'muted small middle')),
  );
  body.push(label((left + right) / 2, bottom + 40, axis, 'muted small middle'));

  const rivals = systems.filter((system) => system !== 'isobox' && system !== 'floor');
  /** @type {{ y: number, text: string, classes: string }[]} */
  const names = [];
  // isobox comes last, above the others.
  for (const system of [...rivals, 'floor', 'isobox'].filter((one) => systems.includes(one))) {
    const tone = system === 'isobox' ? 'line-0' : `line-${1 + (rivals.indexOf(system) % 5)}`;
    const points = cases
      .map((caseName, i) => ({ i, measured: result[caseName][system] }))
      .filter(({ measured }) => measured !== undefined)
      .map(({ i, measured }) => [x(i), y(measured.p50)]);
    const path = points.map((point) => point.map((at) => at.toFixed(1)).join(',')).join(' ');
    if (system === 'floor') {
      body.push(element('polyline', { points: path, class: 'line dashed line-floor' }));
    } else {
      const weight = system === 'isobox' ? 'line bold' : 'line';
      body.push(element('polyline', { points: path, class: `${weight} ${tone}` }));
      const r = system === 'isobox' ? 4 : 3;
      for (const [cx, cy] of points) {
        body.push(element('circle', { cx, cy, r, class: `${tone}-fill` }));
      }
    }
    const [, end] = points[points.length - 1];
    const text = system === 'floor' ? 'ceiling (V8 alone)' : system;
    const classes =
      system === 'floor' ? 'muted' : `${tone}-fill${system === 'isobox' ? ' strong' : ''}`;
    names.push({ y: end, text, classes });
  }
  spread(names);
  for (const name of names) body.push(label(right + 12, name.y + 4, name.text, name.classes));
  return card({ title, note, height: HEIGHT + 40, body });
}

module.exports = { linePlot };
