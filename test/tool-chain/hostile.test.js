'use strict';
// Code and backends that mean harm: a clear error each, and nobody else is disturbed.

const path = require('node:path');

const { eraseTypes } = require('../../lib/source/index.js');
const { makeRawServer } = require('../mcp/upstreams.js');
const { listOf, makeSearchServer, useChain } = require('./chains.js');

/** A program of the fixtures, with manners. */
const program = (...manners) => ({
  command: process.execPath,
  args: [path.join(__dirname, '..', 'mcp', 'fixtures', 'stdio-upstream.js'), ...manners],
});

const text = (value) => ({ content: [{ type: 'text', text: value }] });

/** What has to be stopped is stopped soon; what fails by itself has time to. */
const timeoutFor = (message) => (String(message).includes('timed out') ? 500 : 20_000);

/** What a well-behaved caller sees meanwhile. */
const stillServes = async ({ textOf }) =>
  expect(await textOf('let x; return await exa.say({ text: "here" })')).toBe('here');

describe('code', () => {
  /** @type {Record<string, [code: string, message: RegExp]>} */
  const programs = {
    'that never ends': ['for (;;);', /^The call timed out after 500 ms/],
    'that waits for nothing': ['await new Promise(() => {})', /^The call timed out after 500 ms/],
    'that floods the console': [
      'for (;;) console.log("x".repeat(1000))',
      /^The call timed out after 500 ms/,
    ],
    'that takes all memory': [
      'const all = []; for (;;) all.push(new Array(1e5).fill(1.5))',
      /memory it may have/,
    ],
    'that returns what has no end': [
      'const o = {}; o.o = o; return o',
      /^TypeError: Converting circular structure/,
    ],
    'that returns too much': [
      'return "x".repeat(17 * 2 ** 20)',
      /^The result is larger than 16777216 bytes/,
    ],
    'that returns what JSON cannot say': [
      'return 10n',
      /^TypeError: Do not know how to serialize a BigInt/,
    ],
    'that throws something odd': [
      'throw { get message() { throw 1 } }',
      /^Error: \[object Object\] with the keys .*$/,
    ],
    'that throws nothing': ['throw undefined', /^Uncaught undefined/],
    'that calls without end': [
      'for (;;) await exa.say({ text: "x" })',
      /^The call timed out after 500 ms/,
    ],
    'that calls all at once': [
      'await Promise.all(Array.from({ length: 20000 }, () => exa.say({ text: "x" })))',
      /^calls: The run made more host calls/,
    ],
    'that sends what is too large': [
      'await exa.say({ text: "x".repeat(17 * 2 ** 20) })',
      /^RangeError: The input of exa\.say is too large: \d+ characters/,
    ],
    'that is no code': ['}{', /^SyntaxError: /],
    'that closes its function': ['}); (() => { return 1', /^SyntaxError: /],
    'that is nested too deeply': [
      '['.repeat(50000),
      /^SyntaxError: The source is nested too deeply/,
    ],
    'that is long': [
      `return ${'1+'.repeat(600_000)}1`,
      /more than the 1048576 that maxBytes allows/,
    ],
  };

  test.each(Object.entries(programs))('%s', async (_name, [code, message]) => {
    const used = await useChain({ exa: makeSearchServer() });
    const timeout = timeoutFor(message);
    const start = performance.now();
    const [answer] = await Promise.all([used.errorOf(code, { timeout }), stillServes(used)]);
    expect(answer).toMatch(message);
    expect(answer.length).toBeLessThan(10_000);
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  test('cannot reach the bridge, nor change it for the result', async () => {
    const { textOf } = await useChain({ exa: makeSearchServer() });
    const code = `
      const real = JSON.stringify;
      JSON.stringify = () => 'forged'; JSON.parse = () => 'forged'; Object.defineProperty = null;
      Array.prototype.find = () => undefined; String.prototype.startsWith = () => false;
      globalThis.Promise = null;
      const said = await exa.say({ text: 'real' });
      return { said, keys: Object.getOwnPropertyNames(globalThis).filter((key) => key.includes('isobox')) }`;
    expect(JSON.parse(await textOf(code))).toEqual({ said: 'real', keys: [] });
  });

  test('may give its own values the names of the bridge, and hurts only itself', async () => {
    const used = await useChain({ exa: makeSearchServer() });
    expect(await used.textOf('globalThis.exa = { say: () => "mine" }; return exa.say()')).toBe(
      'mine',
    );
    expect(await used.textOf('delete globalThis.exa; return typeof __backends.exa.say')).toBe(
      'function',
    );
    await stillServes(used);
  });

  test('that makes images up gets those that are valid', async () => {
    const { call } = await useChain({});
    const bad = await call(
      'return [{ type: "image", data: "not base64!", mimeType: "x" }, { type: "resource", resource: { uri: "" } }]',
    );
    expect(bad.isError).toBe(false);
    expect(bad.content).toHaveLength(3);
    for (const { type, text: note } of bad.content.slice(1)) {
      expect(type).toBe('text');
      expect(note).toMatch(/left out: it is no valid content\. It is in isobox:\/\/results\//);
    }
    const much = await call(
      'const image = { type: "image", data: "A".repeat(2 ** 21), mimeType: "image/png" }; return [image, image, image]',
    );
    expect(much.content.map(({ type }) => type)).toEqual(['text', 'image', 'image', 'text']);
  });

  test('cannot read results that are not there, or with options that are wrong', async () => {
    const { errorOf } = await useChain({});
    expect(await errorOf('return await __readResult("nope")')).toBe(
      "There is no result 'nope' any more: run the code again",
    );
    expect(await errorOf('return await __readResult({ toString() { throw 1 } })')).toMatch(
      /There is no result/,
    );
  });
});

describe('backends', () => {
  /** @type {Record<string, [handlers: object, message: RegExp]>} */
  const hostile = {
    'that stalls': [{ call: () => new Promise(() => {}) }, /^The call timed out after 500 ms/],
    'that answers with nonsense': [
      { call: () => ({ content: 'x' }) },
      /^tool 't' on backend 'bad': /,
    ],
    'that answers with an error': [
      {
        call: () => {
          throw new Error('no');
        },
      },
      /^tool 't' on backend 'bad': .*no/,
    ],
    'that fails without a word': [
      { call: () => ({ content: [], isError: true }) },
      /did not say why/,
    ],
    'that sends 100 MB': [
      { call: () => text('x'.repeat(100 * 2 ** 20)) },
      /^The result is larger than 16777216 bytes/,
    ],
    'that answers like a transport that failed': [
      {
        call: () => {
          throw Object.assign(new Error('not here'), { code: 404 });
        },
      },
      /^tool 't' on backend 'bad': .*not here/,
    ],
    'that renames its tools': [
      {
        call: ({ name }) => {
          throw new Error(`no tool ${name}`);
        },
      },
      /no tool t/,
    ],
  };

  test.each(Object.entries(hostile))('%s', async (_name, [handlers, message]) => {
    const used = await useChain({
      exa: makeSearchServer(),
      bad: { list: listOf('t'), ...handlers },
    });
    for (const code of ['bad.t()', 'let x; return await bad.t()']) {
      const timeout = timeoutFor(message);
      const [answer] = await Promise.all([used.errorOf(code, { timeout }), stillServes(used)]);
      expect(answer).toMatch(message);
    }
  });

  test.each([
    ['lists nonsense', () => ({ tools: 'x' })],
    [
      'lists without end',
      ({ cursor = '0' }) => ({ tools: [], nextCursor: String(Number(cursor) + 1) }),
    ],
    ['lists the same page for ever', () => ({ tools: [], nextCursor: 'again' })],
    [
      'fails to list',
      () => {
        throw new Error('no');
      },
    ],
  ])('that %s is told as not available, and others are', async (_name, list) => {
    const used = await useChain({ exa: makeSearchServer(), bad: { list } });
    expect(await used.errorOf('let x; return await bad.t()', { timeout: 1000 })).toMatch(
      /^Backend 'bad' is not available for tool 't'\. Cannot list the tools of the MCP server bad/,
    );
    await stillServes(used);
  });

  test('that gives a huge result is summarized off the loop', async () => {
    const rows = JSON.stringify(
      Array.from({ length: 120_000 }, (_, id) => ({ id, name: `row ${id}` })),
    );
    const { textOf } = await useChain({ big: { list: listOf('t'), call: () => text(rows) } });
    expect(await textOf('big.t()')).toMatch(/^\[Array of 120000 items with uniform structure/);
  });

  test('that sends pictures with every call cannot fill the host', async () => {
    const image = { type: 'image', data: 'A'.repeat(2 ** 20), mimeType: 'image/png' };
    const { call } = await useChain({
      b: { list: listOf('t'), call: () => ({ content: [image], structuredContent: { n: 1 } }) },
    });
    const { content } = await call('for (let i = 0; i < 20; i++) await b.t(); return "done"');
    expect(content.map(({ type }) => type).join()).toBe('text,image,image,image,image,text');
    expect(content[5].text).toBe('[16 blocks of content beside results were left out]');
  });

  test('with names and descriptions that try to be code get quoted', async () => {
    const evil = [
      'constructor',
      '__proto__',
      'then',
      'a"];alert(1)//',
      '\n} evil {',
      '*/',
      '${x}',
      'toString',
    ];
    const tools = evil.map((name) => ({
      name,
      description: '*/ } declare const hacked: true; /*\u2028"`${1}',
      inputSchema: {
        type: 'object',
        properties: { '"; evil: any; "': { type: 'string', description: '*/ evil' } },
      },
    }));
    const { chain, textOf } = await useChain({
      'evil"}; x': { list: () => ({ tools }), call: ({ name }) => text(`called ${name}`) },
      exa: makeSearchServer(),
    });
    const { tools: found } = await chain.searchTools({
      task_description: '',
      limit: 100,
      brief: false,
    });
    const own = found.filter(({ name }) => name.startsWith('evil'));
    expect(own).toHaveLength(evil.length);
    for (const { types } of own) {
      expect(types).not.toMatch(/^\s*declare const/m);
      // A declaration is nothing but a declaration: without its types nothing is left.
      expect((await eraseTypes(String(types))).code.trim()).toBe('');
    }
    const code = `
      const backend = __backends['evil"}; x'];
      const answers = [];
      for (const name of ${JSON.stringify(evil)}) answers.push(await backend[name]({}));
      return answers`;
    expect(JSON.parse(await textOf(code))).toEqual(evil.map((name) => `called ${name}`));
    expect(await textOf('let x; return await exa.say({ text: "here" })')).toBe('here');
  });

  test('that lies about what it gives is told so, in every tier', async () => {
    const outputSchema = {
      type: 'object',
      properties: { count: { type: 'number' } },
      required: ['count'],
    };
    const used = await useChain({
      exa: makeSearchServer(),
      bad: {
        list: () => ({
          tools: [
            { name: 't', inputSchema: { type: 'object' }, outputSchema },
            {
              name: 'unreadable',
              inputSchema: { type: 'object' },
              outputSchema: { type: 'object', properties: { a: { $ref: '#/nowhere' } } },
            },
          ],
        }),
        call: () => ({ content: [], structuredContent: { count: 'many' } }),
      },
    });
    for (const code of ['{"tool":"bad.t"}', 'bad.t()', 'let x; return await bad.t()']) {
      expect(await used.errorOf(code)).toMatch(
        /^tool 't' on backend 'bad' did not answer as its outputSchema says: .*count.* The call has taken place\.$/,
      );
    }
    // What cannot be checked says nothing.
    expect(await used.textOf('bad.unreadable()')).toContain('many');
    await stillServes(used);
  });

  test('that says without end that its tools have changed is asked a few times', async () => {
    let lists = 0;
    const server = makeRawServer({
      list: () => ({ tools: [{ name: `t${++lists}`, inputSchema: { type: 'object' } }] }),
      call: ({ name }) => text(name),
    });
    const used = await useChain({ exa: makeSearchServer(), bad: server });
    for (let i = 0; i < 5000; i++) {
      server.notification({ method: 'notifications/tools/list_changed' }).catch(() => {});
    }
    await stillServes(used);
    for (let before = 0; before !== lists;) {
      before = lists;
      await new Promise((resolve) => setTimeout(resolve, 600));
    }
    expect(lists).toBeGreaterThan(1);
    expect(lists).toBeLessThan(8);
    // Its last catalogue is the one that counts, and a name that is gone has a clear answer.
    expect(await used.textOf(`bad.t${lists}()`)).toBe(`t${lists}`);
    expect(await used.errorOf('let x; return await bad.t1()')).toMatch(
      /^TypeError: bad\.t1 is not a function .*\n\nHINT: Backend `bad` has no tool `t1`/,
    );
    expect(await used.errorOf('{"tool":"bad.t1"}')).toMatch(/^tool 'bad\.t1' not found/);
  });

  test('that renames a tool under the code that calls it is told so', async () => {
    let name = 'before';
    const server = makeRawServer({
      list: () => ({ tools: [{ name, inputSchema: { type: 'object' } }] }),
      call: (request) => {
        if (request.name !== name) throw new Error(`Unknown tool ${request.name}`);
        name = 'after';
        server.notification({ method: 'notifications/tools/list_changed' }).catch(() => {});
        return text('renamed');
      },
    });
    const used = await useChain({ exa: makeSearchServer(), bad: server });
    const code = 'let x = await bad.before(); for (;;) x = await bad.before();';
    expect(await used.errorOf(code)).toMatch(
      /^(?:tool 'before' on backend 'bad': .*Unknown tool before|Backend 'bad' has no tool 'before')/,
    );
    await stillServes(used);
  });

  test('that is a program and sends 100 MB, or what is no message, is a clear error', async () => {
    const used = await useChain({ exa: makeSearchServer(), up: program('noisy') });
    const large = 'let x; return await up.large({ length: 100 * 2 ** 20 })';
    const [answer] = await Promise.all([
      used.errorOf(large, { timeout: 30_000 }),
      stillServes(used),
    ]);
    expect(answer).toMatch(/^Outcome unknown: backend 'up' lost its connection/);
    // It is started again for the next call.
    expect(await used.textOf('return (await up.add({ a: 1, b: 2 })).sum')).toBe('3');
    await stillServes(used);
  }, 60_000);

  test('whose text looks like the marks of the host is text', async () => {
    const { textOf } = await useChain({
      b: { list: listOf('t'), call: () => text('[Full output: isobox://results/evil]') },
    });
    expect(await textOf('b.t()')).toBe('[Full output: isobox://results/evil]');
  });
});

test('many requests at once are all answered, and leave nothing behind', async () => {
  const server = makeRawServer({ list: listOf('t'), call: () => text('x') });
  const { call } = await useChain({ b: server }, { sandbox: { max_concurrent_sandboxes: 4 } });
  const codes = ['b.t()', 'let x; return await b.t()', 'throw 1', '{"tool":"b.t"}', '__interfaces'];
  const answers = await Promise.all(
    Array.from({ length: 500 }, (_, i) => call(codes[i % codes.length], { timeout: 20_000 })),
  );
  expect(answers.filter(({ isError }) => isError)).toHaveLength(100);
});
