'use strict';
// Runs the scenarios, shows that they run, and prints what they gave.

const os = require('node:os');

const { createColors } = require('picocolors');

const { version } = require('../../package.json');
const { LATENCIES, measureThroughput } = require('./bench-scenarios.js');
const { EXIT } = require('./exit-codes.js');
const { isColourful } = require('./terminal.js');

const BAR_WIDTH = 30;

/** @typedef {{ samples: number, p50Ms: number, p95Ms: number, p99Ms: number, maxMs: number }} Spread */
/** @typedef {{ name: string, what: string, unit: 'ms' | 'us' } & Spread} Latency */

/**
 * @param {{ seconds: number, json: boolean }} options
 * @returns {Promise<number>} the exit code
 */
async function runBench({ seconds, json }) {
  const progress = createProgress(seconds, LATENCIES.length + 1);
  /** @type {Latency[]} */
  const latencies = [];
  let throughput;
  try {
    for (const { name, what, unit, sample } of LATENCIES) {
      const samples = [];
      const isOver = progress.start(name);
      for await (const ms of sample(isOver)) samples.push(ms);
      latencies.push({ name, what, unit, ...spreadOf(samples) });
    }
    throughput = await measureThroughput(progress.start('throughput'));
  } catch (error) {
    progress.stop();
    console.error(`isobox bench: ${/** @type {Error} */ (error).message}`);
    return EXIT.failed;
  }
  progress.stop();
  const report = {
    isobox: version,
    node: process.versions.node,
    v8: process.versions.v8,
    cpu: os.cpus()[0]?.model ?? 'unknown',
    cores: os.availableParallelism(),
    seconds,
    latencies,
    throughput,
  };
  process.stdout.write(`${json ? JSON.stringify(report) : describe(report)}\n`);
  return EXIT.ok;
}

/**
 * A bar on a terminal, a line for each measurement elsewhere; both on standard error.
 *
 * @param {number} seconds for each
 * @param {number} count how many there are
 */
function createProgress(seconds, count) {
  const { stderr } = process;
  const total = seconds * count * 1000;
  let done = 0;
  let shown = '';
  const show = (/** @type {number} */ ms, /** @type {string} */ name) => {
    const share = Math.min(ms / total, 1);
    const filled = Math.round(share * BAR_WIDTH);
    const bar = '█'.repeat(filled).padEnd(BAR_WIDTH, '░');
    const text = `${bar} ${Math.floor(share * 100)}%  ${name}`;
    // The samples are taken far more often than the bar changes.
    if (text !== shown) stderr.write(`\r\x1b[K${text}`);
    shown = text;
  };
  return {
    /**
     * @param {string} name
     * @returns {() => boolean} whether the time of this measurement is over
     */
    start(name) {
      const from = done++ * seconds * 1000;
      if (!stderr.isTTY) stderr.write(`measuring ${name} (${done} of ${count})\n`);
      const start = performance.now();
      return () => {
        const elapsed = performance.now() - start;
        if (stderr.isTTY) show(from + elapsed, name);
        return elapsed >= seconds * 1000;
      };
    },
    stop: () => stderr.isTTY && stderr.write('\r\x1b[K'),
  };
}

/**
 * @param {number[]} samples
 * @returns {Spread}
 */
function spreadOf(samples) {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ share) => sorted[Math.ceil(share * sorted.length) - 1];
  return {
    samples: sorted.length,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    maxMs: at(1),
  };
}

/** @param {{ isobox: string, node: string, cpu: string, cores: number, latencies: Latency[], throughput: { runsPerSecond: number, concurrency: number } }} report */
function describe({ isobox, node, cpu, cores, latencies, throughput }) {
  const colours = createColors(isColourful(process.stdout));
  const rows = [
    ['', 'median', 'p95', 'p99', 'slowest', 'samples', ''],
    ...latencies.map(({ name, what, unit, samples, p50Ms, p95Ms, p99Ms, maxMs }) => [
      name,
      ...[p50Ms, p95Ms, p99Ms, maxMs].map((ms) => formatTime(ms, unit)),
      String(samples),
      what,
    ]),
  ];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => {
        const isText = column === 0 || column === row.length - 1;
        return isText ? cell.padEnd(widths[column]) : cell.padStart(widths[column]);
      })
      .join('  ')
      .trimEnd(),
  );
  const { runsPerSecond, concurrency } = throughput;
  return [
    `isobox ${isobox} on Node ${node}, ${cores} cores (${cpu})`,
    '',
    colours.bold(lines[0]),
    ...lines.slice(1),
    '',
    `throughput  ${Math.round(runsPerSecond).toLocaleString('en')} runs/s, ${concurrency} under way`,
  ].join('\n');
}

/**
 * @param {number} ms
 * @param {'ms' | 'us'} unit
 */
function formatTime(ms, unit) {
  return unit === 'ms' ? `${ms.toFixed(2)} ms` : `${(ms * 1000).toFixed(1)} us`;
}

module.exports = { runBench };
