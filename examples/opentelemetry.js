'use strict';
// Traces of runs: a span for each run, below whatever its caller is doing, and below it a span for each call the guest
// makes. Spans that a host function starts are below that of its call.

const diagnostics = require('node:diagnostics_channel');

const { SpanKind, SpanStatusCode, context, trace } = require('@opentelemetry/api');
const { AsyncLocalStorageContextManager } = require('@opentelemetry/context-async-hooks');
const {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} = require('@opentelemetry/sdk-trace-base');

const { IsolatePool } = require('../lib/index.js');

/** The SDK's context manager keeps its store to itself; the channels have to set it around host functions. */
class SharedContextManager extends AsyncLocalStorageContextManager {
  /** @returns {import('node:async_hooks').AsyncLocalStorage<import('@opentelemetry/api').Context>} */
  get store() {
    return this['_asyncLocalStorage'];
  }
}

/**
 * Traces every run of the process from now on.
 *
 * @param {import('@opentelemetry/api').Tracer} tracer
 * @param {SharedContextManager} contexts the registered one
 * @returns {() => void} ends the tracing
 */
function traceRuns(tracer, contexts) {
  /** Open spans, by run, and by run and call. @type {Map<string, import('@opentelemetry/api').Span>} */
  const open = new Map();
  const keyOf = (/** @type {{ runId: number, callId?: number }} */ { runId, callId }) =>
    callId === undefined ? `${runId}` : `${runId}/${callId}`;

  const start = (/** @type {any} */ message, /** @type {string} */ name, attributes = {}) => {
    const span = tracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes });
    open.set(keyOf(message), span);
    return trace.setSpan(context.active(), span);
  };
  const end = (/** @type {any} */ message, attributes = {}, /** @type {string} */ failure = '') => {
    const span = open.get(keyOf(message));
    open.delete(keyOf(message));
    span?.setAttributes(attributes);
    if (failure !== '') span?.setStatus({ code: SpanStatusCode.ERROR, message: failure });
    span?.end();
  };

  const runStart = diagnostics.channel('isobox:run:start');
  const callStart = diagnostics.channel('isobox:call:start');
  /** @param {any} message */
  const onRunEnd = (message) => {
    const { cause, facts } = message;
    end(
      message,
      {
        'isobox.cause': cause,
        'isobox.cpu_ms': facts.cpuMs,
        'isobox.queued_ms': facts.queuedMs,
        'isobox.peak_memory_bytes': facts.peakMemoryBytes,
        'isobox.call_count': facts.callCount,
      },
      cause === 'finished' ? '' : cause,
    );
  };
  /** @param {any} message */
  const onCallEnd = (message) => end(message, {}, message.error?.message);

  // What a bound store is set to holds in the host functions of the run, or of the call.
  runStart.bindStore(contexts.store, (/** @type {any} */ message) =>
    start(message, 'isobox.run', { 'isobox.filename': message.filename }),
  );
  callStart.bindStore(contexts.store, (/** @type {any} */ message) => {
    const { namespace, name } = message;
    return start(message, namespace === undefined ? name : `${namespace}.${name}`);
  });
  diagnostics.subscribe('isobox:call:end', onCallEnd);
  diagnostics.subscribe('isobox:run:end', onRunEnd);
  return () => {
    runStart.unbindStore(contexts.store);
    callStart.unbindStore(contexts.store);
    diagnostics.unsubscribe('isobox:call:end', onCallEnd);
    diagnostics.unsubscribe('isobox:run:end', onRunEnd);
  };
}

async function main() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const contexts = new SharedContextManager().enable();
  context.setGlobalContextManager(contexts);
  trace.setGlobalTracerProvider(provider);
  const tracer = trace.getTracer('shop');
  const stop = traceRuns(trace.getTracer('isobox'), contexts);

  const pool = new IsolatePool();
  const request = {
    filename: 'order.js',
    source: `
      const [plum, pear] = await Promise.all([shop.price('plum'), shop.price('pear')]);
      await shop.order({ item: 'fig' }).catch(() => {});
      return plum + pear;`,
    namespaces: {
      shop: {
        price: (/** @type {string} */ item) =>
          tracer.startActiveSpan(`SELECT ${item}`, async (span) => {
            await new Promise(setImmediate);
            span.end();
            return item.length;
          }),
        order: async () => {
          throw new Error('no figs left');
        },
      },
    },
  };
  await tracer.startActiveSpan('POST /orders', async (span) => {
    await pool.run(request);
    span.end();
  });
  await pool.dispose();
  stop();
  printTree(exporter.getFinishedSpans());
  await provider.shutdown();
}

/**
 * @param {import('@opentelemetry/sdk-trace-base').ReadableSpan[]} spans
 * @param {string | undefined} [parent]
 * @param {string} [indent]
 */
function printTree(spans, parent, indent = '') {
  for (const span of spans.filter(
    ({ parentSpanContext }) => parentSpanContext?.spanId === parent,
  )) {
    const failure = span.status.code === SpanStatusCode.ERROR ? `: ${span.status.message}` : '';
    console.log(`${indent}${span.name}${failure}`);
    printTree(spans, span.spanContext().spanId, `${indent}  `);
  }
}

if (require.main === module) main();

module.exports = { SharedContextManager, traceRuns };
