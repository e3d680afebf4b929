'use strict';
// What is served under which path.

const { randomUUID } = require('node:crypto');

const { version: isoboxVersion } = require('../../../package.json');
const { Semaphore } = require('../../semaphore.js');
const { readInSteps } = require('../../schema/json-schema.js');
const { inTurns } = require('../../turns.js');
const { isRecord } = require('../../checks/options.js');
const { Failure, asFailure } = require('../base/failures.js');
const { readAsk } = require('./ask.js');
const { failureBody } = require('./versions.js');
const { callWebhook, readWebhook } = require('./webhook.js');

/** @typedef {InstanceType<typeof import('./service.js').Service>} Service */
/** @typedef {import('./service.js').Context} Context */
/** @typedef {(service: Service, context: Context) => Promise<any>} Route its body, or `{ status, body }`; text is JSON */

/** Tools of one batch that run at the same time. */
const BATCH_WIDTH = 4;

/** @type {Route} */
async function health(_service, { version }) {
  return {
    status: 'ok',
    protocolVersion: version,
    implementationVersion: isoboxVersion,
    runtime: 'node',
    timestamp: new Date().toISOString(),
  };
}

/** @type {Route} */
async function info({ options }, { version }) {
  return {
    name: options.name,
    version: isoboxVersion,
    protocolVersion: version,
    capabilities: {
      // The nearest of the protocol's four words; `ways` has the right ones.
      isolation: 'process',
      ways: options.isolateOnly ? ['isolate'] : ['isolate', 'process'],
      executionModes: ['sync', 'stream', 'async'],
      maxExecutionTimeMs: options.executionTimeoutMs,
      maxRequestBodyBytes: options.maxBodyBytes,
      supportsStreaming: true,
      supportsCallbacks: true,
      supportsCaching: true,
    },
    runtime: {
      platform: process.platform,
      nodeVersion: process.versions.node,
      ...(options.region !== undefined && { region: options.region }),
    },
  };
}

/** @type {Route} */
async function overview({ options }, { version }) {
  return {
    name: options.name,
    version: isoboxVersion,
    protocolVersion: version,
    endpoints: { health: '/health', info: '/info', execute: '/execute-tool' },
  };
}

/** @type {Route} */
async function executeTool(service, context) {
  const ask = readAsk(context.body, ['name']);
  return executed(service, ask, context);
}

/**
 * @param {Service} service
 * @param {import('./ask.js').ToolAsk} ask
 * @param {Omit<Context, 'body'>} context
 * @returns {Promise<{ status: number, body: string | object }>} failures of tools included
 */
async function executed({ engine }, ask, { version, signal, startedAt, told }) {
  /** @type {import('../engine.js').Metadata} */
  const metadata = { packageName: ask.packageName };
  const rest = () => ({
    executionTimeMs: Math.round((performance.now() - startedAt) * 1000) / 1000,
    metadata,
  });
  try {
    const { text } = await engine.run(ask, { action: 'execute', metadata, signal, told });
    // The text is known to be JSON, and may be long: it is not written again.
    const body = `{"success":true,"output":${text},${JSON.stringify(rest()).slice(1)}`;
    return { status: 200, body };
  } catch (error) {
    const failure = asFailure(error);
    return { status: failure.kind.status, body: { ...failureBody(failure, version), ...rest() } };
  }
}

/** @type {Route} */
async function loadAndDescribe({ engine }, { body, signal }) {
  const ask = readAsk(body, ['name', 'version']);
  const metadata = { packageName: ask.packageName };
  const { value } = await engine.run(ask, { action: 'describe', metadata, signal });
  return { success: true, tool: value, metadata };
}

/** @type {Route} */
async function listExports({ engine }, { body, signal }) {
  const ask = readAsk(body, []);
  /** @type {import('../engine.js').Metadata} */
  const metadata = { packageName: ask.packageName };
  const { value } = await engine.run(ask, { action: 'exports', metadata, signal });
  return {
    success: true,
    packageName: ask.packageName,
    version: metadata.version,
    exports: value?.exports,
    tools: value?.tools,
    metadata,
  };
}

