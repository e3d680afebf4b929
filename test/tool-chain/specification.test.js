'use strict';
// The specification of call_tool_chain, paragraph by paragraph.

const { closeAfterTest, makeSearchServer, useChain } = require('./chains.js');
const { readChainOptions } = require('../../lib/tool-chain/chain-options.js');
const { makeRawServer } = require('../mcp/upstreams.js');

const HITS = JSON.stringify({ query: 'MCP protocol', hits: [1, 2] }, null, 2);

describe('Tier 1: direct JSON', () => {
  test.each([
    [
      'the shape of the page',
      '{"tool": "exa.web_search_exa", "arguments": {"query": "MCP protocol"}}',
    ],
    [
      'over several lines',
      '\n{\n  "tool": "exa.web_search_exa",\n  "arguments": { "query": "MCP protocol" }\n}\n',
    ],
    ['a bare tool name', '{"tool":"web_search_exa","arguments":{"query":"MCP protocol"}}'],
    ['in a fence', '```json\n{"tool":"web_search_exa","arguments":{"query":"MCP protocol"}}\n```'],
  ])('dispatches %s without an isolate', async (_name, code) => {
    const { call } = await useChain();
    expect(await call(code)).toEqual({
      content: [{ type: 'text', text: HITS }],
      isError: false,
      tier: 'direct',
    });
  });

  test('JSON that names no tool is code, whose value it is', async () => {
    const { call } = await useChain();
    const answer = await call('{"a": 1}');
    expect(answer).toMatchObject({ tier: 'isolate', content: [{ text: '{\n  "a": 1\n}' }] });
  });

  test('an unknown tool is an error that says where to look', async () => {
    const { errorOf } = await useChain();
    expect(await errorOf('{"tool":"exa.nope"}')).toBe(
      "tool 'exa.nope' not found. Use search_tools to find tools by words.",
    );
  });
});

describe('Tier 2: simple single-call TypeScript', () => {
  test.each([
    [
      'the example',
      'const result = await exa.web_search_exa({query: "MCP protocol"});\nreturn result;',
    ],
    [
      'const x = await b.t({...}); return x;',
      'const x = await exa.web_search_exa({"query": "MCP protocol"}); return x;',
    ],
    ['without blanks', 'const r=await exa.web_search_exa({"query":"MCP protocol"});return r;'],
    ['return await b.t({...})', 'return await exa.web_search_exa({ query: `MCP protocol` })'],
    ['bare b.t({...})', 'exa.web_search_exa({query: "MCP protocol"})'],
    [
      'over many lines',
      'const result =\n  await exa\n    .web_search_exa({\n      // what to look for\n      query: "MCP protocol",\n    })\n;\nreturn result;\n',
    ],
    ['an awaited promise', 'let p = exa.web_search_exa({query: "MCP protocol"}); return await p'],
    ['a mirror', 'globalThis["exa"].web_search_exa({query: "MCP protocol"})'],
    ['__backends', '__backends.exa["web_search_exa"]({query: "MCP protocol"})'],
    ['a fence', '```ts\nreturn await exa.web_search_exa({query: "MCP protocol"});\n```'],
  ])('takes %s', async (_name, code) => {
    const { call } = await useChain();
    expect(await call(code)).toEqual({
      content: [{ type: 'text', text: HITS }],
      isError: false,
      tier: 'call',
    });
  });

  test.each([
    ['__interfaces', '__interfaces'],
    ['a returned __interfaces', 'return __interfaces;'],
    ['__getToolInterface(name)', '__getToolInterface("exa.web_search_exa")'],
    ['it in a variable', "const i = await __getToolInterface('web_search_exa'); return i"],
  ])('answers %s without an isolate, as an isolate would', async (_name, code) => {
    const { call } = await useChain();
    const answer = await call(code);
    expect(answer).toMatchObject({ isError: false, tier: 'introspection' });
    const inIsolate = await call(code.replace(/^(?:return )?(__.*?);?$/, 'let x = 1; return $1'));
    expect(inIsolate.content).toEqual(answer.content);
  });
});

