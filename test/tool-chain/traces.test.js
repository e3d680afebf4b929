'use strict';
// Spans with the real OpenTelemetry SDK: one per request, and one per call below it.

const { context, trace } = require('@opentelemetry/api');
const { AsyncLocalStorageContextManager } = require('@opentelemetry/context-async-hooks');
const {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} = require('@opentelemetry/sdk-trace-base');

const { useChain } = require('./chains.js');

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterEach(() => exporter.reset());
afterAll(() => {
  context.disable();
  trace.disable();
});

const useTraced = () => useChain(undefined, { tracer: provider.getTracer('test') });
const spans = () =>
  exporter.getFinishedSpans().map(({ name, attributes, status, parentSpanContext }) => ({
    name,
    attributes,
    failed: status.code === 2,
    parent: parentSpanContext?.spanId,
  }));

test.each([
  ['call', 'exa.say({ text: "x" })'],
  ['direct', '{"tool":"exa.say","arguments":{"text":"x"}}'],
  ['isolate', 'let x; return await exa.say({ text: "x" })'],
])('a request has a span, and its call one below it (%s)', async (tier, code) => {
  const { textOf } = await useTraced();
  expect(await textOf(code)).toBe('x');
  const [call, request] = spans();
  const { spanId } = exporter.getFinishedSpans()[1].spanContext();
  expect(call).toEqual({
    name: 'tools/call exa.say',
    attributes: { 'mcp.backend': 'exa', 'mcp.tool': 'say' },
    failed: false,
    parent: spanId,
  });
  expect(request).toEqual({
    name: 'call_tool_chain',
    attributes: { 'isobox.tier': tier, 'isobox.calls': 1 },
    failed: false,
    parent: undefined,
  });
});

test('what failed is seen to have failed', async () => {
  const { errorOf } = await useTraced();
  await errorOf('let x; return await exa.fail()');
  expect(spans().map(({ name, failed }) => [name, failed])).toEqual([
    ['tools/call exa.fail', true],
    ['call_tool_chain', true],
  ]);
});
