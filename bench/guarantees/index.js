'use strict';
// `node bench/guarantees/index.js`: what the systems do with guests that ask for a guarantee, as the table of the README.
// Every guest has a process of its own, which is killed after five seconds.

const { spawnSync } = require('node:child_process');
const path = require('node:path');

const { chooseNode, prepare } = require('../harness/prepare.js');
const { PROGRAMS } = require('./programs.js');

const SYSTEMS = ['isobox', 'isolated-vm', 'quickjs-emscripten', 'worker_threads', 'node:vm'];
const BOUND_MS = 5000;

/**
 * @param {string} execPath
 * @param {string} system
 * @param {string} program
 * @returns {import('./programs.js').Observed | null} null when the process was killed or died before an answer
 */
function observe(execPath, system, program) {
  // isolated-vm demands the flag; nobody else gets it.
  const flags = system === 'isolated-vm' ? ['--no-node-snapshot'] : [];
  const args = [...flags, path.join(__dirname, 'run-one.js'), system, program];
  const { stdout } = spawnSync(execPath, args, {
    encoding: 'utf8',
    timeout: BOUND_MS,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return stdout.trim() === '' ? null : JSON.parse(stdout);
}

/** @param {import('./programs.js').Observed | null} observed */
function describe(observed) {
  if (observed === null) return 'no answer within 5 s';
  const { answer, ms, heldUpMs, grownMiB } = observed;
  return `${answer}; ${ms.toFixed()} ms, held up ${heldUpMs.toFixed()} ms, ${grownMiB.toFixed()} MiB more`;
}

const node = chooseNode(undefined);
prepare(node);
const rows = Object.entries(PROGRAMS).map(([name, { title, holds }]) => {
  const cells = SYSTEMS.map((system) => {
    const observed = observe(node.execPath, system, name);
    console.error(`${name}, ${system}: ${describe(observed)}`);
    return observed !== null && holds(observed) ? 'yes' : 'no';
  });
  return [title, ...cells];
});
console.log(`\nNode ${node.version}\n`);
for (const row of [['', ...SYSTEMS], ['---', ...SYSTEMS.map(() => '---')], ...rows]) {
  console.log(`| ${row.join(' | ')} |`);
}