describe('Tier 3: full V8 sandbox', () => {
  test.each([
    [
      'a loop',
      'let n = 0; for (const q of ["a", "b"]) n += (await exa.web_search_exa({ query: q })).hits.length; return n',
      '4',
    ],
    [
      'branching',
      'const { hits } = await exa.web_search_exa({ query: "x" }); if (hits.length > 1) return "many"; return "few"',
      'many',
    ],
    [
      'several calls',
      'return (await Promise.all([exa.say({ text: "1" }), exa.say({ text: "2" })])).join("+")',
      '1+2',
    ],
    [
      'TypeScript',
      'type Hit = { hits: number[] }; const r: Hit = await exa.web_search_exa({ query: "x" }); return r.hits as unknown',
      '[\n  1,\n  2\n]',
    ],
  ])('runs code with %s', async (_name, code, text) => {
    const { call } = await useChain();
    expect(await call(code)).toEqual({
      content: [{ type: 'text', text }],
      isError: false,
      tier: 'isolate',
    });
  });
});

describe('Runtime model', () => {
  test('the defaults are those of the page', () => {
    const { output, sandbox } = readChainOptions({ backends: {} });
    expect(sandbox).toEqual({
      timeoutMs: 30_000,
      heapBytes: 50 * 2 ** 20,
      maxOutputBytes: 200_000,
      maxRuns: 8,
    });
    expect(output).toEqual({ autoChunkJson: true, smartTruncation: true, chunkThreshold: 10_240 });
  });

  test('code runs on a thread of its own: the host goes on meanwhile', async () => {
    const { call } = await useChain();
    let turns = 0;
    const count = setInterval(() => turns++, 1);
    await call('for (;;);', { timeout: 500 });
    clearInterval(count);
    expect(turns).toBeGreaterThan(10);
  });

  test('the timeout holds in every tier', async () => {
    const stall = makeRawServer({
      list: () => ({ tools: [{ name: 'stall', inputSchema: { type: 'object' } }] }),
      call: () => new Promise(() => {}),
    });
    const { errorOf } = await useChain({ slow: stall });
    for (const code of [
      '{"tool":"slow.stall"}',
      'slow.stall()',
      'let x = 1; return await slow.stall()',
      'for (;;);',
    ]) {
      // The default is 30 s, longer than a test may take.
      expect(await errorOf(code, { timeout: 100 })).toBe('The call timed out after 100 ms');
    }
  });

  test('the default timeout comes from the configuration', async () => {
    const { errorOf } = await useChain(undefined, { sandbox: { timeout: 50 } });
    expect(await errorOf('for (;;);')).toBe('The call timed out after 50 ms');
  });

  test('the heap is limited, to 50 MiB unless the configuration says otherwise', async () => {
    const fill = (MiB) =>
      `const all = []; for (let i = 0; i < ${MiB}; i++) all.push(new Uint8Array(2 ** 20)); return all.length`;
    const { errorOf, textOf } = await useChain();
    expect(await textOf(fill(30))).toBe('30');
    expect(await errorOf(fill(60))).toBe(
      'The code used more than the 52428800 bytes of memory it may have',
    );
    const { textOf: textOfLarger } = await useChain(undefined, {
      sandbox: { max_heap_size: 2 ** 27 },
    });
    expect(await textOfLarger(fill(60))).toBe('60');
  });

  test('waiting for a place longer than the timeout is a clear error', async () => {
    const { call, errorOf } = await useChain(undefined, {
      sandbox: { max_concurrent_sandboxes: 1 },
    });
    const controller = new AbortController();
    const first = call('for (;;);', {}, { signal: controller.signal });
    expect(await errorOf('let x = 1; return x', { timeout: 100 })).toBe(
      'sandbox concurrency limit reached. All V8 isolates are busy. ' +
        'Try again shortly or increase max_concurrent_sandboxes in config.',
    );
    // The other tiers need no place.
    expect(await call('exa.say({ text: "hi" })')).toMatchObject({ isError: false, tier: 'call' });
    controller.abort();
    expect(await first).toMatchObject({ isError: true });
  });
});

