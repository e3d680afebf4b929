'use strict';
// Catalogues on disk: tools are listed and declared before their backends are connected.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { createToolChain } = require('../../lib/tool-chain/index.js');
const { closeAfterTest } = require('./chains.js');

const upstreamFile = path.join(__dirname, 'fixtures', 'listed-upstream.js');

const READ = {
  name: 'read-page',
  description: 'Reads one page.',
  inputSchema: { type: 'object', properties: { page: { type: 'number' } }, required: ['page'] },
  outputSchema: { type: 'object', properties: { text: { type: 'string' } } },
};
const WIPE = { name: 'wipe', inputSchema: { type: 'object' } };

/** @type {string} */
let directory;
/** @type {string} */
let cache;
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-cache-'));
  cache = path.join(directory, 'made', 'tools.json');
});
afterEach(() => fs.rmSync(directory, { recursive: true }));

/** A program with these tools; without any it is started and says nothing. */
const listed = (tools, env = {}) => ({
  command: process.execPath,
  args: [upstreamFile],
  env: { ...(tools && { TOOLS: JSON.stringify(tools) }), ...env },
});

function open(backends, options = {}) {
  const warnings = [];
  const onWarning = (message) => warnings.push(message);
  const chain = closeAfterTest(createToolChain({ backends, cache, onWarning, ...options }));
  return { chain, warnings };
}

/** What a chain leaves on disk that has seen these backends. */
async function visit(backends) {
  const { chain } = open(backends);
  await chain.ready();
  await chain.close();
}

const stateOf = async (chain, name) =>
  JSON.parse((await chain.readResource('isobox://backends')).text).find((one) => one.name === name);
const namesOf = async (chain) => (await chain.listToolsMeta()).tools.map(({ name }) => name);

test('tools of a backend that is not connected yet are listed, found and declared from the cache', async () => {
  await visit({ book: listed([READ, WIPE]) });
  const { chain, warnings } = open({ book: listed() });
  expect(await namesOf(chain)).toEqual(['book.read-page', 'book.wipe']);
  expect(await stateOf(chain, 'book')).toMatchObject({ state: 'starting', tools: 2, cached: true });
  const { tools } = await chain.searchTools({ task_description: 'read a pgae', brief: false });
  expect(tools[0]).toMatchObject({
    name: 'book.read-page',
    input_schema: READ.inputSchema,
    output_schema: READ.outputSchema,
  });
  expect(tools[0].types).toContain('page: number');
  expect((await chain.toolInfo({ tool_name: 'read-page' })).name).toBe('book.read-page');
  const { content } = await chain.callToolChain({ code: '__getToolInterface("book.read-page")' });
  expect(JSON.parse(String(content[0].text)).output_schema).toEqual(READ.outputSchema);
  expect(warnings).toEqual([]);
});

test('a cached tool whose backend does not come is told as still starting, in every tier', async () => {
  await visit({ book: listed([READ]) });
  const { chain } = open({ book: listed() });
  const codes = [
    'book["read-page"]({ page: 1 })',
    'let x; return await book.read_page({ page: 1 })',
    '{"tool":"book.read-page"}',
    'return await book.other()',
  ];
  const answers = await Promise.all(
    codes.map((code) => chain.callToolChain({ code, timeout: 3000 })),
  );
  const known =
    "Backend 'book' is still starting. Tool 'read-page' is cached but the backend hasn't connected yet. Try again shortly.";
  expect(answers.map(({ content }) => content[0].text)).toEqual([
    ...Array(3).fill(known),
    "Backend 'book' is still starting. Whether it has a tool 'other' is not known yet. Try again shortly.",
  ]);
  expect(answers.map(({ isError }) => isError)).toEqual(Array(4).fill(true));
});

test('a call of a cached tool waits for its backend, and hears what it has by then', async () => {
  await visit({ book: listed([READ, WIPE]) });
  const { chain } = open({ book: listed([WIPE], { START_MS: '300' }) });
  const textOf = async (code) => (await chain.callToolChain({ code })).content[0].text;
  expect(await Promise.all([textOf('book.wipe()'), textOf('book["read-page"]()')])).toEqual([
    'called wipe',
    "Backend 'book' has no tool 'read-page'",
  ]);
  expect(await namesOf(chain)).toEqual(['book.wipe']);
});

