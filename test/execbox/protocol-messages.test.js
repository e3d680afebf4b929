'use strict';
// Protocol reference: Message Catalog, Provider Manifest Contract. Runner specification: JSON Transport Note.

const { resolveProvider } = require('../../lib/execbox/index.js');
const {
  extractProviderManifests,
  isDispatcherMessage,
  isRunnerMessage,
} = require('../../lib/protocol/index.js');

const OPTIONS = {
  timeoutMs: 1000,
  memoryLimitBytes: 67108864,
  maxLogLines: 100,
  maxLogChars: 64000,
};
const MANIFEST = {
  name: 'tools',
  tools: { echo: { safeName: 'echo', originalName: 'echo', description: 'Echo input' } },
  types: 'declare namespace tools { ... }',
};
const EXECUTE = {
  type: 'execute',
  id: 'exec-1',
  code: '1',
  options: OPTIONS,
  providers: [MANIFEST],
};
const ERROR = { code: 'tool_error', message: 'no' };
const DONE = { type: 'done', id: 'exec-1', ok: true, durationMs: 3, logs: ['a'] };

test.each([
  ['execute', EXECUTE],
  ['execute without providers', { ...EXECUTE, providers: [] }],
  ['execute without some limits', { ...EXECUTE, options: {} }],
  ['execute with fields of the future', { ...EXECUTE, trace: 1 }],
  ['cancel', { type: 'cancel', id: 'x' }],
  ['a result', { type: 'tool_result', callId: 'c', ok: true, result: null }],
  ['a result that JSON left out', { type: 'tool_result', callId: 'c', ok: true }],
  ['a failure', { type: 'tool_result', callId: 'c', ok: false, error: ERROR }],
])('%s is a dispatcher message, and no runner message', (_name, message) => {
  expect(isDispatcherMessage(message)).toBe(true);
  expect(isDispatcherMessage(JSON.parse(JSON.stringify(message)))).toBe(true);
  expect(isRunnerMessage(message)).toBe(false);
});

test.each([
  ['started', { type: 'started', id: 'x' }],
  ['a call', { type: 'tool_call', callId: 'c', providerName: 'p', safeToolName: 't', input: {} }],
  [
    'a call whose input JSON left out',
    { type: 'tool_call', callId: 'c', providerName: 'p', safeToolName: 't' },
  ],
  ['done with a result', { ...DONE, result: 1 }],
  ['done without a result', DONE],
  ['done with an error', { ...DONE, ok: false, error: ERROR }],
])('%s is a runner message, and no dispatcher message', (_name, message) => {
  expect(isRunnerMessage(message)).toBe(true);
  expect(isDispatcherMessage(message)).toBe(false);
});

test.each([
  ['nothing', undefined],
  ['null', null],
  ['text', '{"type":"cancel","id":"x"}'],
  ['an array', [EXECUTE]],
  ['no type', { id: 'x' }],
  ['an unknown type', { type: 'ping', id: 'x' }],
  ['a type that is none', { type: 5 }],
  ['the name of an inherited property', { type: 'constructor', id: 'x' }],
  ['execute without code', { ...EXECUTE, code: undefined }],
  ['execute with a number for an id', { ...EXECUTE, id: 1 }],
  ['execute without options', { ...EXECUTE, options: undefined }],
  ['execute with a limit that is no number', { ...EXECUTE, options: { timeoutMs: '5' } }],
  ['execute with a limit that is not finite', { ...EXECUTE, options: { timeoutMs: Infinity } }],
  ['execute without providers', { ...EXECUTE, providers: undefined }],
  ['a manifest without tools', { ...EXECUTE, providers: [{ name: 'x', types: '' }] }],
  ['a manifest without types', { ...EXECUTE, providers: [{ name: 'x', tools: {} }] }],
  [
    'a tool without a safe name',
    { ...EXECUTE, providers: [{ ...MANIFEST, tools: { a: { originalName: 'a' } } }] },
  ],
  ['cancel without an id', { type: 'cancel' }],
  ['a result without a call', { type: 'tool_result', ok: true, result: 1 }],
  ['a result that is neither', { type: 'tool_result', callId: 'c', result: 1 }],
  ['a failure without an error', { type: 'tool_result', callId: 'c', ok: false }],
  [
    'a failure with half an error',
    { type: 'tool_result', callId: 'c', ok: false, error: { code: 'x' } },
  ],
  ['started without an id', { type: 'started' }],
  ['a call without a tool', { type: 'tool_call', callId: 'c', providerName: 'p' }],
  ['done without logs', { ...DONE, logs: undefined }],
  ['done with logs that are no text', { ...DONE, logs: [1] }],
  ['done without a duration', { ...DONE, durationMs: undefined }],
  ['done that failed without an error', { ...DONE, ok: false }],
])('%s is no message', (_name, value) => {
  expect(isDispatcherMessage(value)).toBe(false);
  expect(isRunnerMessage(value)).toBe(false);
});

test('manifests hold metadata, and nothing that acts', () => {
  const provider = resolveProvider({
    name: 'docs',
    tools: {
      'search-docs': {
        description: 'Finds.',
        inputSchema: { type: 'object' },
        execute: () => 'secret',
      },
      plain: { execute() {} },
    },
  });
  expect(extractProviderManifests([provider])).toEqual([
    {
      name: 'docs',
      tools: {
        search_docs: {
          safeName: 'search_docs',
          originalName: 'search-docs',
          description: 'Finds.',
        },
        plain: { safeName: 'plain', originalName: 'plain' },
      },
      types: provider.types,
    },
  ]);
  expect(structuredClone(extractProviderManifests([provider]))).toEqual(
    extractProviderManifests([provider]),
  );
});
