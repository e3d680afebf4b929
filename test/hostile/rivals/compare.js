'use strict';
// The hostile programs against isobox and its peers, each in a process of its own with a bound, as a table for people.

const fs = require('node:fs');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { isDeepStrictEqual } = require('node:util');

const { chooseNode, prepare } = require('../../../bench/harness/prepare.js');
const { environmentOf, root } = require('../../../scripts/nodes.js');
const { CATEGORIES, checkCategories } = require('../programs/index.js');

const SUBJECTS = ['isobox', 'isolated-vm', 'worker_threads'];
/** What a process may take beyond the deadline of its guest. */
const PATIENCE_MS = 4_000;
const LATE_MS = 150;
const AT_ONCE = 2;
const SUBJECT = path.join(__dirname, 'subject.js');
const RESULTS = path.join(root, '.cache', 'results', 'hostile-rivals.json');
const PAGE = path.join(root, 'docs', 'hostile.md');

/**
 * @typedef {import('../programs/index.js').HostileProgram} HostileProgram
 * @typedef {'right' | 'wrong' | 'late' | 'hung' | 'died'} Verdict
 * @typedef {{ verdict: Verdict, peakMiB: number, loopLateMs: number, detail: string }} Result
 */

/** What guests of isobox find in their realm says nothing about others. */
const NOT_COMPARED = ['escape'];

/**
 * Programs that any way of running a function body with asynchronous host functions can be given.
 *
 * @param {HostileProgram} program
 */
function isComparable({
  kind,
  values,
  intrinsics,
  module: graph,
  globals,
  console: mode,
  limits = {},
  inspect,
  expect,
}) {
  const isPlain = [kind, values, intrinsics, graph, globals, mode, inspect].every(
    (part) => part === undefined,
  );
  const namesOwnError = expect.value === 'SerializationError';
  if (!isPlain || namesOwnError) return false;
  return Object.keys(limits).every((key) => key === 'wallMs' || key === 'memoryBytes');
}

/**
 * @param {import('../../../scripts/nodes.js').NodeInstall} node
 * @param {string[]} argv
 * @param {number} boundMs
 * @returns {Promise<{ report: any, isAlive: boolean, isOverdue: boolean, stderr: string }>} alive, after it was answered
 */
