'use strict';
// Runs one scenario: all systems in turn, block by block, so that what disturbs the machine hits all of them.

const os = require('node:os');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const { stolenMs } = require('../../scripts/stolen-time.js');
const { SubjectProcess } = require('./subject-process.js');
const { summarize } = require('./statistics.js');

// What a system does behind its last reply should be over before another one is measured.
const SETTLE_MS = 20;

// A round during which more than this part of the processors' time was stolen is measured again, so many times at most.
const MOST_STOLEN = 0.05;
const ATTEMPTS = 3;

/** @typedef {import('./contract.d.ts').Scenario} Scenario */

/**
 * @typedef {object} Conditions
 * @property {string} execPath the Node that is measured
 * @property {boolean} isQuick
 * @property {(system: string) => boolean} isWanted
 */

/**
 * @param {string} name the scenario's file name without its extension
 * @param {Conditions} conditions
 * @returns {Promise<{ scenario: Scenario, result: import('./contract.d.ts').ScenarioResult, failures: Map<string, string> }>}
 */
async function conduct(name, { execPath, isQuick, isWanted }) {
  const file = path.join(__dirname, '..', 'scenarios', `${name}.js`);
  /** @type {Scenario} */
  const scenario = require(file);
  const rounds = isQuick ? scenario.rounds.quick : scenario.rounds.full;
  const isKept = scenario.process === 'kept';
  let systems = Object.keys(scenario.systems).filter(isWanted);

  /** @type {Map<string, InstanceType<typeof SubjectProcess>>} */
  const processes = new Map();
  /** @type {Map<string, string>} */
  const failures = new Map();
  /** @type {Record<string, Record<string, number[][]>>} */
  const blocks = Object.fromEntries(
    scenario.cases.map((caseName) => [caseName, Object.fromEntries(systems.map((s) => [s, []]))]),
  );

  const measureBlock = async (/** @type {string} */ system, /** @type {string} */ caseName) => {
    const subject =
      processes.get(system) ?? new SubjectProcess({ execPath, file, system, isQuick });
    processes.set(system, subject);
    try {
      return await subject.measure(caseName);
    } catch (error) {
      failures.set(system, error instanceof Error ? error.message : String(error));
      return [];
    } finally {
      if (!isKept || failures.has(system)) {
        subject.end();
        processes.delete(system);
      }
    }
  };

  const measureRound = async (/** @type {string} */ caseName) => {
    /** @type {Map<string, number[]>} */
    const samples = new Map();
    for (const system of systems) {
      await sleep(SETTLE_MS);
      samples.set(system, await measureBlock(system, caseName));
    }
    return samples;
  };

  try {
    // Round -1 warms up the host's code, where a process is kept.
    for (let round = isKept ? -1 : 0; round < rounds; round += 1) {
      for (const caseName of scenario.cases) {
        const samples = await leastDisturbed(() => measureRound(caseName));
        if (round < 0) continue;
        for (const [system, block] of samples) blocks[caseName][system].push(block);
      }
      systems = systems.filter((system) => !failures.has(system));
      // Nobody always follows the same neighbour.
      systems.push(...systems.splice(0, 1));
    }
  } finally {
    for (const subject of processes.values()) subject.end();
  }
  return { scenario, result: summarizeAll(scenario, blocks, failures), failures };
}

/**
 * @template T
 * @param {() => Promise<T>} measure
 * @returns {Promise<T>} of the attempt from which the least was stolen
 */
async function leastDisturbed(measure) {
  let best;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const [start, stolenBefore] = [performance.now(), stolenMs()];
    const measured = await measure();
    const processorMs = (performance.now() - start) * os.availableParallelism();
    const stolen = (stolenMs() - stolenBefore) / processorMs;
    if (best === undefined || stolen < best.stolen) best = { measured, stolen };
    if (stolen <= MOST_STOLEN) break;
  }
  return /** @type {{ measured: T }} */ (best).measured;
}

/**
 * @param {Scenario} scenario
 * @param {Record<string, Record<string, number[][]>>} blocks
 * @param {Map<string, string>} failures
 */
function summarizeAll({ better }, blocks, failures) {
  return Object.fromEntries(
    Object.entries(blocks).map(([caseName, bySystem]) => {
      const rows = Object.entries(bySystem)
        .filter(([system, rounds]) => !failures.has(system) && rounds.flat().length > 0)
        .map(([system, rounds]) => [system, summarize(rounds, bySystem.isobox ?? [], better)]);
      return [caseName, Object.fromEntries(rows)];
    }),
  );
}

module.exports = { conduct };
