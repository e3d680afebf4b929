'use strict';
// examples/opentelemetry.js with the real SDK: every guest call is a child span of its run.

const path = require('node:path');

const { SpanStatusCode, context, trace } = require('@opentelemetry/api');
const {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} = require('@opentelemetry/sdk-trace-base');

const { SharedContextManager, traceRuns } = require('../../examples/opentelemetry.js');
const { runNode } = require('../support/child.js');
const { usePool } = require('../support/pools.js');

const { run } = usePool();

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const tracer = provider.getTracer('test');
let stop;

beforeAll(() => {
  const contexts = new SharedContextManager().enable();
  context.setGlobalContextManager(contexts);
  stop = traceRuns(tracer, contexts);
});

beforeEach(() => exporter.reset());

afterAll(async () => {
  stop();
  context.disable();
  await provider.shutdown();
});

/** The finished spans of one name. */
const spansNamed = (wanted) => exporter.getFinishedSpans().filter(({ name }) => name === wanted);
const parentOf = (span) => span.parentSpanContext?.spanId;

test('the example prints the tree of spans', async () => {
  const file = path.join(__dirname, '..', '..', 'examples', 'opentelemetry.js');
  const { code, stdout, stderr } = await runNode([file]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.split('\n')).toEqual([
    'POST /orders',
    '  isobox.run',
    '    shop.price',
    '      SELECT plum',
    '    shop.price',
    '      SELECT pear',
    '    shop.order: no figs left',
    '',
  ]);
});

test('calls are children of their own run, and runs of what their callers do', async () => {
  const requests = ['a', 'b', 'c'].map((filename) => ({
    filename,
    source: 'await Promise.all([host.fine(), host.fine()])',
    namespaces: { host: { fine: async () => void (await new Promise(setImmediate)) } },
  }));
  await Promise.all(
    requests.map((request) =>
      tracer.startActiveSpan(`caller of ${request.filename}`, async (span) => {
        await run(request);
        span.end();
      }),
    ),
  );
  const runs = spansNamed('isobox.run');
  expect(runs).toHaveLength(3);
  for (const span of runs) {
    const [caller] = spansNamed(`caller of ${span.attributes['isobox.filename']}`);
    expect(parentOf(span)).toBe(caller.spanContext().spanId);
    expect(span.attributes).toMatchObject({ 'isobox.cause': 'finished', 'isobox.call_count': 2 });
    const calls = spansNamed('host.fine').filter(
      (call) => parentOf(call) === span.spanContext().spanId,
    );
    expect(calls).toHaveLength(2);
  }
});

test('a run that is stopped has the cause as its status, and its open calls end with it', async () => {
  const outcome = await run({
    source: 'await host.never()',
    namespaces: { host: { never: () => new Promise(() => {}) } },
    limits: { wallMs: 300 },
  });
  expect(outcome.cause).toBe('deadline');
  const [span] = spansNamed('isobox.run');
  expect(span.status).toEqual({ code: SpanStatusCode.ERROR, message: 'deadline' });
  const [call] = spansNamed('host.never');
  expect(parentOf(call)).toBe(span.spanContext().spanId);
  expect(call.status.code).toBe(SpanStatusCode.ERROR);
});

test('spans that a host function starts are below that of its call', async () => {
  const work = () =>
    tracer.startActiveSpan('query', async (span) => {
      await new Promise(setImmediate);
      span.end();
      return trace.getActiveSpan()?.spanContext().spanId === span.spanContext().spanId;
    });
  const { value } = await run({
    source: 'return await host.work()',
    namespaces: { host: { work } },
  });
  expect(value).toBe(true);
  expect(parentOf(spansNamed('query')[0])).toBe(spansNamed('host.work')[0].spanContext().spanId);
});
