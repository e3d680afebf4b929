'use strict';
// Builds isobox and runs every Jest project on every supported Node line: `npm run test:matrix [-- --only 24]`. Further
// arguments go to Jest, which then runs once, over what they name. Each line has its own build directory and leaves its
// results in .cache/results.

const fs = require('node:fs');
const path = require('node:path');

const { environmentOf, fetchNode, root, run, takeMajors } = require('./nodes.js');

/**
 * @typedef {object} Row
 * @property {string} node
 * @property {'ok' | 'failed' | 'no build' | 'no node'} result
 * @property {number} passed
 * @property {number} failed
 * @property {number} seconds
 */

/** The projects of jest.config.js, one after the other: those behind the first want the machine for themselves. */
const PROJECTS = Object.fromEntries(
  /** @type {{ displayName: string }[]} */ (require('../jest.config.js').projects).map(
    ({ displayName }, i) => [
      displayName,
      ['--selectProjects', displayName, ...(i > 0 ? ['--runInBand'] : [])],
    ],
  ),
);

/**
 * @param {string} major
 * @param {string[]} jestArgs
 * @returns {Omit<Row, 'seconds'>}
 */
function testOn(major, jestArgs) {
  const none = { passed: 0, failed: 0 };
  let node;
  try {
    node = fetchNode(major);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return { node: major, result: 'no node', ...none };
  }
  console.log(`\n== Node ${node.version} (ABI ${node.abi})`);
  const env = environmentOf(node);
  if (!run(node.execPath, [path.join(root, 'scripts', 'build.js')], { env })) {
    return { node: node.version, result: 'no build', ...none };
  }
  const runs = jestArgs.length > 0 ? { tests: jestArgs } : PROJECTS;
  const total = { ok: true, passed: 0, failed: 0 };
  for (const [name, args] of Object.entries(runs)) {
    const { ok, passed, failed } = runJest(node.execPath, env, `node-${major}-${name}`, args);
    // A run without a single test shows nothing.
    total.ok &&= ok && passed > 0;
    total.passed += passed;
    total.failed += failed;
  }
  const { ok, ...counts } = total;
  return { node: node.version, result: ok ? 'ok' : 'failed', ...counts };
}

/**
 * @param {string} execPath
 * @param {NodeJS.ProcessEnv} env
 * @param {string} name of its results
 * @param {readonly string[]} args
 */
function runJest(execPath, env, name, args) {
  const results = path.join(root, '.cache', 'results', `${name}.json`);
  fs.mkdirSync(path.dirname(results), { recursive: true });
  fs.rmSync(results, { force: true });
  const jest = path.join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const ok = run(execPath, [jest, '--json', `--outputFile=${results}`, ...args], { env });
  const { numPassedTests: passed, numFailedTests: failed } = fs.existsSync(results)
    ? JSON.parse(fs.readFileSync(results, 'utf8'))
    : { numPassedTests: 0, numFailedTests: 0 };
  return { ok, passed, failed };
}

/** @param {Row[]} rows */
function formatTable(rows) {
  const header = ['node', 'result', 'passed', 'failed', 'seconds'];
  const cells = rows.map((row) =>
    [row.node, row.result, row.passed, row.failed, row.seconds].map(String),
  );
  const widths = header.map((title, column) =>
    Math.max(title.length, ...cells.map((line) => line[column].length)),
  );
  return [header, ...cells]
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column])).join('  '))
    .join('\n');
}

/** @param {string[]} args */
function main(args) {
  const { majors, rest } = takeMajors(args);
  const rows = majors.map((major) => {
    const start = Date.now();
    const row = testOn(major, rest);
    return { ...row, seconds: Math.round((Date.now() - start) / 1000) };
  });
  console.log(`\n${formatTable(rows)}`);
  if (rows.some(({ result }) => result !== 'ok')) process.exitCode = 1;
}

try {
  main(process.argv.slice(2));
} catch (error) {
  console.error(`test:matrix: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
