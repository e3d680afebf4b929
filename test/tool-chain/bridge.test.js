'use strict';
// What code gets of a backend does not depend on how it names it, nor on how many tools there are.

const { bridge } = require('../../lib/tool-chain/guest-bridge.js');
const { Registry } = require('../../lib/tool-chain/registry.js');
const { listOf, useChain } = require('./chains.js');

const TOOLS = ['get-it', 'get_it', 'plain', 'größe', 'plainé', '$x', 'then'];

const useBackends = () =>
  useChain({
    b: {
      list: listOf(...TOOLS),
      call: ({ name }) => ({ content: [{ type: 'text', text: name }] }),
    },
    $b: { list: listOf('only'), call: () => ({ content: [{ type: 'text', text: 'dollar' }] }) },
    bb: { list: listOf('only'), call: () => ({ content: [{ type: 'text', text: 'longer' }] }) },
  });

describe('tools are reached however they are written', () => {
  test.each([
    ['behind a dot', 'let x; return await b.plain()', 'plain'],
    ['over lines', 'let x; return await b\n  .plain()', 'plain'],
    ['optionally', 'let x; return await b?.plain?.()', 'plain'],
    ['behind a comment', 'let x; return await b/* b. */.plain()', 'plain'],
    ['in brackets', 'let x; return await b["get-it"]()', 'get-it'],
    ['by a name that is computed', 'let x = "get"; return await b[x + "-it"]()', 'get-it'],
    ['by destructuring', 'const { plain } = b; return await plain()', 'plain'],
    ['by another variable', 'const c = b; return await c.plain()', 'plain'],
    ['by an argument', 'const f = (c) => c.plain(); return await f(b)', 'plain'],
    ['in a template', 'let x; return `${await b.plain()} ${typeof b.nope}`', 'plain undefined'],
    ['with letters beyond ASCII', 'let x; return await b.größe()', 'größe'],
    ['with ASCII before them', 'let x; return await b.plainé()', 'plainé'],
    ['with a dollar sign', 'let x; return (await b.$x()) + (await $b.only())', '$xdollar'],
    ['beside a longer name', 'let x; return (await bb.only()) + (await b.plain())', 'longerplain'],
    ['under a safe name', 'let x; return await b.get_it__2()', 'get-it'],
    ['with an escape', 'let x; return await b.pl\\u0061in()', 'plain'],
    ['through the global object', 'let x; return await globalThis.b.plain()', 'plain'],
    [
      'through `this`',
      'function f() { return this.b.plain() } return await f.call(globalThis)',
      'plain',
    ],
    ['through __backends', 'let x; return await __backends.b["get-it"]()', 'get-it'],
    ['all of them', 'let x; return Object.keys(b).length', '10'],
    ['none of them', 'let x; return typeof b.nope', 'undefined'],
  ])('%s', async (_name, code, text) => {
    const { call } = await useBackends();
    expect(await call(code)).toMatchObject({ content: [{ text }], tier: 'isolate' });
  });
});

test('a guest gets the tools that its code names, however many there are', () => {
  const registry = new Registry();
  const tools = Array.from({ length: 10_000 }, (_, i) => ({
    name: `tool-${i}`,
    safeName: `tool_${i}`,
    inputSchema: { type: 'object' },
  }));
  /** @type {any} all that is read of one */
  const backend = { name: 'b', safeName: 'b', isListed: true, tools };
  registry.backends = [backend];
  const globalsFor = (body) => bridge(body, registry, /** @type {any} */ ({})).request.globals;
  const namesFor = (body) => JSON.parse(String(globalsFor(body)?.['isobox:names']));
  expect(namesFor('return await b.tool_7() + b.tool_8')[0].tools).toEqual([
    ['tool-7', 'tool_7'],
    ['tool-8', 'tool_8'],
  ]);
  expect(namesFor('return await b["tool-7"]()')[0].tools).toHaveLength(10_000);
  expect(namesFor('return 1')).toEqual([]);
  const globals = globalsFor('return typeof __backends');
  expect(globals?.['isobox:interfaces']).toBe('{}');
});
