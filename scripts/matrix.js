'use strict';
// Builds isobox and runs the whole Jest suite on every supported Node line: `npm run test:matrix [-- --only 24]`.
// Further arguments go to Jest. Each line has its own build directory and leaves its results in .cache/results.

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
  const results = path.join(root, '.cache', 'results', `node-${major}.json`);
  fs.mkdirSync(path.dirname(results), { recursive: true });
  fs.rmSync(results, { force: true });
  const jest = path.join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const ok = run(node.execPath, [jest, '--json', `--outputFile=${results}`, ...jestArgs], { env });
  const { numPassedTests: passed, numFailedTests: failed } = fs.existsSync(results)
    ? JSON.parse(fs.readFileSync(results, 'utf8'))
    : { numPassedTests: 0, numFailedTests: 0 };
  // A run without a single test shows nothing.
  return { node: node.version, result: ok && passed > 0 ? 'ok' : 'failed', passed, failed };
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
