'use strict';
// Asks a model, with a second attempt, the models that stand in for it, and an eye on answers that stall.

const { randomUUID } = require('node:crypto');
const { setTimeout: sleep } = require('node:timers/promises');

const { messageOf } = require('../base/errors.js');
const { providerOf } = require('../models/providers.js');
const { addLog, putLog } = require('./logs.js');

const ATTEMPTS = 2;
/** A provider that does not stream is given longer: nothing is heard of it until it is done. */
const UNSTREAMED_FACTOR = 5;

/**
 * @typedef {object} Answer
 * @property {string | null} content
 * @property {import('../../../types/threads.js').ToolCall[]} toolCalls
 * @property {string} finishReason
 * @property {string} [reasoning]
 * @property {{ promptTokens?: number, completionTokens?: number, totalTokens?: number, cachedTokens?: number, reasoningTokens?: number }} usage
 * @property {number | null} firstMs
 *
 * @typedef {import('../../../types/threads.js').LogRow} LogRow
 * @typedef {{ aborted: true, answer?: undefined } | { aborted: false, answer?: undefined, error: string } | { aborted: false, answer: Answer, log: LogRow }} Outcome
 */

/** @param {any} model */
const modelId = (model) => (typeof model.model === 'string' ? model.model : model.model.modelId);

class StallError extends Error {}

/**
 * @param {import('../parts.js').Flow} flow
 * @param {{ model: any, request: any }} context
 * @param {{ log: LogRow, onText: (text: string) => void, onLog: (log: LogRow) => void }} options
 * @returns {Promise<Outcome>}
 */
async function callModel(flow, { model, request }, { log: first, onText, onLog }) {
  const { library, events, limits } = flow.parts;
  const signal = /** @type {AbortSignal} */ (flow.execution?.abortSignal);
  const models = [
    model,
    ...(model.fallbacks ?? []).map((/** @type {string} */ name) => library.model(name)),
  ];
  let log = first;
  let error = '';
  for (const [index, current] of models.entries()) {
    if (index > 0) {
      events.emit('telemetry', {
        threadId: flow.id,
        type: 'fallback_triggered',
        from: models[index - 1].name,
        to: current.name,
      });
    }
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const began = Date.now();
      events.emit('telemetry', {
        threadId: flow.id,
        type: 'llm_request',
        model: current.name,
        attempt,
      });
      try {
        const answer = await ask(flow, current, request, signal, onText);
        const done = { ...log, ...answerLog(current, answer, Date.now() - began) };
        events.emit('telemetry', {
          threadId: flow.id,
          type: 'llm_response',
          tokens: answer.usage.totalTokens,
          latency: Date.now() - began,
        });
        return { aborted: false, answer, log: done };
      } catch (thrown) {
        if (signal.aborted) return { aborted: true };
        error = messageOf(thrown);
        const isLast = index === models.length - 1 && !mayRepeat(thrown, attempt);
        log = await logFailure(flow, log, current, thrown, isLast);
        onLog(log);
        if (!mayRepeat(thrown, attempt)) break;
        const wished = Number(/** @type {any} */ (thrown)?.retryAfter) * 1000 || 0;
        await sleep(Math.max(limits.retryDelayMs * 2 ** (attempt - 1), wished), undefined, {
          signal,
        }).catch(() => {});
        if (signal.aborted) return { aborted: true };
      }
    }
  }
  return { aborted: false, error };
}

/**
 * @param {unknown} error
 * @param {number} attempt
 */
function mayRepeat(error, attempt) {
  return (
    attempt < ATTEMPTS &&
    !(error instanceof StallError) &&
    /** @type {any} */ (error)?.isRetryable !== false
  );
}

/**
 * Closes the row of an attempt that failed, and opens that of the next.
 *
 * @param {import('../parts.js').Flow} flow
 * @param {LogRow} log
 * @param {any} model
 * @param {unknown} error
 * @param {boolean} isLast
 */
function logFailure(flow, log, model, error, isLast) {
  const { message_id, prompt_name } = log;
  return flow.write((change) => {
    const failed = {
      ...log,
      model: modelId(model),
      model_name: model.name,
      error: messageOf(error),
      error_type: isLast ? 'all_retries_exhausted' : 'api_error',
      error_origin: `provider:${model.name}`,
      is_complete: true,
    };
    putLog(change, failed);
    if (isLast) return failed;
    return addLog(change, {
      message_id,
      prompt_name,
      request_body: log.request_body,
      retry_of_log_id: log.id,
      is_complete: false,
    });
  });
}

/**
 * @param {any} model
 * @param {Answer} answer
 * @param {number} latencyMs
 * @returns {Partial<LogRow>}
 */
function answerLog(model, { content, toolCalls, finishReason, usage, firstMs }, latencyMs) {
  const { promptTokens = 0, completionTokens = 0, cachedTokens = 0 } = usage;
  const { inputPrice, outputPrice, cachedPrice } = model;
  const cost =
    ((promptTokens - cachedTokens) * (inputPrice ?? 0) +
      cachedTokens * (cachedPrice ?? inputPrice ?? 0) +
      completionTokens * (outputPrice ?? 0)) /
    1e6;
  return {
    model: modelId(model),
    model_name: model.name,
    response_body: JSON.stringify({ content, toolCalls, finishReason }),
    input_tokens: usage.promptTokens,
    output_tokens: usage.completionTokens,
    cached_tokens: usage.cachedTokens,
    reasoning_tokens: usage.reasoningTokens,
    total_tokens: usage.totalTokens,
    finish_reason: finishReason,
    latency_ms: latencyMs,
    time_to_first_token_ms: firstMs,
    ...((inputPrice !== undefined || outputPrice !== undefined) && { cost_total: cost }),
    is_complete: true,
  };
}

