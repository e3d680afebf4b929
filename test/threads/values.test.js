'use strict';
// Section 14: the durable key-value store of a thread.

const vm = require('node:vm');

const { call, defineTool, open, openAgent, newDirectory, say, scripted } = require('./support.js');
const { defineAgent, definePrompt } = require('./support.js');

async function newThread() {
  const { thread, runtime } = await openAgent([say('hello')]);
  return { thread, runtime };
}

test('14.1: a value is there for later reads, in the order of writes', async () => {
  const { thread } = await newThread();
  await thread.setValue('a', { list: [1, 'two', null, true], nested: { deep: 0.5 } });
  expect(await thread.getValue('a')).toEqual({
    list: [1, 'two', null, true],
    nested: { deep: 0.5 },
  });
  await Promise.all(Array.from({ length: 50 }, (_, index) => thread.setValue('count', index)));
  expect(await thread.getValue('count')).toBe(49);
});

test('14.1: values survive the process and the runtime', async () => {
  const store = newDirectory();
  const parts = definitions();
  const first = await open({ store, ...parts });
  const { threadId } = await first.createThread({ agent: 'helper' });
  await (await first.thread(threadId)).setValue('kept', 'yes');
  await first.close();
  const second = await open({ store, ...parts });
  expect(await (await second.thread(threadId)).getValue('kept')).toBe('yes');
});

function definitions() {
  return {
    models: [scripted('script', [say('x')]).model],
    prompts: [definePrompt({ name: 'p', toolDescription: 'd', prompt: 'x', model: 'script' })],
    agents: [defineAgent({ name: 'helper', sideA: { prompt: 'p' } })],
  };
}

test.each([
  ['never set', async () => {}],
  [
    'deleted with null',
    async (thread) => (await thread.setValue('k', 1), thread.setValue('k', null)),
  ],
  [
    'deleted with undefined',
    async (thread) => (await thread.setValue('k', 1), thread.setValue('k', undefined)),
  ],
  ['deleted without having been there', (thread) => thread.setValue('k', null)],
])('14.1: getValue is null when the key was %s', async (_name, prepare) => {
  const { thread } = await newThread();
  await prepare(thread);
  expect(await thread.getValue('k')).toBe(null);
});

test('14.1: every thread has its own keys, and nobody inherits them', async () => {
  const { runtime, thread } = await newThread();
  const other = await runtime.createThread({ agent: 'helper' });
  await thread.setValue('k', 'mine');
  expect(await other.getValue('k')).toBe(null);
  await other.setValue('k', 'theirs');
  expect(await thread.getValue('k')).toBe('mine');
});

test('14.1: tools see what callers wrote, and callers what tools wrote', async () => {
  const tool = defineTool({
    description: 'counts',
    execute: async (state) => {
      await state.setValue('count', (await state.getValue('count')) + 1);
      return { status: 'success', result: 'counted' };
    },
  });
  const { thread, send } = await openAgent([call('count'), say('ok')], {
    options: { tools: { count: tool } },
  });
  await thread.setValue('count', 41);
  await send('go');
  expect(await thread.getValue('count')).toBe(42);
});

test('values are copies, and keep the order of keys', async () => {
  const { thread } = await newThread();
  const value = { z: 1, a: [1], 10: 'ten' };
  const writing = thread.setValue('k', value);
  value.a.push(2);
  await writing;
  const read = await thread.getValue('k');
  expect(read).toEqual({ z: 1, a: [1], 10: 'ten' });
  expect(Object.keys(read)).toEqual(['10', 'z', 'a']);
  read.z = 'changed';
  expect((await thread.getValue('k')).z).toBe(1);
});

test.each([
  ['-0', -0, 0],
  [
    'a shared, acyclic reference',
    ((one) => ({ a: one, b: one }))({ n: 1 }),
    { a: { n: 1 }, b: { n: 1 } },
  ],
  ['an object of another realm', vm.runInNewContext('({ a: [1] })'), { a: [1] }],
  ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ['a key __proto__', JSON.parse('{"__proto__": 1}'), JSON.parse('{"__proto__": 1}')],
  ['half a surrogate pair', { t: '\ud800' }, { t: '\ud800' }],
  ['the empty string', '', ''],
  ['false', false, false],
  ['zero', 0, 0],
])('14.1: %s comes back as JSON gives it', async (_name, value, expected) => {
  const { thread } = await newThread();
  await thread.setValue('k', value);
  expect(await thread.getValue('k')).toEqual(expected);
});

const cycle = { a: /** @type {unknown[]} */ ([]) };
cycle.a.push(cycle);

