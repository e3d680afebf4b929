'use strict';
// Lists of threads over HTTP: their order, their pages, and what a page costs.

const { definitions } = require('./crash-scenario.js');
const { serveRuntime } = require('./served.js');
const { defineAgent, definePrompt, newDirectory, open, say, scripted } = require('./support.js');

/** Threads of one millisecond are in the order of their ids. */
async function nextMillisecond() {
  for (const now = Date.now(); Date.now() === now;) await new Promise(setImmediate);
}

const isOfLogs = ({ start }) => start.toString().startsWith('log/');

/**
 * @param {string} name
 * @param {{ newAddress: () => string | Promise<string>, engineModule: string, engineName: string }} engine
 */
function describeLists(name, { newAddress, engineModule, engineName }) {
  const { prototype } = require(engineModule)[engineName];

  async function start() {
    const prompt = { name: 'main', toolDescription: 'd', prompt: 'You help.', model: 'script' };
    const runtime = await open({
      store: await newAddress(),
      models: [scripted('script', [say('Hello.')]).model],
      prompts: [definePrompt(prompt)],
      agents: ['helper', 'other'].map((agent) =>
        defineAgent({ name: agent, sideA: { prompt: 'main' } }),
      ),
    });
    const tokens = { root: {}, a: { user: 'ada' }, b: { user: 'bob' } };
    const { ask } = await serveRuntime(runtime, tokens);
    const list = async (query = '', token = 'root') =>
      (await ask('GET', `/threads?${query}`, undefined, token)).body;
    const ids = async (query, token) => (await list(query, token)).threads.map(({ id }) => id);
    const create = async (agent, userId) => {
      const { threadId } = await runtime.createThread({ agent, ...(userId && { userId }) });
      await nextMillisecond();
      return threadId;
    };
    return { runtime, ask, list, ids, create };
  }

  describe(`lists of threads on ${name}`, () => {
    test('are in the order of activity or of creation, for all or for a user', async () => {
      const { runtime, ids, list, create } = await start();
      const [one, two] = [await create('helper', 'ada'), await create('other', 'ada')];
      const [three, four] = [await create('helper', 'bob'), await create('helper')];
      expect(await ids('sort=created')).toEqual([four, three, two, one]);
      expect(await ids('sort=oldest')).toEqual([one, two, three, four]);
      expect(await ids()).toEqual([four, three, two, one]);
      await runtime.send(two, { content: 'Hi' });
      await runtime.idle();
      expect(await ids()).toEqual([two, four, three, one]);
      expect(await ids('sort=created')).toEqual([four, three, two, one]);
      expect(await ids('', 'a')).toEqual([two, one]);
      expect(await ids('user=bob')).toEqual([three]);
      expect(await ids('user=bob', 'a')).toEqual([]);
      expect(await ids('agent=other')).toEqual([two]);
      expect(await ids('search=Hello')).toEqual([two]);
      await runtime.deleteThread(two);
      expect(await ids()).toEqual([four, three, one]);
      expect(await ids('', 'a')).toEqual([one]);
      expect(await list('offset=1&limit=1')).toMatchObject({
        threads: [{ id: three }],
        hasMore: true,
        next: expect.any(String),
      });
      expect(await list('offset=2')).toMatchObject({ hasMore: false, total: 3 });
    });

    test('are read page by page: each thread once, and a page costs a page', async () => {
      const { runtime, ask, ids, list, create } = await start();
      const total = 700;
      const made = [];
      for (let index = 0; index < total; index += 1) {
        made.push(create(index % 2 ? 'helper' : 'other', index % 3 ? 'ada' : undefined));
      }
      await Promise.all(made);
      for (const query of ['sort=activity', 'sort=created', 'sort=oldest', 'agent=helper']) {
        const all = await ids(`${query}&limit=1000`);
        expect(all).toHaveLength(query.startsWith('agent') ? total / 2 : total);
        const paged = [];
        for (let after = ''; after !== undefined;) {
          const page = await list(`${query}&limit=90&after=${encodeURIComponent(after)}`);
          paged.push(...page.threads.map(({ id }) => id));
          after = page.next;
        }
        expect(paged).toEqual(all);
      }
      const read = jest.spyOn(prototype, 'getMany');
      expect(await ids('limit=10')).toHaveLength(10);
      const records = read.mock.calls.flat(2).length;
      read.mockRestore();
      expect(records).toBeLessThan(total / 2);
      expect((await ask('GET', '/threads?after=x', undefined, 'root')).status).toBe(400);
      await runtime.idle();
    });

    test('of logs cost a page as well, and their sums are right', async () => {
      const { runtime, ask, create } = await start();
      const id = await create('helper');
      for (let index = 0; index < 60; index += 1) await runtime.send(id, { content: `m${index}` });
      await runtime.idle(id);
      const logs = await (await runtime.thread(id)).getLogs({ limit: 1000 });
      expect(logs.length).toBeGreaterThan(0);
      const sum = logs.reduce((total, log) => total + (log.total_tokens ?? 0), 0);
      expect((await ask('GET', `/threads/${id}/cost`, undefined, 'root')).body).toMatchObject({
        total_tokens: sum,
      });
      const read = jest.spyOn(prototype, 'list');
      const [last] = await (await runtime.thread(id)).getLogs({ limit: 1 });
      const asked = read.mock.calls.flatMap((/** @type {any[]} */ args) => args).filter(isOfLogs);
      read.mockRestore();
      expect(last).toEqual(logs.at(-1));
      expect(asked.map(({ limit }) => limit)).toEqual([1]);
      const { messages } = await (await runtime.thread(id)).getMessages({ limit: 1 });
      expect(messages[0].content).toBe('Hello.');
    });

    test('show children where they are wanted, in the same order', async () => {
      const runtime = await open({
        ...definitions(await newAddress(), `${newDirectory()}/effects`),
        encryptionKey: 'a'.repeat(64),
      });
      const { ask } = await serveRuntime(runtime, ['root']);
      const list = async (query) =>
        (await ask('GET', `/threads?${query}`, undefined, 'root')).body.threads;
      const ids = [];
      for (let index = 0; index < 3; index += 1) {
        const { threadId } = await runtime.createThread({ agent: 'worker', userId: 'ada' });
        await nextMillisecond();
        await runtime.send(threadId, { content: 'go' });
        await runtime.idle(threadId);
        const { children } = await runtime.thread(threadId);
        ids.push(threadId, children[0].reference);
      }
      const parents = ids.filter((_id, index) => index % 2 === 0);
      expect((await list('sort=oldest')).map(({ id }) => id)).toEqual(parents);
      expect((await list('sort=oldest&include_children=1')).map(({ id }) => id)).toEqual(ids);
      const times = (await list('include_children=1&user=ada')).map((row) => row.last_activity_at);
      expect(times).toEqual([...times].sort((a, b) => b - a));
      await runtime.deleteThread(parents[0]);
      expect(await list('include_children=1')).toHaveLength(ids.length - 2);
    });
  });
}

module.exports = { describeLists };
