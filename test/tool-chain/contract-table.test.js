'use strict';
// The observed behaviour that is not to be repeated, and the names that had no answer, as tables.

const { listOf, makeSearchServer, useChain } = require('./chains.js');

describe('code that looks like a call and is none', () => {
  test.each([
    ['return Math.random() < 2', 'true'],
    ['console.log("hi")', 'null'],
    ['JSON.parse("1")', '1'],
    ['return Promise.resolve(1)', '1'],
    ['"abc".toUpperCase()', 'ABC'],
    ['const m = Math.round(2.5); return m;', '3'],
    ['return [1,2].length', '2'],
  ])('%s is run', async (code, text) => {
    const { call } = await useChain();
    expect(await call(code)).toEqual({
      content: [{ type: 'text', text }],
      isError: false,
      tier: 'isolate',
    });
  });
});

describe('calls that went to V8, or were cut wrongly', () => {
  test.each([
    ['unquoted keys', 'exa.say({text:"x"})', 'x'],
    ['two lines', 'const r = await exa.say({"text":"x"});\nreturn r;', 'x'],
    ['a semicolon in a string', 'exa.say({"text":"a;b"})', 'a;b'],
    ['brackets in a string', 'exa.say({"text":"a)};"})', 'a)};'],
    ['an escaped quote', String.raw`exa.say({text:'it\'s'})`, "it's"],
    ['no blanks', 'const r=await exa.say({"text":"x"});return r;', 'x'],
    ['many semicolons', 'exa.say({"text":"x"});;;', 'x'],
    ['let', 'let x = await exa.say({"text":"x"}); return x;', 'x'],
    ['var', 'var x = await exa.say({"text":"x"}); return x', 'x'],
    ['no await', 'const x = exa.say({"text":"x"}); return x', 'x'],
    ['no arguments', 'await exa["no-args"]()', 'plain text'],
    [
      'signed numbers and trailing commas',
      'exa.echo({value: [-1, +2, .5, 0x10, 1e3,],})',
      '[\n  -1,\n  2,\n  0.5,\n  16,\n  1000\n]',
    ],
  ])('%s is one call', async (_name, code, text) => {
    const { call } = await useChain();
    expect(await call(code)).toEqual({
      content: [{ type: 'text', text }],
      isError: false,
      tier: 'call',
    });
  });

  test.each([
    ['a return of another variable', 'const r = await exa.say({"text":"x"}); return anything;'],
    ['a chained then', 'exa.say({"text":"x"}).then((t) => t + "!")'],
    ['two statements', 'exa.say({"text":"x"}); exa.say({"text":"y"})'],
    ['an argument that has to be computed', 'exa.say({ text: "a" + "b" })'],
    ['a spread', 'exa.say({ ...{ text: "x" } })'],
    ['a computed key', 'exa.say({ ["text"]: "x" })'],
    ['a key that is a prototype', 'exa.echo({ value: { __proto__: { a: 1 } } })'],
    ['two arguments', 'exa.say({ text: "x" }, 1)'],
    ['an optional call', 'exa?.say({ text: "x" })'],
    ['an infinite number', 'exa.echo({ value: 1e999 })'],
    ['a variable that hides its backend', 'const exa = await exa.say({ text: "x" }); return exa'],
  ])('%s is run', async (_name, code) => {
    const { call } = await useChain();
    expect((await call(code)).tier).toBe('isolate');
  });
});

describe('what guests have in the place of Node', () => {
  test.each([
    [
      'let x; return [typeof process, typeof module, typeof exports, typeof Buffer].join()',
      'undefined,undefined,undefined,undefined',
    ],
    [
      'const process = 1, Buffer = 2, module = 3, exports = 4; return process + Buffer + module + exports',
      '10',
    ],
    ['const require = (name) => name; return require("mine")', 'mine'],
    [
      'try { require("fs") } catch (error) { return error.message }',
      'require("fs") is not available: code has the backends exa and no modules',
    ],
  ])('%s', async (code, text) => {
    const { textOf } = await useChain();
    expect(await textOf(code)).toBe(text);
  });
});