test.each([
  ['NaN', NaN, '$ is NaN'],
  ['Infinity inside', { a: [1, { b: -Infinity }] }, '$.a[1].b is -Infinity'],
  ['a bigint', { n: 1n }, '$.n is a bigint'],
  ['a function', { 'a-b': () => {} }, '$["a-b"] is a function'],
  ['a symbol', [Symbol('x')], '$[0] is a symbol'],
  ['nested undefined', { a: undefined }, '$.a is undefined'],
  ['a hole', [1, , 3], '$[1] is a hole'], // eslint-disable-line no-sparse-arrays
  ['a cycle', cycle, '$.a[0] is a cycle'],
  ['a Date', { at: new Date(0) }, '$.at is an instance of Date'],
  ['a Map', new Map(), '$ is an instance of Map'],
  ['an instance', new (class Point {})(), '$ is an instance of Point'],
  ['a symbol key', { [Symbol('s')]: 1 }, '$ is an object with symbol keys'],
  ['toJSON', { toJSON: () => 1 }, '$.toJSON is a function'],
  ['a named property of an array', Object.assign([1], { x: 2 }), '$.x is a named property'],
])('14.1: %s is refused with its path, and nothing is written', async (_name, value, text) => {
  const { thread } = await newThread();
  await thread.setValue('k', 'before');
  await expect(thread.setValue('k', value)).rejects.toMatchObject({
    code: 'ERR_ISOBOX_THREAD_VALUE',
    message: expect.stringContaining(text),
  });
  expect(await thread.getValue('k')).toBe('before');
});

test.each([
  ['no string', 7, 'ERR_ISOBOX_THREAD_KEY'],
  ['empty', '', 'ERR_ISOBOX_THREAD_KEY'],
  ['malformed', 'a\udfff', 'ERR_ISOBOX_THREAD_KEY'],
  ['longer than 1 KiB of UTF-8', 'ü'.repeat(513), 'ERR_ISOBOX_THREAD_KEY_LENGTH'],
])(
  '14.2: a key that is %s is refused by get and set',
  async (_name, /** @type {any} */ key, code) => {
    const { thread } = await newThread();
    await expect(thread.setValue(key, 1)).rejects.toMatchObject({ code });
    await expect(thread.getValue(key)).rejects.toMatchObject({ code });
  },
);

test.each(['a/b', '../x', 'k\0', ' ', 'ü'.repeat(512), '\u{1f600}', 'constructor'])(
  'the key %j is a key like any other',
  async (key) => {
    const { thread } = await newThread();
    await thread.setValue(key, key.length);
    expect(await thread.getValue(key)).toBe(key.length);
    expect(await thread.getValue(`${key}x`.slice(-8))).toBe(null);
  },
);

test('14.2: a value of more than 1 MiB of JSON is refused with the limit that was hit', async () => {
  const { thread } = await newThread();
  await thread.setValue('k', 'x'.repeat(2 ** 20 - 2));
  await expect(thread.setValue('k', 'x'.repeat(2 ** 20 - 1))).rejects.toMatchObject({
    code: 'ERR_ISOBOX_THREAD_VALUE_SIZE',
    message: expect.stringContaining('1048576'),
  });
});

test('14.2: a thread has 10,000 keys, also when many are written at once', async () => {
  const { thread } = await newThread();
  const keys = Array.from({ length: 10_000 }, (_, index) => `key ${index}`);
  await Promise.all(keys.map((key) => thread.setValue(key, 1)));
  const refused = { code: 'ERR_ISOBOX_THREAD_KEY_COUNT' };
  await expect(thread.setValue('one more', 1)).rejects.toMatchObject(refused);
  await thread.setValue('key 7', 2);
  await thread.setValue('key 8', null);
  await thread.setValue('one more', 1);
  await expect(thread.setValue('yet one more', 1)).rejects.toMatchObject(refused);
});

test('after terminate values can be read, and not written', async () => {
  const { thread } = await newThread();
  await thread.setValue('k', 1);
  await thread.terminate();
  expect(await thread.getValue('k')).toBe(1);
  await expect(thread.setValue('k', 2)).rejects.toMatchObject({
    code: 'ERR_ISOBOX_THREAD_TERMINATED',
  });
});

test('the values go with the thread', async () => {
  const { thread, runtime } = await newThread();
  await thread.setValue('k', 1);
  expect(await runtime.deleteThread(thread.threadId)).toBe(true);
  expect(await runtime.thread(thread.threadId)).toBe(null);
  expect(await thread.getValue('k')).toBe(null);
});
