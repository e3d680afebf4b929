'use strict';
// `npm run bench [-- options]`: measures isobox beside its rivals. README.md says what the numbers mean.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { parseArgs } = require('node:util');

const { stolenMs } = require('../scripts/stolen-time.js');
const { formatAims } = require('./aims.js');
const { formatChanges } = require('./harness/compare.js');
const { conduct } = require('./harness/conduct.js');
const { chooseNode, prepare } = require('./harness/prepare.js');
const { formatPercent, formatScenario } = require('./harness/report.js');
const { writeReport } = require('./report/index.js');

const SCENARIOS = [
  'warm-run',
  'back-to-back',
  'host-call',
  'payload',
  'throughput',
  'cold-start',
  'hosts',
  'warm-memory',
  'loop-delay',
  'loop-hold',
  'host-growth',
  'run-code',
  'executor',
  'model-program',
  'tool-chain',
  'large-output',
  'thread-values',
  'thread-step',
  'thread-memory',
  'thread-throughput',
  'thread-takeover',
  'tpmjs',
];

const HELP = `npm run bench [-- options]
  --quick             fewer and shorter blocks: shows that it works, not how fast
  --only <scenario>   may be repeated: ${SCENARIOS.join(', ')}
  --system <name>     may be repeated: isobox, isolated-vm, quickjs-emscripten, worker_threads, node:vm, floor
  --node <path>       the Node to measure; by default the newest Node 24 from npm
  --json <file>       writes the results, for bench/results/<node major>.json
  --report            writes docs/performance.md, its plots and the README's figures (of --quick: .cache/report/)
  --from <file>       takes results of an earlier run instead of measuring
  --compare           prints what changed beyond noise since bench/results/<node major>.json`;

/** @param {string[]} args */
function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      system: { type: 'string', multiple: true },
      node: { type: 'string' },
      json: { type: 'string' },
      report: { type: 'boolean', default: false },
      from: { type: 'string' },
      compare: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const unknown = values.only?.find((name) => !SCENARIOS.includes(name));
  if (unknown !== undefined) {
    throw new Error(`there is no scenario ${unknown}; there are ${SCENARIOS.join(', ')}`);
  }
  if (values.from !== undefined && !values.report) {
    throw new Error('--from needs --report: there is nothing else to do with earlier results');
  }
  return values;
}

/** @param {string} file */
function readResults(file) {
  if (!fs.existsSync(file)) throw new Error(`there are no results in ${file}`);
  return JSON.parse(fs.readFileSync(file, 'utf8'));
}

/**
 * @param {import('./harness/contract.d.ts').Results} results
 * @returns {string} JSON, with four figures that count
 */
function formatResults(results) {
  const round = (/** @type {string} */ _, /** @type {unknown} */ value) =>
    typeof value === 'number' ? Number(value.toPrecision(4)) : value;
  return `${JSON.stringify(results, round, 2)}\n`;
}

/** A busy machine is worth a warning, not a refusal: ratios stand it better than times. */
function warnWhenBusy() {
  const [load] = os.loadavg();
  if (load < 0.3) return;
  console.warn(`bench: the load average is ${load.toFixed(1)}; a quiet machine has below 0.3\n`);
}

/** @param {string[]} args */
async function main(args) {
  const options = readOptions(args);
  if (options.help) {
    console.log(HELP);
    return;
  }
  if (options.from !== undefined) {
    console.log(`report: ${await writeReport(readResults(options.from))}`);
    return;
  }
  const node = chooseNode(options.node);
  prepare(node);

  const committed = path.join(__dirname, 'results', `${node.major}.json`);
  /** @type {import('./harness/contract.d.ts').Results | undefined} */
  const before = options.compare ? readResults(committed) : undefined;

  /** @type {import('./harness/contract.d.ts').Results} */
  const results = {
    node: node.version,
    cpu: os.cpus()[0].model,
    cores: os.availableParallelism(),
    isQuick: options.quick,
    stolen: 0,
    scenarios: {},
  };
  console.log(`\nNode ${results.node} on ${results.cpu}, ${results.cores} cores\n`);
  warnWhenBusy();

  const [start, stolenBefore] = [performance.now(), stolenMs()];
  const isWanted = (/** @type {string} */ system) =>
    options.system?.includes(system.replace(/ \(.*\)$/, '')) ?? true;
  for (const name of options.only ?? SCENARIOS) {
    const { scenario, result, failures } = await conduct(name, {
      execPath: node.execPath,
      isQuick: options.quick,
      isWanted,
    });
    results.scenarios[name] = result;
    console.log(`${formatScenario(name, scenario, result, failures)}\n`);
  }

  results.stolen = (stolenMs() - stolenBefore) / ((performance.now() - start) * results.cores);
  console.log(
    `${formatPercent(results.stolen)} of the processors' time was stolen by other machines\n`,
  );
  console.log(formatAims(results.scenarios));
  if (before !== undefined) console.log(formatChanges(before, results));
  if (options.json !== undefined) {
    fs.mkdirSync(path.dirname(options.json), { recursive: true });
    fs.writeFileSync(options.json, formatResults(results));
  }
  // Of the figures as they are written: the same report can be made of the file.
  if (options.report) {
    console.log(`report: ${await writeReport(JSON.parse(formatResults(results)))}`);
  }
}

main(process.argv.slice(2)).catch((error) => {
  console.error(`bench: ${error.message}`);
  process.exitCode = 1;
});
