'use strict';
// The plots of docs/performance.md, by file name.

const { barPlot } = require('./bars.js');
const { linePlot } = require('./lines.js');
const { stripPlot } = require('./strips.js');

/** @typedef {import('../harness/contract.d.ts').ScenarioResult} ScenarioResult */

/** Guest and host share everything there: no border to compare with. It is in the tables. */
const NO_BORDER = 'node:vm';

/**
 * @param {ScenarioResult} result
 * @returns {ScenarioResult} what can be compared; without cases that nobody was measured in
 */
function comparable(result) {
  return Object.fromEntries(
    Object.entries(result)
      .map(([caseName, systems]) => [
        caseName,
        Object.fromEntries(Object.entries(systems).filter(([system]) => system !== NO_BORDER)),
      ])
      .filter(([, systems]) => Object.keys(systems).length > 0),
  );
}

/** @type {{ file: string, scenario: string, draw: (result: ScenarioResult) => string }[]} */
const PLOTS = [
  {
    file: 'warm-run.svg',
    scenario: 'warm-run',
    draw: ({ run }) =>
      stripPlot({
        title: 'A warm run in a fresh isolate',
        note: 'Time until the answer: p50, the middle half, and p1 to p99. Logarithmic; left is better.',
        unit: 'µs',
        systems: run,
      }),
  },
  {
    file: 'host-call.svg',
    scenario: 'host-call',
    draw: (result) =>
      barPlot({
        title: 'A guest awaits an async host function',
        note: 'Median time per call. Shorter is better.',
        unit: 'µs',
        result,
      }),
  },
  {
    file: 'throughput.svg',
    scenario: 'throughput',
    draw: (result) =>
      linePlot({
        title: 'Fresh isolates per second',
        note: 'Runs/s by runs in flight, preparation and clean-up included. Higher is better.',
        axis: 'runs in flight',
        result,
      }),
  },
  {
    file: 'warm-memory.svg',
    scenario: 'warm-memory',
    draw: (result) =>
      barPlot({
        title: 'Memory of an isolate that is ready',
        note: 'RSS per unused isolate. Shorter is better.',
        unit: 'MiB',
        result,
      }),
  },
  {
    file: 'payload.svg',
    scenario: 'payload',
    draw: (result) =>
      barPlot({
        title: '1 MB to the host and back',
        note: 'Median time of a round trip. Shorter is better.',
        unit: 'ms',
        result,
      }),
  },
];

/**
 * @param {import('../harness/contract.d.ts').Results['scenarios']} scenarios
 * @returns {{ file: string, scenario: string, svg: string }[]} of what was measured
 */
function drawPlots(scenarios) {
  return PLOTS.flatMap(({ file, scenario, draw }) => {
    const result = comparable(scenarios[scenario] ?? {});
    if (Object.keys(result).length === 0) return [];
    return [{ file, scenario, svg: draw(result) }];
  });
}

module.exports = { drawPlots };
