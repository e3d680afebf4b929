'use strict';
// The files of a thread, its definitions by name, and what else a state offers.

const { brief, defineAgent, openAgent, rowsOf, say } = require('./support.js');

const FILE = { code: 'ERR_ISOBOX_THREAD_FILE' };
const textOf = (data) => Buffer.from(data).toString();

test('files are written, read, listed, moved and deleted under normal paths', async () => {
  const { thread } = await openAgent([say('x')]);
  const record = await thread.writeFile('notes//a.txt/', 'hello', 'text/plain', {
    metadata: { n: 1 },
  });
  expect(record).toMatchObject({
    path: '/notes/a.txt',
    name: 'a.txt',
    mimeType: 'text/plain',
    size: 5,
    isDirectory: false,
    metadata: { n: 1 },
  });
  expect(textOf(await thread.readFile('/notes/../notes/a.txt'))).toBe('hello');
  expect(await thread.readFile('/nope')).toBe(null);
  await thread.writeFile('/data.bin', new Uint8Array([1, 2, 3]).subarray(1));
  expect([...new Uint8Array(await thread.readFile('data.bin'))]).toEqual([2, 3]);
  expect((await thread.readdirFile('/')).entries.map(({ path }) => path)).toEqual([
    '/data.bin',
    '/notes',
  ]);
  expect(await thread.getFileStats()).toEqual({ fileCount: 2, directoryCount: 0, totalSize: 7 });
  expect(await thread.moveFile('/notes/a.txt', '/b.txt')).toMatchObject({
    path: '/b.txt',
    name: 'b.txt',
  });
  expect(await thread.statFile('/notes/a.txt')).toBe(null);
  expect(textOf(await thread.readFile('/b.txt'))).toBe('hello');
  expect(await thread.unlinkFile('/b.txt')).toBe(true);
  expect(await thread.unlinkFile('/b.txt')).toBe(false);
});

test('directories are made, and removed only when they are empty', async () => {
  const { thread } = await openAgent([say('x')]);
  expect(await thread.mkdirFile('/d')).toMatchObject({ isDirectory: true });
  await thread.writeFile('/d/f', 'x');
  await expect(thread.rmdirFile('/d')).rejects.toMatchObject(FILE);
  await expect(thread.writeFile('/d', 'x')).rejects.toMatchObject(FILE);
  await expect(thread.writeFile('/d/f/g', 'x')).rejects.toMatchObject(FILE);
  await expect(thread.unlinkFile('/d')).rejects.toMatchObject(FILE);
  await thread.unlinkFile('/d/f');
  expect(await thread.rmdirFile('/d')).toBe(true);
  expect(await thread.rmdirFile('/d')).toBe(false);
});

test('files are found by name and by what is in them, and streamed in pieces', async () => {
  const { thread } = await openAgent([say('x')]);
  await thread.writeFile('/src/a.js', 'let plum;\nlet pear;', 'text/javascript');
  await thread.writeFile('/src/deep/b.js', 'plum', 'text/javascript');
  await thread.writeFile('/pic.png', 'plum', 'image/png');
  expect(await thread.findFiles('/src/*.js')).toEqual({ paths: ['/src/a.js'] });
  expect(await thread.findFiles('**/*.js')).toEqual({ paths: ['/src/a.js', '/src/deep/b.js'] });
  expect(await thread.grepFiles('plum')).toEqual([
    { path: '/src/a.js', matches: ['let plum;'] },
    { path: '/src/deep/b.js', matches: ['plum'] },
  ]);
  await thread.writeFile('/big', 'x'.repeat(600_000));
  const sizes = [];
  for await (const { data, totalChunks, isLast } of thread.readFileStream('/big')) {
    sizes.push([data.byteLength, totalChunks, isLast]);
  }
  expect(sizes).toEqual([
    [262_144, 3, false],
    [262_144, 3, false],
    [75_712, 3, true],
  ]);
});

test.each([
  ['no text', 7],
  ['half a character', '/\ud800'],
  ['a zero', '/a\0b'],
  ['the root', '/'],
  ['a path that is too long', `/${'x'.repeat(1024)}`],
])('%s is no path for a file', async (_name, path) => {
  const { thread } = await openAgent([say('x')]);
  await expect(thread.writeFile(path, 'x')).rejects.toMatchObject(FILE);
});

test('definitions are there by name, and a thread can be given to another agent', async () => {
  const { thread, runtime } = await openAgent([say('from the other')], {
    options: { agents: [defineAgent({ name: 'other', sideA: { prompt: 'main' } })] },
  });
  expect(await thread.getAgentNames()).toEqual(['helper', 'other']);
  expect(await thread.getPromptNames()).toEqual(['main']);
  expect(await thread.getModelNames()).toEqual(['script']);
  expect((await thread.loadAgent('other')).sideA.prompt).toBe('main');
  expect((await thread.loadPrompt('main')).model).toBe('script');
  expect((await thread.loadModel('script')).name).toBe('script');
  await expect(thread.loadAgent('nope')).rejects.toMatchObject({
    code: 'ERR_ISOBOX_THREAD_UNKNOWN',
  });
  await thread.runAgent('other');
  await runtime.idle(thread.threadId);
  expect(thread.agentId).toBe('other');
  expect(brief(await rowsOf(thread))).toEqual(['assistant: from the other']);
});

test('the context lasts for one execution; arguments and times are there', async () => {
  const { thread, send } = await openAgent([say('x')]);
  thread.context.seen = true;
  expect(thread.context).toEqual({ seen: true });
  await send('go');
  expect(thread.arguments).toEqual({});
  expect(thread.userId).toBe(null);
  expect(Math.abs(thread.createdAt / 1000 - Date.now())).toBeLessThan(60_000);
});