describe('Bridge contract', () => {
  test('there is an object per backend, with async functions under sanitized and original names', async () => {
    const { textOf } = await useChain({ 'my-backend': makeSearchServer() });
    const code = `
      const byName = globalThis['my-backend'];
      return [
        byName === my_backend, __backends.my_backend === my_backend, __backends['my-backend'] === my_backend,
        Object.keys(my_backend).sort().join(),
        await my_backend.no_args(), await my_backend['no-args'](),
        my_backend.say({ text: 'x' }) instanceof Promise,
      ]`;
    expect(JSON.parse(await textOf(code))).toEqual([
      true,
      true,
      true,
      'echo,fail,image,no-args,no_args,say,web_search_exa',
      'plain text',
      'plain text',
      true,
    ]);
  });

  test('__interfaces has the schemas, by sanitized backend and original tool', async () => {
    const { textOf } = await useChain({ 'my-backend': makeSearchServer() });
    const tool = JSON.parse(
      await textOf('let x = 1; return __interfaces.my_backend["web_search_exa"]'),
    );
    expect(tool).toMatchObject({
      name: 'web_search_exa',
      description: 'Searches the web',
      input_schema: { type: 'object', required: ['query'] },
    });
  });

  test('__getToolInterface takes qualified and bare names, and gives null for others', async () => {
    const { textOf } = await useChain({ 'my-backend': makeSearchServer() });
    const code = `return ['my-backend.no-args', 'my_backend.no_args', 'no-args', 'no_args', 'nope', 'my-backend', 'exa.say']
      .map((name) => __getToolInterface(name)?.name ?? null)`;
    expect(JSON.parse(await textOf(code))).toEqual([...Array(4).fill('no-args'), null, null, null]);
  });

  test('tools that answer with an outputSchema are known with it', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } } };
    const { textOf } = await useChain({
      b: {
        list: () => ({ tools: [{ name: 't', inputSchema: { type: 'object' }, outputSchema }] }),
        call: () => ({ content: [], structuredContent: { n: 1 } }),
      },
    });
    expect(JSON.parse(await textOf('__getToolInterface("b.t")')).output_schema).toEqual(
      outputSchema,
    );
    expect(await textOf('return (await b.t()).n + 1')).toBe('2');
  });
});

describe('User-code wrapping', () => {
  test.each([
    ['wrapped', 'const r = await exa.web_search_exa({query: "test"});\nlet x;\nreturn r.hits;'],
    [
      'a default main',
      'export default async function main() {\n  return (await exa.web_search_exa({query: "test"})).hits;\n}',
    ],
    [
      'an exported main',
      'const q = { query: "test" };\nexport async function main() {\n  return (await exa.web_search_exa(q)).hits;\n}\nconsole.log("module code");',
    ],
    [
      'an exported main that is not async',
      'let hits = [1, 2]; export function main() { return hits }',
    ],
    [
      'an exported constant main',
      'let x; export const main = async (): Promise<number[]> => [1, 2];',
    ],
    [
      'an exported main that the code calls itself',
      'let n = 0; export async function main() { n++; return [n, n + 1] }\nawait main()',
    ],
  ])('%s works', async (_name, code) => {
    const { textOf } = await useChain();
    expect(JSON.parse(await textOf(code))).toEqual([1, 2]);
  });

  test('a throw is a failure, not a value', async () => {
    const { errorOf } = await useChain();
    expect(await errorOf('let x;\nthrow new TypeError("no")')).toBe(
      'TypeError: no (line 2, column 7)',
    );
    expect(await errorOf('export default () => { throw new Error("no") }')).toMatch(
      /^Error: no \(line 1/,
    );
    expect(await errorOf('throw "text"')).toBe('Uncaught text');
    expect(await errorOf('let x; return Promise.reject(new Error("later"))')).toMatch(
      /^Error: later/,
    );
  });

  test('no value is null, a string is its text, and all else is pretty JSON', async () => {
    const { textOf } = await useChain();
    expect(await textOf('const x = 1;')).toBe('null');
    expect(await textOf('let x; return "a\\nb"')).toBe('a\nb');
    expect(await textOf('let x; return { b: 1, a: [] }')).toBe('{\n  "b": 1,\n  "a": []\n}');
  });
});

describe('Security model', () => {
  test.each([
    ['modules', 'return require("fs")', /^Error: require\("fs"\) is not available/],
    ['imports', 'return await import("node:fs")', /Error: /],
    ['code from text', 'return eval("1")', /^EvalError: /],
  ])('there are no %s', async (_name, code, error) => {
    const { errorOf } = await useChain();
    expect(await errorOf(code)).toMatch(error);
  });

  test('there is nothing of Node, and nothing of the bridge but what is documented', async () => {
    const { textOf } = await useChain();
    const code = `let bare = Object.getOwnPropertyNames(globalThis).filter((name) => /isobox|^__/.test(name));
      return [typeof process, typeof Buffer, typeof fetch, typeof setTimeout, bare.sort().join()]`;
    expect(JSON.parse(await textOf(code))).toEqual([
      ...Array(4).fill('undefined'),
      '__backends,__getToolInterface,__interfaces,__readResult',
    ]);
  });
});

test('a chain answers nothing after it was closed', async () => {
  const { chain, call } = await useChain();
  await chain.close();
  expect(await call('let x; return 1')).toMatchObject({ isError: true });
  closeAfterTest(chain);
});
