'use strict';
// Runs the programs of a part of a category, one after the other, beside well-behaved guests and a timer of the host, and
// tells how all of them fared.

const fs = require('node:fs');
const { isDeepStrictEqual } = require('node:util');
const v8 = require('node:v8');
const vm = require('node:vm');

const { IsolatePool } = require('../../lib/index.js');
const { LoopWatch } = require('../../scripts/loop-watch.js');
const { stolenMs } = require('../../scripts/stolen-time.js');
const { problemsOf } = require('./expectations.js');
const { HOST_FUNCTIONS, NEIGHBOUR, SECRET } = require('./host-functions.js');
const { takeHostPrint } = require('./host-print.js');
const { CATEGORIES, partsOf } = require('./programs/index.js');

/** Hostile guests can be given processes of their own: `ISOBOX_TEST_HOST=process npm run test:hostile`. */
const HOST = /** @type {'thread' | 'process'} */ (process.env.ISOBOX_TEST_HOST ?? 'thread');

const TICK_MS = 10;
const NEIGHBOURS = 2;
const NEIGHBOUR_PAUSE_MS = 5;
// A lost thread may come back much later; what is looked for is what never does.
const SETTLING_MS = 20_000;

/**
 * @typedef {object} Answer what one program came to
 * @property {string} name
 * @property {string[]} problems
 * @property {string} cause
 * @property {number} ms
 * @property {number} lateMs behind its deadline, 0 when it ended before
 * @property {number} stolenMs of them, what the machine's own host took from it
 * @property {number} loopLateMs how late the host's timer was meanwhile, at worst
 * @property {number} turnMs what the longest turn of the host's loop took of its thread
 * @property {number} hostMiB how far the host's heap and what belongs to it grew, at worst
 *
 * @typedef {object} Aftermath what they did to their host
 * @property {{ runs: number, wrong: number, worstMs: number }} neighbours
 * @property {{ threads: number, running: number, parked: number, queued: number, warm: number }} left in the pool
 * @property {number} stuck threads that did not come back
 * @property {number} grownMiB resident, from before the first program until after the last
 * @property {number} peakMiB
 * @property {number} stolenMs from the machine, meanwhile
 */

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');
// Contexts that are made from here on, those of guests, do not have it.
v8.setFlagsFromString('--no-expose-gc');

/** @param {number} ms */
const sleep = (ms) => new Promise((resolve) => void setTimeout(resolve, ms));

/** @param {import('isobox').IsolatePool} pool */
function startNeighbours(pool) {
  const facts = { runs: 0, wrong: 0, worstMs: 0 };
  const end = new AbortController();
  const live = async () => {
    while (!end.signal.aborted) {
      const start = performance.now();
      const outcome = await pool.run({
        source: NEIGHBOUR.source,
        namespaces: NEIGHBOUR.namespaces,
        limits: { wallMs: 5000 },
      });
      facts.runs += 1;
      facts.worstMs = Math.max(facts.worstMs, performance.now() - start);
      const isRight = outcome.ok && isDeepStrictEqual(outcome.value, NEIGHBOUR.value);
      if (!isRight || outcome.logs[0]?.text !== 'total 3') facts.wrong += 1;
      await sleep(NEIGHBOUR_PAUSE_MS);
    }
  };
  const all = Array.from({ length: NEIGHBOURS }, live);
  return async () => {
    end.abort();
    await Promise.all(all);
    return facts;
  };
}

/** A timer of the host: how late it is at worst, and what was stolen from the machine when. */
class Metronome {
  #due = performance.now() + TICK_MS;
  #worstLateMs = 0;
  #thefts = [{ at: performance.now(), ms: stolenMs() }];
  #timer = setInterval(() => {
    this.#look();
    this.#due = performance.now() + TICK_MS;
    this.#thefts.push({ at: performance.now(), ms: stolenMs() });
  }, TICK_MS);

  #look() {
    this.#worstLateMs = Math.max(this.#worstLateMs, performance.now() - this.#due);
  }

  /** @returns {number} since it was asked last */
  takeWorstLateMs() {
    this.#look();
    const worst = this.#worstLateMs;
    this.#worstLateMs = 0;
    return worst;
  }

  /**
   * @param {number} start
   * @returns {number} from the last tick before `start` on
   */
  stolenSinceMs(start) {
    const before = this.#thefts.findLast(({ at }) => at <= start) ?? this.#thefts[0];
    return stolenMs() - before.ms;
  }

  stop() {
    clearInterval(this.#timer);
  }
}

