'use strict';
// Adds up the results that Jest (JSON) and CTest (JUnit XML) left in a directory: `node .ci/summary.js <directory>`.

const fs = require('node:fs');
const path = require('node:path');

/**
 * @param {string} text
 * @returns {{ passed: number, failed: number }}
 */
function readJest(text) {
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(text);
  // A suite that could not even start counts as one failure.
  return { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites };
}

/**
 * @param {string} text
 * @returns {{ passed: number, failed: number }}
 */
function readJUnit(text) {
  const number = (/** @type {string} */ name) =>
    Number(new RegExp(`\\b${name}="(\\d+)"`).exec(text)?.[1]);
  const failed = number('failures');
  return { passed: number('tests') - failed - number('skipped') - number('disabled'), failed };
}

const directory = process.argv[2];
const totals = { passed: 0, failed: 0 };
for (const name of fs.existsSync(directory) ? fs.readdirSync(directory).sort() : []) {
  const text = fs.readFileSync(path.join(directory, name), 'utf8');
  const { passed, failed } = name.endsWith('.xml') ? readJUnit(text) : readJest(text);
  console.log(`${name}: ${passed} passed, ${failed} failed`);
  totals.passed += passed;
  totals.failed += failed;
}
console.log(`${totals.passed} passed, ${totals.failed} failed`);
