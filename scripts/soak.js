'use strict';
// Runs guests of all kinds, hundreds at a time, and compares what the process holds afterwards with what it held before:
// `npm run soak [-- --runs 100000] [--minutes 60] [--seed 1] [--json]`.

const fs = require('node:fs');
const { parseArgs } = require('node:util');
const v8 = require('node:v8');
const vm = require('node:vm');

const { IsolatePool } = require('../lib/pool.js');

const IN_FLIGHT = 300;
const WARM_UP_RUNS = 2000;
const PROGRESS_MS = 10_000;
const SETTLING_MS = 10_000;
const MiB = 2 ** 20;

/** What the process may hold more than before: arenas of malloc that were touched for the first time. */
const MAX_GROWTH_MIB = 96;

/**
 * @typedef {import('../types/index.js').RunRequest} RunRequest
 * @typedef {import('../types/index.js').StopCause} StopCause
 *
 * @typedef {object} Kind
 * @property {number} share how often it is chosen, beside the others
 * @property {StopCause[]} causes it may end with
 * @property {(random: () => number) => RunRequest} request
 * @property {number} [cancelWithinMs] it is terminated at some moment within
 */

/** @param {number} ms */
const sleep = (ms) =>
  new Promise((/** @type {(value: void) => void} */ resolve) => void setTimeout(resolve, ms));

const host = {
  now: () => 1,
  soon: () => sleep(1).then(() => 2),
  never: () => new Promise(() => {}),
  fail: () => {
    throw Object.assign(new Error('no'), { code: 'E_NO' });
  },
};

/** @type {Readonly<Record<string, Kind>>} */
const KINDS = {
  computes: {
    share: 25,
    causes: ['finished'],
    request: () => ({ source: 'let n = 0; for (let i = 0; i < 1e4; i++) n += i; return n' }),
  },
  'calls its host': {
    share: 20,
    causes: ['finished'],
    request: () => ({
      source: 'let n = 0; for (let i = 0; i < 5; i++) n += await host.now(); return n',
      namespaces: { host },
    }),
  },
  'waits for its host': {
    share: 10,
    causes: ['finished'],
    request: () => ({
      source: 'return Promise.all([host.soon(), host.soon(), host.now()])',
      namespaces: { host },
    }),
  },
  'moves data': {
    share: 5,
    causes: ['finished'],
    request: (random) => ({
      source: 'return { bytes: new Uint8Array(given.length), map: new Map([[1, given]]) }',
      values: 'clone',
      globals: { given: 'x'.repeat(1 + Math.floor(random() * 1e4)) },
    }),
  },
  'hands out functions': {
    share: 3,
    causes: ['finished'],
    request: () => ({
      source: 'return give.call((x) => x + 1)',
      values: 'clone',
      globals: { give: { call: (/** @type {Function} */ f) => f(1) } },
    }),
  },
  'has modules': {
    share: 3,
    causes: ['finished'],
    request: () => ({
      source: 'import { a } from "./a.js"; export default a + 1',
      kind: 'module',
      module: { sources: { 'a.js': 'export const a = 1' } },
    }),
  },
  logs: {
    share: 3,
    causes: ['finished'],
    request: () => ({
      source: 'for (let i = 0; i < 300; i++) console.log("line", { i })',
      limits: { logLines: 50 },
    }),
  },
  throws: {
    share: 7,
    causes: ['guest_error'],
    request: () => ({ source: 'throw new TypeError("x")' }),
  },
  'is failed by its host': {
    share: 3,
    causes: ['guest_error'],
    request: () => ({ source: 'await host.fail()', namespaces: { host } }),
  },
  'does not compile': {
    share: 3,
    causes: ['link_error'],
    request: () => ({ source: 'let x = ;' }),
  },
  'returns what cannot cross': {
    share: 2,
    causes: ['serialization'],
    request: () => ({ source: 'return 10n' }),
  },
  'calls too often': {
    share: 2,
    causes: ['calls'],
    request: () => ({
      source: 'for (;;) await host.now()',
      namespaces: { host },
      limits: { calls: 10 },
    }),
  },
  'loops past its deadline': {
    share: 2,
    causes: ['deadline'],
    request: () => ({ source: 'for (;;) {}', limits: { wallMs: 10 } }),
  },
  'waits past its deadline': {
    share: 3,
    causes: ['deadline'],
    request: () => ({ source: 'await host.never()', namespaces: { host }, limits: { wallMs: 30 } }),
  },
  'spends its CPU time': {
    share: 1,
    causes: ['cpu'],
    request: () => ({ source: 'for (;;) {}', limits: { cpuMs: 5 } }),
  },
  'takes too much memory': {
    share: 1,
    causes: ['memory'],
    request: () => ({
      source: 'const kept = []; for (;;) kept.push(new Array(1e4).fill(1.5))',
      limits: { memoryBytes: 8 * MiB },
    }),
  },
  'is cancelled, looping': {
    share: 2,
    causes: ['terminated'],
    cancelWithinMs: 10,
    request: () => ({ source: 'for (;;) {}' }),
  },
  'is cancelled, waiting': {
    share: 5,
    causes: ['terminated'],
    cancelWithinMs: 50,
    request: () => ({ source: 'await host.never()', namespaces: { host } }),
  },
  'is cancelled at any moment': {
    share: 5,
    causes: ['terminated', 'finished'],
    cancelWithinMs: 5,
    request: () => ({ source: 'return host.soon()', namespaces: { host } }),
  },
};