describe('names', () => {
  test.each([
    ['my-backend', 'my_backend'],
    ['123start', '_123start'],
    ['has.dots', 'has_dots'],
    ['with space', 'with_space'],
    ['größe', 'gr__e'],
    ['$ok', '$ok'],
    ['__two', '__two'],
    ['', '_unnamed'],
    ['class', 'class_'],
    ['await', 'await_'],
    ['JSON', 'JSON_'],
    ['console', 'console_'],
    ['process', 'process_'],
    ['__interfaces', '__interfaces_'],
    ['undefined', 'undefined_'],
    ['constructor', 'constructor'],
  ])('backend %j is %s', async (name, safeName) => {
    const { textOf } = await useChain({ [name]: makeSearchServer() });
    expect(await textOf(`let x; return await ${safeName}.say({ text: "x" })`)).toBe('x');
    expect(await textOf(`${safeName}.say({ text: "x" })`)).toBe('x');
    const byName = JSON.stringify(name);
    expect(await textOf(`let x; return await __backends[${byName}].say({ text: "x" })`)).toBe('x');
    expect(await textOf(JSON.stringify({ tool: `${name}.say`, arguments: { text: 'x' } }))).toBe(
      'x',
    );
  });

  test('a backend never takes the place of what guests have', async () => {
    const { textOf } = await useChain({ JSON: makeSearchServer(), Map: makeSearchServer() });
    expect(
      await textOf('let x; return [typeof JSON.parse, typeof Map, typeof Map_.say].join()'),
    ).toBe('function,function,function');
  });

  test('two backends that come to one name get two', async () => {
    const who = (answer) => ({
      list: listOf('who'),
      call: () => ({ content: [{ type: 'text', text: answer }] }),
    });
    const { textOf } = await useChain({
      'a-b': who('dash'),
      a_b: who('underscore'),
      'a.b': who('dot'),
    });
    expect(
      await textOf('let x; return [await a_b.who(), await a_b__2.who(), await a_b__3.who()]'),
    ).toBe(JSON.stringify(['underscore', 'dash', 'dot'], null, 2));
    expect(
      await textOf('let x; return [await __backends["a-b"].who(), await globalThis["a.b"].who()]'),
    ).toBe(JSON.stringify(['dash', 'dot'], null, 2));
    expect(await textOf('a_b.who()')).toBe('underscore');
    expect(await textOf('{"tool":"a-b.who"}')).toBe('dash');
  });

  test('two tools that come to one name get two, and servers hear their own', async () => {
    const { textOf } = await useChain({
      b: {
        list: listOf('get-it', 'get_it', 'get it', 'delete', '1st'),
        call: ({ name }) => ({ content: [{ type: 'text', text: name }] }),
      },
    });
    const code =
      'let x; return [b.get_it(), b.get_it__2(), b.get_it__3(), b.delete_(), b.delete(), b._1st()]';
    expect(
      JSON.parse(
        await textOf(code.replace('return [', 'return await Promise.all([').replace(/\]$/, '])')),
      ),
    ).toEqual(['get_it', 'get-it', 'get it', 'delete', 'delete', '1st']);
  });

  test('a bare name that several backends have is an error that names them, and one interface', async () => {
    const { errorOf, textOf } = await useChain({ a: makeSearchServer(), b: makeSearchServer() });
    expect(await errorOf('{"tool":"say","arguments":{"text":"x"}}')).toBe(
      "tool 'say' is ambiguous: name one of a.say, b.say",
    );
    expect(JSON.parse(await textOf('__getToolInterface("say")')).name).toBe('say');
  });

  test('names with dots are found whole', async () => {
    const { textOf } = await useChain({
      'has.dots': {
        list: listOf('a.b', 'b'),
        call: ({ name }) => ({ content: [{ type: 'text', text: name }] }),
      },
    });
    expect(await textOf('{"tool":"has.dots.a.b"}')).toBe('a.b');
    expect(await textOf('{"tool":"has.dots.b"}')).toBe('b');
    expect(JSON.parse(await textOf('__getToolInterface("has_dots.a.b")')).name).toBe('a.b');
  });
});

