'use strict';
// Runs the hostile programs on every supported Node line and prints how their host fared:
// `npm run hostile [-- --only 24] [cpu memory ...]`. With `--rivals` it runs them, on one line, against isobox and its
// peers instead, each program in a process of its own, and writes docs/hostile.md.

const fs = require('node:fs');
const path = require('node:path');

const { environmentOf, fetchNode, root, run, takeMajors } = require('./nodes.js');

const SURVEY = path.join(root, 'test', 'hostile', 'survey.js');
const COMPARE = path.join(root, 'test', 'hostile', 'rivals', 'compare.js');

/**
 * What a survey tells of one category.
 *
 * @typedef {object} Row
 * @property {string} category
 * @property {number} programs
 * @property {number} right those that came to what they must
 * @property {number} worstLateMs behind a deadline, without what was stolen from the machine
 * @property {number} worstLoopLateMs of the host's timer
 * @property {number} worstTurnMs what a turn of the host's loop took of its thread
 * @property {number} hostMiB by which the host's own heap grew
 * @property {number} worstNeighbourMs of a whole run of a well-behaved guest
 * @property {number} peakMiB of a host
 * @property {boolean} isAlive
 * @property {boolean} isGreen
 */

/**
 * @param {string} major
 * @param {string[]} categories
 * @returns {{ node: string, rows: Row[] } | undefined} undefined when there is nothing to run it on
 */
function surveyOn(major, categories) {
  let node;
  try {
    node = fetchNode(major);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return undefined;
  }
  console.log(`\n== Node ${node.version} (ABI ${node.abi})`);
  const env = environmentOf(node);
  if (!run(node.execPath, [path.join(root, 'scripts', 'build.js')], { env })) return undefined;
  const results = path.join(root, '.cache', 'results', `hostile-${major}.json`);
  fs.mkdirSync(path.dirname(results), { recursive: true });
  fs.rmSync(results, { force: true });
  run(node.execPath, [SURVEY, results, ...categories], { env });
  if (!fs.existsSync(results)) return undefined;
  return { node: node.version, rows: JSON.parse(fs.readFileSync(results, 'utf8')) };
}

/** @param {(string | number)[][]} lines the first is the header */
function formatTable(lines) {
  const cells = lines.map((line) => line.map(String));
  const widths = cells[0].map((_, column) => Math.max(...cells.map((line) => line[column].length)));
  return cells
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column])).join('  '))
    .join('\n');
}

/**
 * @param {readonly string[]} majors
 * @param {string[]} categories
 */
function surveyAll(majors, categories) {
  const lines = [];
  let isGreen = true;
  for (const major of majors) {
    const survey = surveyOn(major, categories);
    if (survey === undefined) {
      isGreen = false;
      lines.push([major, '-', 0, 0, '-', '-', '-', '-', '-', '-', 'not run']);
      continue;
    }
    for (const row of survey.rows) {
      isGreen &&= row.isGreen;
      lines.push([
        survey.node,
        row.category,
        row.programs,
        row.right,
        `${row.worstLateMs.toFixed(0)} ms`,
        `${row.worstLoopLateMs.toFixed(0)} ms`,
        `${row.worstTurnMs.toFixed(0)} ms`,
        `${row.hostMiB.toFixed(0)} MiB`,
        `${row.worstNeighbourMs.toFixed(0)} ms`,
        `${row.peakMiB.toFixed(0)} MiB`,
        row.isAlive ? 'alive' : 'DEAD',
      ]);
    }
  }
  console.log(
    `\n${formatTable([
      [
        'node',
        'category',
        'programs',
        'right cause',
        'settled late',
        'timer late',
        'loop held',
        'host grew',
        'neighbour',
        'peak RSS',
        'host',
      ],
      ...lines,
    ])}`,
  );
  if (!isGreen) process.exitCode = 1;
}

/** @param {string[]} args */
function main(args) {
  const { majors, rest } = takeMajors(args);
  const categories = rest.filter((arg) => arg !== '--rivals');
  if (!rest.includes('--rivals')) {
    surveyAll(majors, categories);
  } else if (!run(process.execPath, [COMPARE, ...categories])) {
    process.exitCode = 1;
  }
}

try {
  main(process.argv.slice(2));
} catch (error) {
  console.error(`hostile: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