/**
 * @param {import('isobox').IsolatePool} pool
 * @param {import('./programs/index.js').HostileProgram} program
 * @param {import('isobox').RunLimits} limits
 * @param {Metronome} metronome
 * @returns {Promise<Omit<Answer, 'loopLateMs' | 'turnMs' | 'hostMiB'>>}
 */
async function runProgram(pool, program, limits, metronome) {
  const { name, expect, inspect, losesThread: _, ...request } = program;
  const wallMs = Number(program.limits?.wallMs ?? limits.wallMs);
  const before = takeHostPrint();
  const start = performance.now();
  const outcome = await pool.run({
    ...request,
    namespaces: { host: HOST_FUNCTIONS },
    limits: { ...limits, ...program.limits },
  });
  const ms = performance.now() - start;
  const lateMs = Math.max(0, ms - wallMs);
  const stolen = lateMs > 0 ? metronome.stolenSinceMs(start + wallMs) : 0;
  const problems = problemsOf(
    expect,
    inspect === undefined ? outcome : inspected(outcome, inspect),
  );
  if (takeHostPrint() !== before) problems.push('the intrinsics of the host were changed');
  if (containsSecret(outcome)) problems.push('the guest got hold of what only the host knows');
  return { name, problems, cause: outcome.cause, ms, lateMs, stolenMs: stolen };
}

/**
 * @param {any} outcome
 * @param {(outcome: any) => unknown} inspect
 */
function inspected(outcome, inspect) {
  try {
    return { ...outcome, value: inspect(outcome) };
  } catch (error) {
    return { ...outcome, value: `cannot be inspected: ${error}` };
  }
}

/** @param {any} outcome */
function containsSecret({ value, error, logs }) {
  try {
    return JSON.stringify([value, error, logs])?.includes(SECRET) ?? false;
  } catch {
    return false; // no JSON, so it has an inspection of its own
  }
}

/**
 * @param {string} category
 * @param {number} part
 * @param {(answer: Answer) => void} onAnswer
 * @returns {Promise<Aftermath>}
 */
async function conduct(category, part, onAnswer) {
  const { limits } = CATEGORIES[category];
  const programs = partsOf(category)[part];
  const expectedLosses = programs.filter(({ losesThread }) => losesThread).length;
  const pool = new IsolatePool({ host: HOST, threads: 3 });
  for (let i = 0; i < 20; i++) {
    await pool.run({ source: NEIGHBOUR.source, namespaces: NEIGHBOUR.namespaces });
  }
  collect();
  const rssBefore = process.memoryUsage.rss();
  const stolenBefore = stolenMs();
  const stopNeighbours = startNeighbours(pool);
  const metronome = new Metronome();
  const watch = new LoopWatch();
  for (const program of programs) {
    const answer = await runProgram(pool, program, limits, metronome);
    const { worstTurnMs: turnMs, grownMiB: hostMiB } = watch.take();
    onAnswer({ ...answer, loopLateMs: metronome.takeWorstLateMs(), turnMs, hostMiB });
  }
  metronome.stop();
  watch.stop();
  const neighbours = await stopNeighbours();
  await pool.dispose();
  const end = performance.now() + SETTLING_MS;
  while (pool.stats().stuck > expectedLosses && performance.now() < end) await sleep(10);
  collect();
  const { threads, running, parked, queued, warm, stuck } = pool.stats();
  const MiB = 2 ** 20;
  return {
    neighbours,
    left: { threads, running, parked, queued, warm },
    stuck,
    grownMiB: (process.memoryUsage.rss() - rssBefore) / MiB,
    peakMiB: process.resourceUsage().maxRSS / 1024,
    stolenMs: stolenMs() - stolenBefore,
  };
}

if (require.main === module) {
  const print = (/** @type {unknown} */ report) =>
    void fs.writeSync(1, `${JSON.stringify({ report })}\n`);
  void conduct(process.argv[2], Number(process.argv[3]), (answer) => print({ answer })).then(
    (aftermath) => print({ aftermath }),
  );
}