function runSubject(node, argv, boundMs) {
  return new Promise((resolve) => {
    const child = spawn(node.execPath, [SUBJECT, ...argv], {
      env: environmentOf(node),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let isOverdue = false;
    const timer = setTimeout(() => {
      isOverdue = true;
      child.kill('SIGKILL');
    }, boundMs);
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text) => (output.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (output.stderr += text));
    child.once('close', () => {
      clearTimeout(timer);
      const [report, sign] = output.stdout
        .split('\n')
        .filter((text) => text.startsWith('{"report":'))
        .map((text) => JSON.parse(text).report);
      resolve({ report, isAlive: sign === 'alive', isOverdue, stderr: output.stderr });
    });
  });
}

/**
 * @param {HostileProgram} program
 * @param {Awaited<ReturnType<typeof runSubject>>} run
 * @returns {Result}
 */
function judge({ expect }, { report, isAlive, isOverdue, stderr }) {
  const facts = { peakMiB: report?.peakMiB ?? NaN, loopLateMs: report?.loopLateMs ?? NaN };
  if (isOverdue) {
    return {
      ...facts,
      verdict: 'hung',
      detail: report === undefined ? 'no answer' : 'answered, but does not end',
    };
  }
  if (!isAlive) {
    return {
      ...facts,
      verdict: 'died',
      detail:
        stderr
          .trim()
          .split('\n')
          .find((line) => /fatal|error/i.test(line)) ?? '',
    };
  }
  // Limits on what crosses are isobox's own; without them a result may simply arrive.
  const mayFinish = expect.causes.some((cause) => /finished|output|serialization/.test(cause));
  const mustFinish = expect.causes.every((cause) => cause === 'finished');
  const isRight =
    report.end === 'value'
      ? mayFinish && (!('value' in expect) || isDeepStrictEqual(report.value, expect.value))
      : !mustFinish;
  if (!isRight) return { ...facts, verdict: 'wrong', detail: JSON.stringify(report).slice(0, 200) };
  if (report.lateMs > LATE_MS) {
    return { ...facts, verdict: 'late', detail: `${report.lateMs.toFixed(0)} ms` };
  }
  return { ...facts, verdict: 'right', detail: '' };
}

/** @param {string[]} categories */
async function compareRivals(categories) {
  checkCategories(categories);
  const node = chooseNode(undefined);
  prepare(node);
  /** @type {Record<string, Record<string, Record<string, Result>>>} by category, subject and program */
  const results = fs.existsSync(RESULTS) ? JSON.parse(fs.readFileSync(RESULTS, 'utf8')) : {};
  const compared = Object.keys(CATEGORIES).filter((name) => !NOT_COMPARED.includes(name));
  for (const category of categories.length > 0 ? categories : compared) {
    results[category] = {};
    for (const subject of SUBJECTS) {
      /** @type {Record<string, Result>} */
      const answers = (results[category][subject] = {});
      const todo = [...CATEGORIES[category].programs.entries()].filter(([, program]) =>
        isComparable(program),
      );
      const work = async () => {
        for (let next = todo.shift(); next !== undefined; next = todo.shift()) {
          const [index, program] = next;
          const { wallMs = 0 } = { ...CATEGORIES[category].limits, ...program.limits };
          const argv = [subject, category, String(index)];
          const run = await runSubject(node, argv, wallMs + PATIENCE_MS);
          answers[program.name] = judge(program, run);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      console.log(lineOf(category, subject, answers));
    }
    fs.mkdirSync(path.dirname(RESULTS), { recursive: true });
    fs.writeFileSync(RESULTS, JSON.stringify(results));
  }
  fs.writeFileSync(PAGE, pageOf(node.version, results));
}

/**
 * @param {string} category
 * @param {string} subject
 * @param {Record<string, Result>} answers
 */
function lineOf(category, subject, answers) {
  const all = Object.values(answers);
  const count = (/** @type {Verdict} */ verdict) =>
    all.filter((one) => one.verdict === verdict).length;
  const worst = (/** @type {(result: Result) => number} */ read) =>
    Math.max(0, ...all.map(read).filter((value) => !Number.isNaN(value) && value !== null)).toFixed(
      0,
    );
  const cells = [
    category,
    subject,
    all.length,
    ...['right', 'wrong', 'late', 'hung', 'died'].map((verdict) =>
      count(/** @type {Verdict} */ (verdict)),
    ),
    `${worst(({ peakMiB }) => peakMiB)} MiB`,
    `${worst(({ loopLateMs }) => loopLateMs)} ms`,
  ];
  return `| ${cells.join(' | ')} |`;
}

/**
 * @param {string} version
 * @param {Record<string, Record<string, Record<string, Result>>>} results
 */
function pageOf(version, results) {
  const tables = Object.keys(CATEGORIES)
    .filter((category) => results[category] !== undefined)
    .flatMap((category) =>
      SUBJECTS.map((subject) => lineOf(category, subject, results[category][subject])),
    );
  const failures = SUBJECTS.map((subject) => {
    const lines = Object.entries(results).flatMap(([category, bySubject]) =>
      Object.entries(bySubject[subject])
        .filter(([, { verdict }]) => verdict === 'died' || verdict === 'hung')
        .map(([name, { verdict }]) => `- ${category}: ${name} (${verdict})`),
    );
    return lines.length === 0 ? '' : `### ${subject}\n\n${lines.join('\n')}\n`;
  });
  return `# Hostile guests, measured

The programs of \`test/hostile\` that any way of running guests can be given (a function body, asynchronous host functions, a
deadline and a memory limit), each in a process of its own that is killed ${PATIENCE_MS / 1000} seconds after the deadline of its
guest. Written by
\`npm run hostile -- --rivals\` on Node ${version}; nothing in it is an estimate.

- **isobox**: \`IsolatePool\`.
- **isolated-vm** 7.0.1: an isolate per run with \`memoryLimit\` and \`timeout\`, and a timer of the host that answers the
  caller and disposes of the isolate.
- **worker_threads**: a worker per run with \`resourceLimits\`, a \`node:vm\` context without code generation in it, and a timer
  of the host that terminates the worker.

_right_: the caller was answered by the deadline and ${LATE_MS} ms, with an end of the kind that was due. _wrong_: with another. _late_: after that. _hung_: the caller was not answered, or the process could not end. _died_: the
host's process was gone before the answer, or a fifth of a second after it. The last columns are the worst of the process: its memory, and how long its event loop stood still.

| category | subject | programs | right | wrong | late | hung | died | peak RSS | loop held up |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
${tables.join('\n')}

## What hung or died

${failures.filter((text) => text !== '').join('\n')}`;
}

void compareRivals(process.argv.slice(2));
