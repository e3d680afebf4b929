'use strict';
// The code tool for the AI SDK. Nothing of the SDK is imported: its tools are plain objects, and it takes Standard Schemas.

const { sharedAbortController } = require('../shared-abort.js');
const { checkBoolean } = require('../checks/options.js');
const { CodeRunner, inputJsonSchema, readInput } = require('./code-runner.js');

/** @typedef {import('../../types/execbox.js').ExecuteResult} ExecuteResult */

/** What the AI SDK knows of the input. */
const inputSchema = Object.freeze({
  '~standard': Object.freeze({
    version: /** @type {const} */ (1),
    vendor: 'isobox',
    validate(/** @type {unknown} */ value) {
      const { code, refusal } = readInput(value);
      return code === undefined ? { issues: [{ message: refusal }] } : { value: { code } };
    },
    jsonSchema: Object.freeze({ input: inputJsonSchema, output: inputJsonSchema }),
  }),
});

/**
 * @param {import('../../types/ai.js').CodeToolOptions} options
 * @returns {import('../../types/ai.js').CodeTool}
 */
function codeTool(options) {
  const runner = new CodeRunner(options, ['streamLogs']);
  const { streamLogs = false } = options;
  const isStreaming = checkBoolean(streamLogs, 'options.streamLogs');
  return {
    description: runner.description,
    inputSchema,
    execute: (input, { abortSignal, ...call }) =>
      isStreaming
        ? streamRun(runner, input, abortSignal, call)
        : runner.run(input, { signal: abortSignal, call }),
    toModelOutput({ output }) {
      if (output.ok === undefined) return { type: 'text', value: output.logs.join('\n') };
      return { type: output.ok ? 'text' : 'error-text', value: runner.textOf(output) };
    },
  };
}

/**
 * The console so far whenever there is more of it, then the result. Whoever stops reading stops the code.
 *
 * @param {InstanceType<typeof CodeRunner>} runner
 * @param {unknown} input
 * @param {AbortSignal | undefined} signal
 * @param {Record<string, unknown>} call
 * @returns {AsyncGenerator<import('../../types/ai.js').CodeToolOutput>}
 */
async function* streamRun(runner, input, signal, call) {
  const stop = sharedAbortController();
  const abort = () => stop.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  /** @type {string[]} */
  const logs = [];
  let wake = () => {};
  try {
    const onLog = (/** @type {string} */ line) => {
      logs.push(line);
      runner.onLog?.(line);
      wake();
    };
    const running = runner.run(input, { signal: stop.signal, onLog, call });
    for (let told = 0; ;) {
      const more = new Promise((/** @type {(nothing: undefined) => void} */ resolve) => {
        wake = () => resolve(undefined);
      });
      if (logs.length > told) {
        told = logs.length;
        yield { running: true, logs: [...logs] };
        continue;
      }
      const result = await Promise.race([running, more]);
      if (result !== undefined) return void (yield result);
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    stop.abort();
  }
}

module.exports = { codeTool };
