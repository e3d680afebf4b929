'use strict';
// Executions with tools, as agents have them: a fresh guest that awaits no tool, one, five or ten, with one or more
// executions in flight. Rivals have no executor; here they do by hand what one does, without limits, logs and schemas.

const { expectAnswer, throughput } = require('../harness/timing.js');
const { REFERENCE_TOOLS, runIsolatedVm, runQuickJs } = require('../rivals/guests.js');
const { loadRival } = require('../rivals/load.js');

const TOOL_CALLS = [0, 1, 5, 10];
const IN_FLIGHT = [1, 2, 4, 8];

/** @typedef {{ calls: number, concurrency: number, source: string }} Case */

/** @param {number} calls of a tool that takes an object and gives one, one after another */
function guestSource(calls) {
  return `let sum = 0;
    for (let i = 0; i < ${calls}; i++) sum = (await tools.add({ a: sum, b: 1 })).sum;
    return sum;`;
}

/** @param {number} calls */
function nameOf(calls) {
  if (calls === 0) return 'no tool';
  return calls === 1 ? '1 call' : `${calls} calls`;
}

/** @type {Map<string, Case>} */
const CASES = new Map(
  TOOL_CALLS.flatMap((calls) =>
    IN_FLIGHT.map((concurrency) => [
      `${nameOf(calls)}, ${concurrency} in flight`,
      { calls, concurrency, source: guestSource(calls) },
    ]),
  ),
);

/** @param {{ a: number, b: number }} input */
const add = async ({ a, b }) => ({ sum: a + b });

/**
 * @param {(source: string) => Promise<unknown>} execute one execution, clean-up included
 * @param {import('../harness/contract.d.ts').SubjectOptions} options
 * @returns {import('../harness/contract.d.ts').Subject}
 */
function measureExecutions(execute, { isQuick }) {
  return {
    async measure(caseName) {
      const { calls, concurrency, source } = /** @type {Case} */ (CASES.get(caseName));
      const operation = async () => expectAnswer(await execute(source), calls);
      return [await throughput(operation, { concurrency, ms: isQuick ? 200 : 500 })];
    },
  };
}

/** @param {'thread' | 'process'} host */
function isolateExecutor(host) {
  return async (/** @type {import('../harness/contract.d.ts').SubjectOptions} */ options) => {
    const { IsolateExecutor, resolveProvider } = require('isobox/execbox');
    const provider = resolveProvider({
      name: 'tools',
      tools: {
        add: {
          inputSchema: {
            type: 'object',
            required: ['a', 'b'],
            properties: { a: { type: 'number' }, b: { type: 'number' } },
          },
          execute: add,
        },
      },
    });
    const executor = new IsolateExecutor({ host });
    await executor.prewarm(Math.max(...IN_FLIGHT));
    return measureExecutions(async (source) => {
      const result = await executor.execute(source, [provider]);
      return result.ok ? result.result : result.error.message;
    }, options);
  };
}

/** @param {import('../harness/contract.d.ts').SubjectOptions} options */
function isolatedVm(options) {
  const ivm = loadRival('isolated-vm');
  const hostAdd = new ivm.Reference(add);
  return measureExecutions(
    (source) => runIsolatedVm(ivm, source, hostAdd, REFERENCE_TOOLS),
    options,
  );
}

/**
 * @param {any} context
 * @param {{ sum: number }} answer
 */
function toQuickJs(context, { sum }) {
  const answer = context.newObject();
  context
    .newNumber(sum)
    .consume((/** @type {any} */ value) => context.setProp(answer, 'sum', value));
  return answer;
}

/** @param {import('../harness/contract.d.ts').SubjectOptions} options */
async function quickjs(options) {
  const quickJs = await loadRival('quickjs-emscripten').getQuickJS();
  return measureExecutions((source) => runQuickJs(quickJs, source, add, toQuickJs), options);
}

/** @type {import('../harness/contract.d.ts').Scenario} */
module.exports = {
  title: 'Executions with tools, by calls of a tool and executions in flight',
  unit: 'executions/s',
  better: 'higher',
  cases: [...CASES.keys()],
  rounds: { full: 5, quick: 2 },
  process: 'kept',
  systems: {
    isobox: isolateExecutor('thread'),
    'isobox (process)': isolateExecutor('process'),
    'isolated-vm': isolatedVm,
    'quickjs-emscripten': quickjs,
  },
};
