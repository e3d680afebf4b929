'use strict';
// What isobox is meant to reach on Node 24, most of it as ratios within one run of the benchmarks.

const { formatNumber, formatTable } = require('./harness/report.js');

/**
 * @typedef {object} Aim
 * @property {string} text
 * @property {string} scenario
 * @property {string} caseName
 * @property {string[]} rivals ways of doing the same; the best one counts
 * @property {number} atMost isobox's cost as a part of the rival's
 * @property {'share' | 'addition'} [cost] `addition`: what isobox adds to it, in the scenario's unit. Default: `share`
 */

/** @type {Aim[]} */
const aims = [
  {
    text: 'warm run at most 1/15 of isolated-vm',
    scenario: 'warm-run',
    caseName: 'run',
    rivals: ['isolated-vm', 'isolated-vm (sync)'],
    atMost: 1 / 15,
  },
  {
    text: 'warm run below raw QuickJS',
    scenario: 'warm-run',
    caseName: 'run',
    rivals: ['quickjs-emscripten'],
    atMost: 1,
  },
  {
    text: 'sequential call at most 1/2 of isolated-vm',
    scenario: 'host-call',
    caseName: 'one after another',
    rivals: ['isolated-vm'],
    atMost: 1 / 2,
  },
  ...['2', '8', '64'].map((caseName) => ({
    text: `${caseName} runs in flight: at least 85 % of the ceiling, V8 alone`,
    scenario: 'throughput',
    caseName,
    rivals: ['floor'],
    atMost: 1 / 0.85,
  })),
  {
    text: 'RSS of a warm isolate not above isolated-vm',
    scenario: 'warm-memory',
    caseName: 'isolate',
    rivals: ['isolated-vm'],
    atMost: 1,
  },
  ...['string', 'records'].map((caseName) => ({
    text: `1 MB ${caseName} at most 3/4 of isolated-vm`,
    scenario: 'payload',
    caseName,
    rivals: ['isolated-vm (copy)', 'isolated-vm (JSON)'],
    atMost: 3 / 4,
  })),
  {
    text: 'a program with computing at most 1/10 of QuickJS',
    scenario: 'model-program',
    caseName: 'three tool calls and computing',
    rivals: ['quickjs-emscripten'],
    atMost: 1 / 10,
  },
  {
    text: 'durable setValue at most 1.3 times write + fdatasync',
    scenario: 'thread-values',
    caseName: 'one by one',
    rivals: ['write + fdatasync'],
    atMost: 1.3,
  },
  {
    text: '64 writers: at most 1/20 of flushing one by one',
    scenario: 'thread-values',
    caseName: '64 writers',
    rivals: ['write + fdatasync'],
    atMost: 1 / 20,
  },
  ...[
    ['a step with one tool: at most 5 ms over its flushes', 'thread-step', 'step'],
    ['10,000 idle threads: at most 1 KB of heap each', 'thread-memory', 'idle: bytes of heap'],
    ['10,000 idle threads: no timers', 'thread-memory', 'idle: timers, all together'],
    ['takeover within the lease', 'thread-takeover', 'takeover'],
  ].map(([text, scenario, caseName]) => ({
    text,
    scenario,
    caseName,
    rivals: ['allowed'],
    atMost: 1,
  })),
  {
    text: 'a guest that has all Web and Node APIs: at most 300 µs more',
    scenario: 'web-start',
    caseName: 'run',
    rivals: ['without web'],
    atMost: 300,
    cost: /** @type {const} */ ('addition'),
  },
  ...Object.entries({ 'direct JSON': 300, 'one call': 300, 'code in an isolate': 1500 }).map(
    ([caseName, atMost]) => ({
      text: `call_tool_chain, ${caseName}: at most ${atMost} µs more than the MCP client`,
      scenario: 'tool-chain',
      caseName,
      rivals: ['MCP client'],
      atMost,
      cost: /** @type {const} */ ('addition'),
    }),
  ),
];

/**
 * @param {Aim} aim
 * @param {import('./harness/contract.d.ts').Results['scenarios']} results
 * @returns {number | undefined} isobox's cost as a part of the rival's; undefined when either was not measured
 */
function costRatio({ scenario, caseName, rivals }, results) {
  const { better } = require(`./scenarios/${scenario}.js`);
  const costs = Object.entries(results[scenario]?.[caseName] ?? {})
    .filter(([system]) => rivals.includes(system))
    .map(([, { ratio }]) => (better === 'lower' ? ratio : 1 / (ratio ?? NaN)))
    .filter((ratio) => Number.isFinite(ratio));
  return costs.length > 0 ? 1 / Math.min(.../** @type {number[]} */ (costs)) : undefined;
}

/**
 * @param {Aim} aim
 * @param {import('./harness/contract.d.ts').Results['scenarios']} results
 * @returns {number | undefined} what isobox takes more than the rival; undefined when either was not measured
 */
function addedCost({ scenario, caseName, rivals }, results) {
  const { isobox, ...others } = results[scenario]?.[caseName] ?? {};
  const costs = rivals.flatMap((rival) => others[rival]?.p50 ?? []);
  return isobox === undefined || costs.length === 0 ? undefined : isobox.p50 - Math.min(...costs);
}

/**
 * @param {import('./harness/contract.d.ts').Results['scenarios']} results
 * @returns {{ text: string, ratio: number, atMost: number, isMet: boolean }[]} of the aims that something was measured for
 */
function judgeAims(results) {
  return aims.flatMap((aim) => {
    const ratio = (aim.cost === 'addition' ? addedCost : costRatio)(aim, results);
    if (ratio === undefined) return [];
    const { text, atMost } = aim;
    return [{ text, ratio, atMost, isMet: ratio <= atMost }];
  });
}

/**
 * @param {import('./harness/contract.d.ts').Results['scenarios']} results
 * @returns {string} empty when nothing was measured that an aim speaks of
 */
function formatAims(results) {
  const rows = judgeAims(results).map(({ text, ratio, atMost, isMet }) => [
    text,
    formatNumber(ratio),
    formatNumber(atMost),
    isMet ? 'met' : 'MISSED',
  ]);
  if (rows.length === 0) return '';
  return `${formatTable([['aims: cost by cost of the rival', 'is', 'at most', ''], ...rows])}\n`;
}

module.exports = { formatAims, judgeAims };
