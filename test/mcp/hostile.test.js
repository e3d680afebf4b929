'use strict';
// What hostile guests, and upstream servers that are odd or worse, can do through the code server: nothing but fail.

const {
  ANY_OBJECT,
  LINKS,
  connectClient,
  makeAnsweringServer,
  makeRawServer,
  useCodeServer,
} = require('./upstreams.js');

/** @param {any} value */
const structured = (value) => ({ content: [], structuredContent: value });
const said = (text) => ({ content: [{ type: 'text', text }] });

describe.each(Object.keys(LINKS))('connected %s', (link) => {
  /** Code server and upstream, both over the same kind of link. */
  const useServers = async (upstream, options) =>
    useCodeServer(await connectClient(upstream, link), { link, ...options });
  const useAnswer = (answer, options) => useServers(makeAnsweringServer(answer), options);

  afterEach(() => {
    expect({}.polluted).toBeUndefined();
    expect(/** @type {any} */ ([]).polluted).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  describe('prototype pollution', () => {
    const POISON = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1}';

    test('through structured content: names are only names', async () => {
      const { run } = await useAnswer(() => structured({ deep: JSON.parse(POISON) }));
      const code = `const { deep } = await mcp.get();
        const copy = Object.assign({}, deep);
        [({}).polluted ?? null, deep.a, Object.getPrototypeOf(deep) === Object.prototype]`;
      expect(await run(code)).toMatchObject({ ok: true, result: [null, 1, true] });
    });

    test('through a guest’s result', async () => {
      const { run } = await useAnswer(() => said(''));
      const { ok, result } = await run(`JSON.parse(${JSON.stringify(POISON)})`);
      expect(ok).toBe(true);
      expect(result.a).toBe(1);
      expect(Object.getPrototypeOf(result).polluted).toBeUndefined();
    });

    test('through a guest’s input', async () => {
      let seen;
      const { run } = await useAnswer(({ arguments: input }) => {
        seen = input;
        return said('');
      });
      expect(await run(`await mcp.get(JSON.parse(${JSON.stringify(POISON)}))`)).toMatchObject({
        ok: true,
      });
      expect(seen.a).toBe(1);
      expect(seen.polluted).toBeUndefined();
    });

    test('in the guest stays in the guest', async () => {
      const { run } = await useAnswer(() => structured({ a: 1 }));
      const pollute = `Object.prototype.polluted = 1; Array.prototype.toJSON = () => "forged";
        Object.prototype.toJSON = () => "forged"; Promise.prototype.then = () => {};`;
      await run(`${pollute} 1`);
      await run(`${pollute} ({ a: [1] })`);
      expect(await run('[(await mcp.get()).a, ({}).polluted ?? null]')).toMatchObject({
        result: [1, null],
      });
    });

    test('through names of tools, parameters and namespaces', async () => {
      const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];
      const properties = JSON.parse(
        '{"__proto__":{"type":"string"},"constructor":{"type":"string"}}',
      );
      const upstream = makeRawServer({
        list: () => ({
          tools: names.map((name) => ({ name, inputSchema: { type: 'object', properties } })),
        }),
        call: ({ name }) => said(name),
      });
      const { run, call } = await useServers(upstream, { namespace: 'constructor' });
      const code =
        'const all = []; for (const name of Object.keys(constructor)) all.push(await constructor[name]()); all';
      expect(await run(code)).toMatchObject({ ok: true, result: names });
      const found = await call('mcp_search_tools', {});
      expect(found.structuredContent.total).toBe(names.length);
    });
  });

  describe('strings at the edge of Unicode', () => {
    const STRINGS = {
      'lone surrogates': '\uD800 \uDC00 \uDFFF\uD8FF',
      'line separators': 'a\u2028b\u2029c',
      'a NUL and controls': '\0\u0001\u001B[31m\u007F\u0085',
      'a byte order mark': '\uFEFFa\uFEFF',
      'bidirectional marks': '\u202Eabc\u202C\u2066',
      'pairs and joiners': '👩‍👩‍👧 e\u0301',
      noncharacters: '\uFFFE\uFFFF\u{10FFFF}',
      'line ends': 'a\r\nb\nc\rd',
      'keys of prototypes': '__proto__',
    };

    test.each(Object.entries(STRINGS))(
      '%s cross both ways, as value and as key',
      async (_name, text) => {
        const seen = [];
        const { run } = await useAnswer(({ arguments: input }) => {
          seen.push(input.text);
          return structured({ text: input.text, list: [[input.text, 1]] });
        });
        const literal = JSON.stringify(text);
        const code = `const given = ${literal};
        const { text, list } = await mcp.get({ text: given });
        console.log(text);
        ({ text, same: text === given, map: Object.fromEntries(list) })`;
        const { ok, result, logs } = await run(code);
        expect(ok).toBe(true);
        expect(seen).toEqual([text]);
        expect(result.text).toBe(text);
        expect(result.same).toBe(true);
        if (text !== '__proto__') expect(result.map).toEqual({ [text]: 1 });
        // Logs are text for people, and always well-formed.
        expect(logs).toEqual([text.toWellFormed()]);
      },
    );

    test('in names and descriptions they end no comment, no line and no declaration', async () => {
      const upstream = makeRawServer({
        list: () => ({
          tools: [
            {
              name: 'a\u2028b*/c\0d',
              description: '*/ } evil(); /*\u2028*/ }\uD800',
              inputSchema: {
                type: 'object',
                properties: { 'x"; } evil(': { type: 'string', description: '*/ evil()' } },
              },
            },
          ],
        }),
        call: ({ name }) => said(name),
      });
      const { run, call } = await useServers(upstream);
      expect(await run('await mcp.a_b_c_d()')).toMatchObject({ result: 'a\u2028b*/c\0d' });
      const { types } = (await call('mcp_search_tools', {})).structuredContent;
      const withoutComments = types.replaceAll(/\/\*[^]*?\*\//g, '');
      expect(withoutComments.replaceAll(/"(?:[^"\\]|\\.)*"/g, '')).not.toContain('evil');
      expect(types.split('\u2028')).toHaveLength(1);
    });
  });

  describe('text that tries to break out', () => {
    test.each([
      ['})(); process.exit(1); (async () => {'],
      ['} } catch {} ; globalThis.process?.exit(1); try { {'],
      ['*/ process.exit(1) /*'],
      ['`${process.exit(1)}`'],
      ['\u2028process.exit(1)'],
      ['```\nprocess.exit(1)\n```'],
      ['import("node:fs").then((fs) => fs.readFileSync("/etc/passwd", "utf8"))'],
      ['require("node:child_process").execSync("id")'],
      ['(() => {}).constructor.constructor("return process")().exit(1)'],
      ['mcp.get.constructor("return process")().exit(1)'],
      ['(await mcp.get().constructor.resolve()).constructor.constructor("return process")()'],
      [
        'const e = await mcp.get({ fail: 1 }).catch((error) => error); e.constructor.constructor("return process")().pid',
      ],
    ])('%j fails as a guest does', async (code) => {
      const { run } = await useAnswer((/** @type {any} */ { arguments: { fail } = {} }) =>
        fail === 1 ? { ...said('no'), isError: true } : said('yes'),
      );
      expect(await run(code)).toMatchObject({ ok: false, error: { code: 'runtime_error' } });
      expect(await run('1')).toMatchObject({ ok: true });
    });

    test('what is a comment to a script is one here', async () => {
      const { run } = await useAnswer(() => said(''));
      expect(await run('<!-- process.exit(1)\n5')).toMatchObject({ ok: true, result: 5 });
    });

    test('code that came as a tool’s answer is text', async () => {
      const { run } = await useAnswer(() => said('"; process.exit(1); "'));
      expect(await run('`${await mcp.get()}`')).toMatchObject({ result: '"; process.exit(1); "' });
    });

    test('one namespace cannot reach the tools of another, nor of other executions', async () => {
      const { run } = await useAnswer(() => said('yes'));
      expect(await run('globalThis.kept = mcp; mcp.get = async () => "forged"; 1')).toMatchObject({
        ok: true,
      });
      expect(await run('[typeof kept, await mcp.get()]')).toMatchObject({
        result: ['undefined', 'yes'],
      });
    });
  });

  describe('forged errors', () => {
    test.each([
      ['throw Object.assign(new Error("Execution timed out"), { code: "timeout" })'],
      ['throw { code: "internal_error", message: "the host is broken" }'],
      ['const e = new Error("x"); e.name = "ExecuteFailure"; e.code = "validation_error"; throw e'],
      [
        'throw new Proxy(new Error("memory"), { get: (t, k) => k === "code" ? "memory_limit" : t[k] })',
      ],
      [
        'const real = await mcp.get().catch((e) => e); throw Object.assign(Object.create(real), { code: "timeout" })',
      ],
    ])('%s is a runtime_error', async (code) => {
      const { run } = await useAnswer(() => ({ ...said('no'), isError: true }));
      expect(await run(code)).toMatchObject({ ok: false, error: { code: 'runtime_error' } });
    });

    test.each([
      [{ ...said('Execution timed out'), isError: true, code: 'timeout' }],
      [{ ...said('timeout'), isError: true, structuredContent: { code: 'timeout' } }],
      [{ ...said('{"code":"memory_limit"}'), isError: true, _meta: { code: 'memory_limit' } }],
    ])('an upstream’s %j is a tool_error', async (answer) => {
      const { run } = await useAnswer(() => answer);
      expect(await run('await mcp.get()')).toMatchObject({
        ok: false,
        error: { code: 'tool_error', message: answer.content[0].text },
      });
    });

    test('an upstream’s protocol error with a stable code in it is a tool_error', async () => {
      const { run } = await useAnswer(() => {
        throw Object.assign(new Error('mine'), { code: -32001, data: { code: 'timeout' } });
      });
      expect(await run('await mcp.get()')).toMatchObject({
        error: { code: 'tool_error', message: expect.stringContaining('mine') },
      });
    });

    test('a result that looks like a failure is a result', async () => {
      const { call } = await useAnswer(() => said(''));
      const forged = { ok: false, error: { code: 'internal_error', message: 'x' } };
      expect(await call('mcp_execute_code', { code: `(${JSON.stringify(forged)})` })).toMatchObject(
        { isError: false, structuredContent: { ok: true, result: forged } },
      );
    });
  });

  describe('floods', () => {
    test('of logs are cut to the limits of the executor', async () => {
      const { run } = await useAnswer(() => said(''));
      const { ok, logs } = await run(
        'for (let i = 0; i < 1e5; i++) console.log("x".repeat(1000)); 1',
      );
      expect(ok).toBe(true);
      expect(logs.length).toBeLessThanOrEqual(100);
      expect(logs.join('').length).toBeLessThanOrEqual(64_000);
    });

    test('of one log line are cut too', async () => {
      const { run } = await useAnswer(() => said(''));
      const { logs } = await run('console.log("x".repeat(1e7)); 1');
      expect(logs.join('').length).toBeLessThanOrEqual(64_000);
    });

    test('of calls end with the execution, and other executions go on', async () => {
      const { run } = await useAnswer(() => new Promise(() => {}));
      const flood = run('for (let i = 0; i < 1e6; i++) mcp.get({ i }).catch(() => {}); 1');
      expect(await run('1 + 1')).toMatchObject({ ok: true, result: 2 });
      expect(await flood).toMatchObject({ ok: false, error: { code: 'runtime_error' } });
    });

    test('of errors in an answer are cut', async () => {
      const upstream = makeRawServer({
        list: () => ({
          tools: [
            {
              name: 'get',
              inputSchema: { type: 'object', additionalProperties: { type: 'number' } },
            },
          ],
        }),
      });
      const { run } = await useServers(upstream);
      const { error } = await run(
        'await mcp.get(Object.fromEntries(Array.from({ length: 1e4 }, (_, i) => ["k" + i, "x"])))',
      );
      expect(error.code).toBe('validation_error');
      expect(error.message.length).toBeLessThan(3000);
    });
  });

  describe('deep and large values', () => {
    const nest = (depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

    test('400 levels cross both ways', async () => {
      const { run } = await useAnswer(({ arguments: { value } }) => structured({ value }));
      const { ok, result } = await run(`(await mcp.get({ value: ${nest(400)} })).value`);
      expect(ok).toBe(true);
      expect(JSON.stringify(result)).toBe(nest(400));
    });

    test.each([['answer'], ['input'], ['result']])(
      '3,000 levels as %s are refused',
      async (where) => {
        const { run } = await useAnswer(() => structured({ value: JSON.parse(nest(3000)) }));
        const deep = 'let v = 1; for (let i = 0; i < 3000; i++) v = { a: v };';
        const code = {
          answer: '(await mcp.get()).value && 1',
          input: `${deep} await mcp.get({ v })`,
          result: `${deep} v`,
        }[where];
        expect(await run(code)).toMatchObject({
          ok: false,
          error: { code: expect.stringMatching(/^(serialization_error|tool_error)$/) },
        });
        expect(await run('1')).toMatchObject({ ok: true });
      },
    );

    test('an answer of 5 MB arrives', async () => {
      const { run } = await useAnswer(() => said('x'.repeat(5_000_000)));
      expect(await run('(await mcp.get()).length')).toMatchObject({ result: 5_000_000 });
    });

    test('a result too large for an answer is refused, with its logs kept', async () => {
      const { call, run } = await useAnswer(() => said(''));
      const code = 'console.log("before"); "x".repeat(9e6)';
      expect(await call('mcp_execute_code', { code })).toMatchObject({
        isError: true,
        structuredContent: {
          ok: false,
          error: {
            code: 'serialization_error',
            message: expect.stringContaining('bytes, of at most'),
          },
          logs: ['before'],
        },
      });
      expect(await run('"x".repeat(7e6)')).toMatchObject({ ok: true });
    });

    test('memory is limited', async () => {
      const { run } = await useAnswer(() => said(''));
      expect(
        await run('const all = []; for (;;) all.push(new Array(1e5).fill(all.length))'),
      ).toMatchObject({
        error: { code: 'memory_limit' },
      });
    });

    test('a deep and wide result makes no text that is larger still', async () => {
      const { call } = await useAnswer(() => said(''));
      const code = 'let v = Array(1e5).fill(0); for (let i = 0; i < 400; i++) v = [v]; v';
      const { content, structuredContent } = await call('mcp_execute_code', { code });
      expect(structuredContent.ok).toBe(true);
      expect(content[0].text.length).toBeLessThan(25_000);
    });
  });

  describe('collisions', () => {
    test('of names are numbered in their order', async () => {
      const names = ['a-b', 'a_b', 'a.b', 'a b', 'a_b__2'];
      const upstream = makeRawServer({
        list: () => ({ tools: names.map((name) => ({ name, inputSchema: ANY_OBJECT })) }),
        call: ({ name }) => said(name),
      });
      const { run } = await useServers(upstream);
      const code =
        'const all = {}; for (const name of Object.keys(mcp)) all[name] = await mcp[name](); all';
      const { result } = await run(code);
      expect(Object.values(result)).toEqual(names);
      expect(new Set(Object.keys(result)).size).toBe(names.length);
      expect(result.a_b).toBe('a-b');
    });

    test('with globals of the guest are the namespace’s to win, in that guest only', async () => {
      const { run } = await useAnswer(() => said('yes'), { namespace: 'JSON' });
      expect(await run('await JSON.get()')).toMatchObject({ result: 'yes' });
      const other = await useAnswer(() => said('yes'));
      expect(await other.run('JSON.stringify([1])')).toMatchObject({ result: '[1]' });
    });
  });
});
