'use strict';
// The specification of call_tool_chain: what a failure says.

const { makeSearchServer, useChain } = require('./chains.js');

describe('Error handling', () => {
  const known = { exa: makeSearchServer, 'my-backend': makeSearchServer };
  const useKnown = () =>
    useChain(Object.fromEntries(Object.entries(known).map(([name, make]) => [name, make()])));

  test.each([
    [
      'variable shadowing',
      'const exa = await exa.say({ text: "x" }); return exa',
      "ReferenceError: Cannot access 'exa' before initialization (line 1, column 13)",
      '`exa` is a backend name',
    ],
    [
      'a misspelled backend',
      '\nreturn await exb.say({ text: "x" })',
      'ReferenceError: exb is not defined (line 2, column 1)',
      'Did you mean `exa`? Available backends with similar names: exa',
    ],
    [
      'a backend in another case',
      'EXA.say()',
      'ReferenceError: EXA is not defined (line 1, column 1)',
      'Did you mean `exa`?',
    ],
    [
      'a backend with the wrong separators',
      'my - backend.say()',
      'ReferenceError: my is not defined (line 1, column 1)',
      'Did you mean `my_backend`?',
    ],
    [
      'a meta-tool',
      'return await search_tools({ task_description: "x" })',
      'ReferenceError: search_tools is not defined (line 1, column 1)',
      'Meta-tools cannot be called inside call_tool_chain: use them as separate MCP tool calls',
    ],
    [
      'a bare tool name',
      'return await web_search_exa({ query: "x" })',
      'ReferenceError: web_search_exa is not defined (line 1, column 1)',
      'call it as `exa.web_search_exa({args})`',
    ],
    [
      'an unknown bare name',
      'plum()',
      'ReferenceError: plum is not defined (line 1, column 1)',
      'call it as `backend_name.plum({args})`',
    ],
    [
      'a tool that a backend has not',
      'exa.sya()',
      'TypeError: exa.sya is not a function (line 1, column 5)',
      'has no tool `sya`. It has: say',
    ],
  ])('hints at %s, also in wrapped code', async (_name, code, message, hint) => {
    const { errorOf } = await useKnown();
    const [first, ...rest] = (await errorOf(code)).split('\n\nHINT: ');
    expect(first).toBe(message);
    expect(rest.join()).toContain(hint);
    const exported = await errorOf(`export default async () => {\n${code.trim()}\n}`);
    expect(exported).toContain(hint);
  });

  test('a backend that is gone is named, with the resource that tells about it', async () => {
    const server = makeSearchServer();
    const { errorOf } = await useChain({ exa: server });
    await server.close();
    for (const code of ['exa.say({ text: "x" })', 'let x; return await exa.say({ text: "x" })']) {
      expect(await errorOf(code)).toBe(
        "Backend 'exa' is not available for tool 'say'. It has closed its connection.\n\n" +
          'HINT: Load @isobox://backend/exa to check its status, or @isobox://backends to see all backends.',
      );
    }
  });

  test('the last lines of the console are in the answer of a run that failed', async () => {
    const { errorOf } = await useChain();
    const text = await errorOf(
      'for (let i = 1; i <= 30; i++) console.log("step", i);\nthrow new Error("x")',
    );
    expect(text).toMatch(
      /^Error: x \(line 2, column 7\)\n\nConsole, last 20 lines:\nstep 11\n[^]*\nstep 30$/,
    );
  });

  test('a syntax error has its place in the code as it was written', async () => {
    const { errorOf } = await useChain();
    expect(await errorOf('let a = 1;\nlet b = = 2;')).toMatch(
      /^SyntaxError: .* \(line 2, column 9\)$/,
    );
  });
});