test('whether a call needs consent is for the backend to say, not for the cache', async () => {
  await visit({ book: listed([{ ...WIPE, annotations: { destructiveHint: false } }]) });
  const { chain } = open(
    { book: listed([{ ...WIPE, annotations: { destructiveHint: true } }]) },
    { approval: { annotations: ['destructiveHint'], ask: () => false } },
  );
  const { content } = await chain.callToolChain({ code: 'book.wipe()' });
  expect(content[0].text).toBe('book.wipe was not approved, and was not called');
});

test('a backend of the same name that is another program has another catalogue', async () => {
  await visit({ book: listed([READ]) });
  const { chain } = open({ book: { ...listed(), args: [upstreamFile, 'other'] } });
  expect(await namesOf(chain)).toEqual([]);
});

test('the file is written for its owner alone, without a draft beside it, and only when something changed', async () => {
  await visit({ book: listed([READ]), other: listed([WIPE], { SECRET: 'plum' }) });
  expect(fs.readdirSync(path.dirname(cache))).toEqual(['tools.json']);
  const { mode, ino } = fs.statSync(cache);
  expect(mode & 0o777).toBe(0o600);
  expect(fs.readFileSync(cache, 'utf8')).not.toContain('plum');
  await visit({ book: listed([READ]), other: listed([WIPE]) });
  expect(fs.statSync(cache).ino).toBe(ino);
  // What is not configured any more is gone with the next change.
  await visit({ book: listed([READ, WIPE]) });
  expect(Object.keys(JSON.parse(fs.readFileSync(cache, 'utf8')).backends)).toEqual(['book']);
});

describe('a file that cannot be used is ignored with one line, and replaced', () => {
  const good = { version: 1, backends: {} };
  test.each([
    ['half of it', '{"version":1,"backends":{"bo', /JSON/],
    ['nothing', '', /JSON/],
    ['another version', JSON.stringify({ ...good, version: 2 }), /it is of another version/],
    ['a list', '[]', /it is of another version/],
    ['no backends', '{"version":1}', /it has no backends/],
    [
      'a tool without a schema',
      JSON.stringify({ ...good, backends: { book: { identity: 'x', tools: [{ name: 'x' }] } } }),
      /what it says of book is no catalogue/,
    ],
    [
      'too many tools',
      JSON.stringify({
        ...good,
        backends: { book: { identity: 'x', tools: Array(10_001).fill(WIPE) } },
      }),
      /what it says of book is no catalogue/,
    ],
    ['too much', ' '.repeat(32 * 2 ** 20 + 1), /it has more than 33554432 bytes/],
  ])('%s', async (_name, text, reason) => {
    fs.mkdirSync(path.dirname(cache));
    fs.writeFileSync(cache, text);
    const { chain, warnings } = open({ book: listed([READ]) });
    expect(warnings).toEqual([
      expect.stringContaining(`the cached catalogue ${cache} is ignored: `),
    ]);
    expect(warnings[0]).toMatch(reason);
    await chain.ready();
    await chain.close();
    expect(JSON.parse(fs.readFileSync(cache, 'utf8')).backends.book.tools).toEqual([READ]);
  });
});

test('a place that cannot be written is told, and nothing else fails', async () => {
  fs.writeFileSync(path.join(directory, 'made'), 'a file where a directory should be');
  const { chain, warnings } = open({ book: listed([WIPE]) });
  const { content } = await chain.callToolChain({ code: 'let x; return await book.wipe()' });
  expect(content[0].text).toBe('called wipe');
  await chain.close();
  expect(warnings.join('\n')).toContain(`the catalogue cannot be cached in ${cache}: `);
});

test.each([[1], [''], [true], [{ file: 'x' }]])(
  'cache: %j is refused',
  (/** @type {any} */ value) => {
    expect(() => createToolChain({ backends: {}, cache: value })).toThrow(
      new TypeError('options.cache must be the path of a file, or false'),
    );
  },
);