/** @type {Route} */
async function validateTool({ engine }, { body, signal, startedAt }) {
  const ask = readAsk(body, ['name']);
  const metadata = { packageName: ask.packageName };
  const { value: tool } = await engine.run(ask, { action: 'describe', metadata, signal });
  if (!isRecord(tool?.inputSchema)) throw new Failure('noSchema', 'The tool has no input schema');
  let checked;
  try {
    const check = await inTurns(readInSteps(tool.inputSchema), signal);
    checked = await check(ask.params, 'params', signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new Failure(
      'noSchema',
      `The tool's input schema: ${/** @type {Error} */ (error).message}`,
    );
  }
  return {
    success: true,
    valid: checked.ok,
    errors: checked.ok ? [] : [checked.reason],
    tool,
    executionTimeMs: Math.round(performance.now() - startedAt),
    metadata,
  };
}

/** @type {Route} */
async function executeBatch(service, context) {
  const { requests } = context.body;
  const { maxBatch } = service.options;
  if (!Array.isArray(requests) || requests.length === 0 || requests.length > maxBatch) {
    throw new Failure('badRequest', `requests must be an array of 1 to ${maxBatch} requests`);
  }
  const places = new Semaphore(BATCH_WIDTH);
  const results = await Promise.all(
    requests.map(async (request) => {
      await places.acquire();
      const startedAt = performance.now();
      try {
        if (!isRecord(request)) throw new Failure('badRequest', 'A request must be an object');
        const ask = readAsk(request, ['name']);
        const { body } = await executed(service, ask, { ...context, startedAt });
        return body;
      } catch (error) {
        const failed = failureBody(asFailure(error), context.version);
        return { ...failed, executionTimeMs: Math.round(performance.now() - startedAt) };
      } finally {
        places.release();
      }
    }),
  );
  const texts = results.map((body) => (typeof body === 'string' ? body : JSON.stringify(body)));
  const executionTimeMs = Math.round(performance.now() - context.startedAt);
  return {
    status: 200,
    body: `{"success":true,"results":[${texts.join(',')}],"executionTimeMs":${executionTimeMs}}`,
  };
}

/** @type {Route} */
async function executeAsync(service, context) {
  const { allowPrivateAddresses: allowPrivate, requestTimeoutMs } = service.options;
  const ask = readAsk(context.body, ['name']);
  const url = readWebhook(context.body.webhookUrl, allowPrivate);
  const executionId = randomUUID();
  const { version } = context;
  // It goes on when the one who asked for it has its answer, and has a place of its own until the webhook was called.
  const release = service.enter();
  const expired = new Failure('timeout', `The request took more than ${requestTimeoutMs} ms`);
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(expired), requestTimeoutMs);
  executed(service, ask, { version, signal: controller.signal, startedAt: context.startedAt })
    .then(({ body }) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const told = `{"executionId":${JSON.stringify(executionId)},${text.slice(1)}`;
      return callWebhook(url, told, { allowPrivate, version });
    })
    .finally(() => {
      clearTimeout(timer);
      release();
    });
  return { status: 202, body: { success: true, status: 'accepted', executionId } };
}

/** @type {ReadonlyMap<string, Route>} */
const ROUTES = new Map([
  ['GET /', overview],
  ['GET /health', health],
  ['GET /info', info],
  ['POST /execute-tool', executeTool],
  ['POST /execute-async', executeAsync],
  ['POST /execute-batch', executeBatch],
  ['POST /validate-tool', validateTool],
  ['POST /load-and-describe', loadAndDescribe],
  ['POST /list-exports', listExports],
]);

/** Paths whose work can be followed as it goes on. */
const STREAMED = new Set(['/execute-tool']);

module.exports = { ROUTES, STREAMED };