describe('results', () => {
  const answering = (result) => ({ b: { list: listOf('t'), call: () => result } });
  const text = (value) => ({ type: 'text', text: value });
  const image = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' };

  test.each([
    ['text', { content: [text('plain')] }, 'plain'],
    ['text that is JSON', { content: [text('{"a":[1]}')] }, '{\n  "a": [\n    1\n  ]\n}'],
    ['no content', { content: [] }, '[]'],
    ['several texts', { content: [text('a'), text('1')] }, '[\n  "a",\n  1\n]'],
    [
      'a number with too many digits',
      { content: [text('12345678901234567890')] },
      '12345678901234567890',
    ],
    ['structured content', { content: [text('x')], structuredContent: { n: 1 } }, '{\n  "n": 1\n}'],
    ['null', { content: [text('null')] }, 'null'],
  ])('%s reads the same in every tier', async (_name, result, expected) => {
    const { textOf } = await useChain(answering(result));
    for (const code of ['{"tool":"b.t"}', 'b.t()', 'let x; return await b.t()']) {
      expect(await textOf(code)).toBe(expected);
    }
  });

  test('images are content, wherever they are in the result', async () => {
    const { call } = await useChain(answering({ content: [text('a picture'), image] }));
    for (const code of ['b.t()', 'let x; return await b.t()']) {
      expect((await call(code)).content).toEqual([
        text('[\n  "a picture",\n  "[image image/png: content 2]"\n]'),
        image,
      ]);
    }
    expect(
      (await call('const [, picture] = await b.t(); return { deep: [picture] }')).content[1],
    ).toEqual(image);
    const alone = await useChain(answering({ content: [image] }));
    expect((await alone.call('b.t()')).content).toEqual([
      text('[image image/png: content 2]'),
      image,
    ]);
  });

  test('images beside structured content are content too', async () => {
    const { call } = await useChain(answering({ content: [image], structuredContent: { n: 1 } }));
    for (const code of ['b.t()', '{"tool":"b.t"}', 'let x; return await b.t()']) {
      expect((await call(code)).content).toEqual([text('{\n  "n": 1\n}'), image]);
    }
  });

  test.each([
    ['says why', { isError: true, content: [text('out of plums')] }, 'out of plums'],
    ['says nothing', { isError: true, content: [] }, 'it failed and did not say why'],
  ])(
    'a tool that fails and %s is the same failure in every tier',
    async (_name, result, reason) => {
      const { errorOf, textOf } = await useChain(answering(result));
      for (const code of ['{"tool":"b.t"}', 'b.t()', 'let x; return await b.t()']) {
        expect(await errorOf(code)).toBe(`tool 't' on backend 'b': ${reason}`);
      }
      expect(
        await textOf('try { await b.t() } catch (error) { return "caught " + error.message }'),
      ).toBe(`caught tool 't' on backend 'b': ${reason}`);
    },
  );

  test.each(['"x"', '[1]', '5', 'true'])('input %s is no object, in every tier', async (input) => {
    const { errorOf } = await useChain();
    const message = /^exa\.say takes one object of named arguments/;
    expect(await errorOf(`{"tool":"exa.say","arguments":${input}}`)).toMatch(message);
    expect(await errorOf(`exa.say(${input})`)).toMatch(message);
    expect(await errorOf(`let x; return await exa.say(${input})`)).toMatch(message);
  });
});

describe('options', () => {
  test.each([
    [{ max_concurrent: 1 }, TypeError, /Unknown option 'max_concurrent'/],
    [
      { sandbox: { max_concurrent_sandboxes: 0 } },
      RangeError,
      /max_concurrent_sandboxes must be between 1/,
    ],
    [{ sandbox: { timeot: 1 } }, TypeError, /Unknown option 'timeot' in options.sandbox/],
    [{ output: { chunk_threshold: '1' } }, TypeError, /chunk_threshold must be a number/],
    [{ approval: { annotations: ['evil'] } }, TypeError, /Known: destructiveHint, openWorldHint/],
    [{ backends: [] }, TypeError, /options.backends must be an object/],
    [{ backends: { a: { command: '' } } }, Error, /options.backends.a.command/],
    [{ backends: { a: {} } }, Error, /needs either a "command" or a "url"/],
    [{ tracer: {} }, TypeError, /startActiveSpan must be a function/],
  ])('%j is refused', (/** @type {any} */ options, kind, message) => {
    const { createToolChain } = require('../../lib/tool-chain/index.js');
    const open = () => createToolChain({ backends: {}, ...options });
    expect(open).toThrow(kind);
    expect(open).toThrow(message);
  });

  test.each([
    [undefined, /needs a request/],
    [{}, /request.code must be a string/],
    [{ code: 'x'.repeat(2 ** 22 + 1) }, /request.code has more than 4194304 characters/],
    [{ code: 'x', timeout: 0 }, /request.timeout must be between 1/],
    [{ code: 'x', intnt: '' }, /Unknown option 'intnt'/],
    [{ code: 'x', intent: 'x'.repeat(10_001) }, /more than 10000 characters/],
  ])('a request is refused (%#)', async (/** @type {any} */ request, message) => {
    const { chain } = await useChain();
    await expect(chain.callToolChain(request)).rejects.toThrow(message);
  });

  test.each([
    [{ signal: 1 }, /context.signal must be an AbortSignal/],
    [{ onProgress: 1 }, /context.onProgress must be a function/],
    [{ ask: true }, /context.ask must be a function/],
    [{ onprogress() {} }, /Unknown option 'onprogress'/],
  ])('a context %j is refused', async (/** @type {any} */ context, message) => {
    const { chain } = await useChain();
    await expect(chain.callToolChain({ code: '1' }, context)).rejects.toThrow(message);
  });
});