/**
 * @param {import('../parts.js').Flow} flow
 * @param {any} model
 * @param {any} request
 * @param {AbortSignal} outer
 * @param {(text: string) => void} onText
 * @returns {Promise<Answer>}
 */
async function ask(flow, model, request, outer, onText) {
  const { limits } = flow.parts;
  const provider = providerOf(model);
  const controller = new AbortController();
  const signal = AbortSignal.any([outer, controller.signal]);
  const full = { ...request, model: modelId(model), user: flow.id, signal };
  const watch = new StallWatch(controller);
  const isStreamed =
    typeof provider.stream === 'function' && model.capabilities?.supportsStreaming !== false;
  try {
    if (!isStreamed) {
      watch.expect(limits.firstChunkMs * UNSTREAMED_FACTOR, 'answered nothing');
      const answer = await watch.or(Promise.resolve(provider.generate(full)), outer);
      return readAnswer(answer);
    }
    watch.expect(limits.firstChunkMs, 'sent nothing');
    return await readStream(await watch.or(Promise.resolve(provider.stream?.(full)), outer), {
      watch,
      outer,
      stallMs: limits.stallMs,
      onText,
    });
  } finally {
    watch.end();
  }
}

/** Ends a request that is silent for too long. */
class StallWatch {
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  #controller;
  /** @type {(error: Error) => void} */
  #fail = () => {};
  #failed;

  /** @param {AbortController} controller */
  constructor(controller) {
    this.#controller = controller;
    this.#failed = /** @type {Promise<never>} */ (
      new Promise((_resolve, reject) => {
        this.#fail = reject;
      })
    );
    this.#failed.catch(() => {});
  }

  /**
   * @param {number} ms
   * @param {string} what
   */
  expect(ms, what) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const error = new StallError(`The model ${what} for ${ms} ms`);
      this.#fail(error);
      this.#controller.abort(error);
    }, ms);
  }

  /**
   * @template T
   * @param {Promise<T>} promise also given up when it does not listen to its signal
   * @param {AbortSignal} outer
   * @returns {Promise<T>}
   */
  async or(promise, outer) {
    const { promise: aborted, done } = whenAborted(outer);
    promise.catch(() => {});
    try {
      return await Promise.race([promise, this.#failed, aborted]);
    } finally {
      done();
    }
  }

  end() {
    clearTimeout(this.#timer);
  }
}

/** @param {AbortSignal} signal */
function whenAborted(signal) {
  /** @type {() => void} */
  let listener = () => {};
  const promise = /** @type {Promise<never>} */ (
    new Promise((_resolve, reject) => {
      listener = () => reject(signal.reason);
      if (signal.aborted) listener();
      else signal.addEventListener('abort', listener, { once: true });
    })
  );
  promise.catch(() => {});
  return { promise, done: () => signal.removeEventListener('abort', listener) };
}

/**
 * @param {any} stream chunks
 * @param {{ watch: StallWatch, outer: AbortSignal, stallMs: number, onText: (text: string) => void }} options
 * @returns {Promise<Answer>}
 */
async function readStream(stream, { watch, outer, stallMs, onText }) {
  const began = Date.now();
  const iterator = stream[Symbol.asyncIterator]();
  let content = '';
  let reasoning = '';
  /** @type {any[]} */
  const toolCalls = [];
  /** @type {any} */
  let finish;
  /** @type {number | null} */
  let firstMs = null;
  try {
    for (;;) {
      const { done, value: chunk } = await watch.or(Promise.resolve(iterator.next()), outer);
      if (done) break;
      firstMs ??= Date.now() - began;
      watch.expect(stallMs, 'paused');
      if (chunk.type === 'content-delta') {
        content += chunk.delta;
        onText(chunk.delta);
      } else if (chunk.type === 'reasoning-delta') reasoning += chunk.delta;
      else if (chunk.type === 'tool-call') toolCalls.push(chunk.toolCall);
      else if (chunk.type === 'finish') finish = chunk;
      else if (chunk.type === 'error') throw chunk.error;
    }
  } catch (error) {
    void Promise.resolve(iterator.return?.()).catch(() => {});
    throw error;
  }
  if (finish === undefined) throw new Error('The stream of the model ended before its answer did');
  return { ...readAnswer({ ...finish, content: content || null, toolCalls, reasoning }), firstMs };
}

/**
 * @param {any} given
 * @returns {Answer}
 */
function readAnswer(given) {
  if (typeof given !== 'object' || given === null) throw new Error('The model gave no answer');
  const { content = null, toolCalls, finishReason = 'stop', usage, reasoning } = given;
  const read = content === null || content === undefined ? null : String(content);
  return {
    content: read,
    toolCalls: (toolCalls ?? []).map(readCall),
    finishReason,
    usage: usage ?? {},
    reasoning: reasoning || undefined,
    firstMs: null,
  };
}

/** @param {any} call */
function readCall(call) {
  const { id, function: { name, arguments: args } = /** @type {any} */ ({}), ...rest } = call ?? {};
  if (typeof name !== 'string') throw new Error('The model made a tool call without a name');
  return {
    ...rest,
    id: typeof id === 'string' && id !== '' ? id : `call_${randomUUID()}`,
    type: /** @type {const} */ ('function'),
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}) },
  };
}

module.exports = { callModel };
