'use strict';
// Results as a report: docs/performance.md with its plots, and the figures of the README. Everything in them comes from
// one file of results.

const fs = require('node:fs');
const path = require('node:path');

const prettier = require('prettier');

const { judgeAims } = require('../aims.js');
const { formatNumber, formatPercent } = require('../harness/report.js');
const { drawPlots } = require('./plots.js');

/** @typedef {import('../harness/contract.d.ts').Results} Results */

const root = path.join(__dirname, '..', '..');

/** What the plots leave open. */
const REMARKS = /** @type {Record<string, string>} */ ({
  'warm-run':
    'With a pause between runs isobox has an isolate ready, so this is what a request waits for. `back-to-back` below has the whole cost.',
  throughput:
    'The ceiling is an addon whose threads only create an isolate and a context, run `42+1` and dispose of both: as many as V8 itself makes on this machine. quickjs-emscripten interprets, and makes no isolates: short programs start sooner, long ones are slow and block the loop (`loop-delay`).',
  payload: '`isobox` is the JSON profile, `isobox (clone)` structured clone.',
});

/** Systems whose names in the tables are not those of the results. @type {Record<string, string>} */
const NAMES = { isobox: '**isobox**', floor: 'ceiling (V8 alone)' };

/** @param {string[][]} rows the first one is the header */
function markdownTable(rows) {
  const ruler = rows[0].map((_, column) => (column === 0 ? '---' : '---:'));
  return [rows[0], ruler, ...rows.slice(1)].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/**
 * @param {string} name
 * @param {import('../harness/contract.d.ts').ScenarioResult} result
 * @param {string | undefined} plot
 */
function describeScenario(name, result, plot) {
  /** @type {import('../harness/contract.d.ts').Scenario} */
  const { title, unit, better, cases } = require(`../scenarios/${name}.js`);
  const parts = [`### ${name}`, `${title}. In ${unit}; ${better} is better.`];
  if (REMARKS[name] !== undefined) parts.push(REMARKS[name]);
  if (plot !== undefined) parts.push(`![${title}](performance/${plot})`);
  const rows = cases.flatMap((caseName) =>
    Object.entries(result[caseName] ?? {}).map(([system, { p50, p95, spread, ratio }]) => [
      ...(cases.length > 1 ? [caseName] : []),
      NAMES[system] ?? system,
      formatNumber(p50),
      formatNumber(p95),
      formatPercent(spread),
      ratio === null ? '' : formatNumber(ratio),
    ]),
  );
  const head = [
    ...(cases.length > 1 ? ['case'] : []),
    'system',
    'p50',
    'p95',
    'spread',
    '× isobox',
  ];
  return [...parts, markdownTable([head, ...rows])].join('\n\n');
}

const REPEAT = '```sh\nnpm run bench -- --json bench/results/24.json --report\n```';

/**
 * @param {Results | undefined} results
 * @param {{ file: string, scenario: string }[]} plots
 */
function describeResults(results, plots) {
  const parts = [
    '# Performance',
    'This page is written by the benchmarks, from `bench/results/24.json`. One command measures everything again and writes it anew, some ten minutes on a quiet machine:',
    REPEAT,
    `\`npm run bench -- --compare\` lists what changed beyond noise since the committed results; \`npx isobox bench\` measures isobox alone, on any machine.`,
    '## Method',
    [
      '- Every system has a process of its own. They take turns in short blocks, in rotating order, so that what disturbs the machine disturbs all of them.',
      '- Every run has a fresh isolate, realm or worker, with isobox and with its rivals. Every answer is checked.',
      '- isobox enforces its limits and captures the console in all of these runs.',
      '- `p50` and `p95` are over all samples. `spread` is the distance between the quartiles of the block medians: a smaller difference means nothing. `× isobox` is the median over the rounds of a system’s figure by isobox’s.',
      '- [bench/README.md](../bench/README.md) says what each scenario does, and what is not comparable.',
    ].join('\n'),
  ];
  if (results === undefined) {
    parts.push('## Results', 'None are committed yet.');
    return parts.join('\n\n');
  }
  const { node, cpu, cores, stolen, scenarios, isQuick } = results;
  parts.push(
    '## Machine',
    `Node ${node} on ${cpu}, ${cores} cores; other virtual machines had ${formatPercent(stolen)} of their time.`,
  );
  if (isQuick) parts.push('**Quick blocks: these figures show that it works, not how fast.**');
  const aims = judgeAims(scenarios);
  if (aims.length > 0) {
    const rows = aims.map(({ text, ratio, atMost, isMet }) => [
      text,
      formatNumber(ratio),
      formatNumber(atMost),
      isMet ? 'met' : '**missed**',
    ]);
    parts.push(
      '## Aims',
      'The cost of isobox by that of the rival; below 1, isobox is cheaper. Where a rival has two ways of doing the same, the better one counts.',
      markdownTable([['aim', 'is', 'at most', ''], ...rows]),
    );
  }
  parts.push('## Results');
  for (const [name, result] of Object.entries(scenarios)) {
    parts.push(
      describeScenario(name, result, plots.find(({ scenario }) => scenario === name)?.file),
    );
  }
  return parts.join('\n\n');
}

const MARKS = { begin: '<!-- figures: npm run bench -- --report -->', end: '<!-- /figures -->' };

/**
 * @param {string} readme
 * @param {Results | undefined} results
 */
function fillReadme(readme, results) {
  const [begin, end] = [readme.indexOf(MARKS.begin), readme.indexOf(MARKS.end)];
  if (begin < 0 || end < begin) throw new Error(`README.md has no ${MARKS.begin} … ${MARKS.end}`);
  const figures = results === undefined ? '' : `${describeHeadlines(results)}\n\n`;
  return `${readme.slice(0, begin + MARKS.begin.length)}\n\n${figures}${readme.slice(end)}`;
}

/** What the README shows: scenario, case, what it is called there, its unit. */
const HEADLINES = [
  ['warm-run', 'run', 'a run in a fresh isolate, until the answer', 'µs'],
  ['host-call', 'one after another', 'an awaited call of a host function', 'µs'],
  ['throughput', '8', 'runs per second, 8 in flight', ''],
  ['warm-memory', 'isolate', 'memory of a waiting isolate', 'MiB'],
];
const HEADLINE_SYSTEMS = ['isobox', 'isolated-vm', 'quickjs-emscripten', 'worker_threads'];

/** @param {Results} results */
function describeHeadlines({ node, cpu, cores, scenarios }) {
  const rows = HEADLINES.filter(([scenario, caseName]) => scenarios[scenario]?.[caseName]).map(
    ([scenario, caseName, text, unit]) => [
      text,
      ...HEADLINE_SYSTEMS.map((system) => {
        const measured = scenarios[scenario][caseName][system];
        return measured === undefined ? '' : `${formatNumber(measured.p50)} ${unit}`.trim();
      }),
    ],
  );
  return [
    '![Time of a warm run](docs/performance/warm-run.svg)',
    markdownTable([['median', ...HEADLINE_SYSTEMS], ...rows]),
    `Node ${node} on ${cpu}, ${cores} cores.`,
  ].join('\n\n');
}

/**
 * @param {Results | undefined} results
 * @param {string} readme the README as it is
 * @returns {Promise<Map<string, string>>} the report's files, by path from the root
 */
async function makeReport(results, readme) {
  const plots = results === undefined ? [] : drawPlots(results.scenarios);
  const format = async (/** @type {string} */ text) =>
    prettier.format(text, {
      ...(await prettier.resolveConfig(path.join(root, 'README.md'))),
      parser: 'markdown',
    });
  return new Map([
    ['docs/performance.md', await format(describeResults(results, plots))],
    ['README.md', await format(fillReadme(readme, results))],
    ...plots.map(({ file, svg }) => /** @type {const} */ ([`docs/performance/${file}`, svg])),
  ]);
}

/**
 * Results of `--quick` are for looking at, not for the repository: their report goes to `.cache/report/`.
 *
 * @param {Results} results
 * @returns {Promise<string>} where the page is
 */
async function writeReport(results) {
  const target = results.isQuick ? path.join(root, '.cache', 'report') : root;
  const files = await makeReport(results, fs.readFileSync(path.join(root, 'README.md'), 'utf8'));
  for (const [name, content] of files) {
    const file = path.join(target, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content);
  }
  return path.join(target, 'docs', 'performance.md');
}

module.exports = { makeReport, writeReport };