/**
 * @param {number} seed
 * @returns {() => number} from 0 to 1, the same for the same seed
 */
function makeRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const TOTAL_SHARE = Object.values(KINDS).reduce((sum, { share }) => sum + share, 0);

/** @param {() => number} random */
function chooseKind(random) {
  let left = random() * TOTAL_SHARE;
  for (const [name, kind] of Object.entries(KINDS)) {
    left -= kind.share;
    if (left < 0) return { name, kind };
  }
  throw new Error('the shares do not add up');
}

/**
 * @typedef {object} Totals
 * @property {number} runs
 * @property {Record<string, number>} byKind
 * @property {string[]} wrong the first few that ended otherwise than they may
 * @property {number} wrongCount
 * @property {number} worstMs
 */

/**
 * @param {Pick<import('../types/index.js').IsolatePool, 'run'>} pool
 * @param {() => number} random
 * @param {(runs: number) => boolean} isEnough asked before each run
 * @returns {Promise<Totals>}
 */
async function load(pool, random, isEnough) {
  /** @type {Totals} */
  const totals = { runs: 0, byKind: {}, wrong: [], wrongCount: 0, worstMs: 0 };
  let started = 0;
  const lane = async () => {
    while (!isEnough(started)) {
      started += 1;
      const { name, kind } = chooseKind(random);
      const start = performance.now();
      const handle = pool.run(kind.request(random));
      const timer =
        kind.cancelWithinMs === undefined
          ? undefined
          : setTimeout(() => handle.terminate('soak'), random() * kind.cancelWithinMs);
      const { cause } = await handle;
      clearTimeout(timer);
      totals.runs += 1;
      totals.byKind[name] = (totals.byKind[name] ?? 0) + 1;
      totals.worstMs = Math.max(totals.worstMs, performance.now() - start);
      if (!kind.causes.includes(cause)) {
        totals.wrongCount += 1;
        if (totals.wrong.length < 10) totals.wrong.push(`${name}: ${cause}`);
      }
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  return totals;
}

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');
// Contexts that are made from here on, those of guests, do not have it.
v8.setFlagsFromString('--no-expose-gc');

/** What the process holds, after what can be let go of has been. */
async function takeStock() {
  for (let i = 0; i < 3; i++) {
    collect();
    await sleep(20);
  }
  return {
    rssMiB: process.memoryUsage.rss() / MiB,
    heapMiB: process.memoryUsage().heapUsed / MiB,
    threads: fs.readdirSync('/proc/self/task').length,
    files: fs.readdirSync('/proc/self/fd').length,
    handles: process.getActiveResourcesInfo().filter((name) => name !== 'Timeout').length,
  };
}

/**
 * @param {{ runs: number, minutes: number | undefined, seed: number, isQuiet: boolean }} options
 */
async function soak({ runs, minutes, seed, isQuiet }) {
  const random = makeRandom(seed);
  const warmUp = new IsolatePool();
  await load(warmUp, random, (count) => count >= WARM_UP_RUNS);
  await warmUp.dispose();
  const before = await takeStock();

  const pool = new IsolatePool();
  const start = performance.now();
  const end = minutes === undefined ? Infinity : start + minutes * 60_000;
  const progress = setInterval(() => {
    if (isQuiet) return;
    const { outcomes, parked, stuck } = pool.stats();
    const done = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
    const rss = (process.memoryUsage.rss() / MiB).toFixed(0);
    console.log(`${done} runs, ${parked} parked, ${stuck} stuck, ${rss} MiB`);
  }, PROGRESS_MS);
  const totals = await load(pool, random, (count) =>
    minutes === undefined ? count >= runs : performance.now() >= end,
  );
  const seconds = (performance.now() - start) / 1000;
  clearInterval(progress);
  await pool.dispose();
  // Threads that were slow to come back may have been lost for a while.
  const patience = performance.now() + SETTLING_MS;
  while (pool.stats().stuck > 0 && performance.now() < patience) await sleep(20);
  const { threads, running, parked, queued, warm, stuck } = pool.stats();
  const after = await takeStock();
  return {
    totals,
    seconds,
    before,
    after,
    left: { threads, running, parked, queued, warm, stuck },
  };
}

/** @param {Awaited<ReturnType<typeof soak>>} result */
function problemsOf({ totals, before, after, left }) {
  const problems = totals.wrong.map((text) => `wrong end: ${text}`);
  for (const [name, count] of Object.entries(left)) {
    if (count !== 0) problems.push(`${name} in the pool: ${count}`);
  }
  for (const name of /** @type {const} */ (['threads', 'files', 'handles'])) {
    if (after[name] > before[name]) {
      problems.push(`${name}: ${before[name]} before, ${after[name]} after`);
    }
  }
  if (after.rssMiB - before.rssMiB > MAX_GROWTH_MIB) {
    problems.push(`${before.rssMiB.toFixed(0)} MiB before, ${after.rssMiB.toFixed(0)} MiB after`);
  }
  return problems;
}

async function main() {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '100000' },
      minutes: { type: 'string' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
    },
  });
  const numbers = [values.runs, values.minutes ?? '1', values.seed].map(Number);
  if (!numbers.every((number) => number > 0 && Number.isFinite(number))) {
    throw new Error('--runs, --minutes and --seed take numbers greater than 0');
  }
  const result = await soak({
    runs: numbers[0],
    minutes: values.minutes === undefined ? undefined : numbers[1],
    seed: numbers[2],
    isQuiet: values.json,
  });
  const problems = problemsOf(result);
  if (values.json) {
    console.log(JSON.stringify({ report: { ...result, problems } }));
  } else {
    const { totals, seconds, before, after } = result;
    console.table(totals.byKind);
    console.table({ before, after });
    console.log(
      `${totals.runs} runs in ${seconds.toFixed(0)} s (${(totals.runs / seconds).toFixed(0)} per second), ${IN_FLIGHT} in flight; the slowest took ${totals.worstMs.toFixed(0)} ms`,
    );
    for (const problem of problems) console.error(`soak: ${problem}`);
  }
  if (problems.length > 0) process.exitCode = 1;
}

main().catch((error) => {
  console.error(`soak: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
});
