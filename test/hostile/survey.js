'use strict';
// Runs the programs of a category in processes of their own and gathers what is told of them. Run as a program, it
// surveys the categories that are named (all by default) and writes a row for each to a file.

const fs = require('node:fs');
const path = require('node:path');

const { runNode } = require('../support/child.js');
const { CATEGORIES, checkCategories, partsOf } = require('./programs/index.js');

/** Within this a stop must be answered, where a category does not say another bound. */
const SETTLE_MS = 50;
/** In a test among others, which must not fail for what else the machine does. */
const SETTLE_ON_BUSY_MACHINE_MS = 150;

/** A turn of the host's loop takes at most this, on a machine that does nothing else; and among other tests. */
const TURN_MS = 25;
const TURN_ON_BUSY_MACHINE_MS = 80;
/** Twice what a guest may use, by which the host may grow for it. */
const HOST_MIB = 128;

const BOUND_MS = 180_000;

/**
 * @typedef {import('./conduct.js').Answer} Answer
 * @typedef {import('./conduct.js').Aftermath} Aftermath
 *
 * @typedef {object} Survey
 * @property {string} category
 * @property {Map<string, Answer>} answers by program
 * @property {(Aftermath | undefined)[]} aftermaths of each host, undefined for one that did not live to tell
 * @property {Awaited<ReturnType<typeof runNode>>[]} children the hosts
 * @typedef {import('../../scripts/hostile.js').Row} Row
 */

/**
 * @param {string} category
 * @returns {Promise<Survey>}
 */
async function surveyCategory(category) {
  const children = [];
  for (const part of partsOf(category).keys()) {
    const argv = [path.join(__dirname, 'conduct.js'), category, String(part)];
    children.push(await runNode(argv, { boundMs: BOUND_MS }));
  }
  const answers = children.flatMap(({ reports }) => reports.filter((report) => 'answer' in report));
  return {
    category,
    answers: new Map(answers.map(({ answer }) => [answer.name, answer])),
    aftermaths: children.map(
      ({ reports }) => reports.find((report) => 'aftermath' in report)?.aftermath,
    ),
    children,
  };
}

/**
 * @param {Survey} survey
 * @returns {Row}
 */
function countUp({ category, answers, aftermaths, children }) {
  const { settleMs = SETTLE_MS } = CATEGORIES[category];
  const all = [...answers.values()];
  const told = aftermaths.filter((one) => one !== undefined);
  const programs = CATEGORIES[category].programs.length;
  const right = all.filter(({ problems }) => problems.length === 0).length;
  const row = {
    category,
    programs,
    right,
    worstLateMs: Math.max(0, ...all.map(({ lateMs, stolenMs }) => lateMs - stolenMs)),
    worstLoopLateMs: Math.max(0, ...all.map(({ loopLateMs }) => loopLateMs)),
    worstTurnMs: Math.max(0, ...all.map(({ turnMs }) => turnMs)),
    hostMiB: Math.max(0, ...all.map(({ hostMiB }) => hostMiB)),
    worstNeighbourMs: Math.max(0, ...told.map(({ neighbours }) => neighbours.worstMs)),
    peakMiB: Math.max(0, ...told.map(({ peakMiB }) => peakMiB)),
    isAlive: told.length === children.length && children.every(({ code }) => code === 0),
  };
  const isGreen =
    row.isAlive &&
    right === programs &&
    told.every(({ neighbours }) => neighbours.wrong === 0) &&
    row.worstLateMs < settleMs &&
    row.worstTurnMs < TURN_MS &&
    row.hostMiB < HOST_MIB;
  return { ...row, isGreen };
}

/**
 * @param {string} file
 * @param {string[]} categories
 */
async function main(file, categories) {
  checkCategories(categories);
  const rows = [];
  for (const category of categories.length > 0 ? categories : Object.keys(CATEGORIES)) {
    const survey = await surveyCategory(category);
    const row = countUp(survey);
    rows.push(row);
    console.log(`${category}: ${row.right} of ${row.programs} programs are right`);
    for (const { name, problems, lateMs, stolenMs, turnMs, hostMiB } of survey.answers.values()) {
      for (const problem of problems) console.log(`  ${name}: ${problem}`);
      if (turnMs >= TURN_MS) console.log(`  ${name}: held the loop for ${turnMs.toFixed(0)} ms`);
      if (hostMiB >= HOST_MIB) console.log(`  ${name}: grew its host by ${hostMiB.toFixed(0)} MiB`);
      if (lateMs - stolenMs >= SETTLE_MS) {
        console.log(
          `  ${name}: settled ${lateMs.toFixed(0)} ms late, of which ${stolenMs} were stolen`,
        );
      }
    }
    if (!row.isAlive) {
      console.log(survey.children.map(({ stderr }) => stderr.trim().slice(0, 1000)).join('\n'));
    }
  }
  fs.writeFileSync(file, JSON.stringify(rows));
}

if (require.main === module) {
  const [file, ...categories] = process.argv.slice(2);
  void main(file, categories);
}

module.exports = { HOST_MIB, SETTLE_ON_BUSY_MACHINE_MS, TURN_ON_BUSY_MACHINE_MS, surveyCategory };
