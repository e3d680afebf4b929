'use strict';
// Stores of other versions: older ones are brought up to date, newer ones are refused. `stores/version-<n>.json` has all records
// of a store that the isobox of that version wrote.

const { readTimed } = require('../../lib/threads/store/keys.js');
const { SCHEMA_VERSION } = require('../../lib/threads/store/migrations.js');
const { openStore } = require('../../lib/threads/store/open-store.js');
const { listThread } = require('../../lib/threads/store/thread-list.js');
const { definitions } = require('./crash-scenario.js');
const { brief, newDirectory, open, rowsOf } = require('./support.js');

/**
 * @param {string} name
 * @param {{ newAddress: () => string | Promise<string>, engineModule: string, engineName: string }} engine
 */
function describeMigrations(name, { newAddress, engineModule, engineName }) {
  const Engine = require(engineModule)[engineName];

  /** Puts records into a store as an isobox of any version would have. */
  async function write(address, records) {
    const engine = new Engine(address);
    await engine.open();
    const operations = Object.entries(records).map(([key, value]) => ({
      type: 'put',
      key: Buffer.from(key),
      value: Buffer.from(JSON.stringify(value)),
    }));
    await engine.transact([], () => ({ operations, result: undefined }));
    await engine.close();
  }

  /** The entries of threads, in lists and by when something happened in them, agree with their records. */
  async function expectIndexed(address, count) {
    const store = await openStore(address);
    const threads = await store.list('thread/');
    const entries = (await store.list('touched/')).map(({ key }) => readTimed(key));
    const listed = (await store.list('list/')).map(({ key }) => key);
    /** @type {string[]} */
    const expected = [];
    const lists = /** @type {any} */ ({ put: (key) => expected.push(key) });
    for (const { value } of threads) {
      expect(value.listed).toBe(value.last_activity_at);
      listThread(lists, { ...value, listed: 0 });
    }
    expect(listed.sort()).toEqual(expected.sort());
    const schema = await store.get('meta/schema');
    await store.close();
    expect(schema).toEqual({ version: SCHEMA_VERSION });
    expect(threads).toHaveLength(count);
    const inRecords = threads.map(({ value }) => `${value.touched} ${value.id}`);
    expect(entries.map(({ at, id }) => `${at} ${id}`).sort()).toEqual(inRecords.sort());
  }

  describe(`stores of other versions on ${name}`, () => {
    test.each([
      ['version 1', './stores/version-1.json'],
      ['version 2', './stores/version-2.json'],
    ])('one that %s wrote is brought up to date, and its threads go on', async (_name, file) => {
      const address = await newAddress();
      /** @type {Record<string, any>} */
      const records = require(file);
      await write(address, records);
      const runtime = await open({
        ...definitions(address, `${newDirectory()}/effects`),
        encryptionKey: 'a'.repeat(64),
      });
      const ids = Object.values(records).filter((one) => one.agent_name === 'worker');
      const done = await runtime.thread(ids.find(({ stopped }) => !stopped)?.id);
      expect((await rowsOf(done)).at(-1).content).toBe('All done.');
      expect(await done.env('NAME')).toBe('value');
      expect(await done.getValue('k')).toEqual({ a: [1] });
      expect(await done.getChildThread(done.children[0].reference)).not.toBe(null);
      const waiting = await runtime.thread(ids.find(({ stopped }) => stopped)?.id);
      await runtime.send(waiting.threadId, { content: 'now' });
      await runtime.idle(waiting.threadId);
      const rows = brief(await rowsOf(waiting));
      expect(rows.slice(0, 2)).toEqual(['user: wait for the next version', 'user: now']);
      expect(rows.at(-1)).toBe('assistant: All done.');
      await runtime.close();
      const children = 2;
      await expectIndexed(address, ids.length + children);
    });

    test('a process that ends in the middle leaves the rest to the next, and two do it together', async () => {
      const address = await newAddress();
      /** @type {Record<string, any>} */
      const records = require('./stores/version-1.json');
      const [thread] = Object.values(records).filter((one) => one.agent_name === 'worker');
      const many = Array.from({ length: 1100 }, (_, index) => ({ ...thread, id: `t${index}` }));
      await write(address, {
        'meta/schema': { version: 1 },
        ...Object.fromEntries(many.map((one) => [`thread/${one.id}`, one])),
      });
      const { transact } = Engine.prototype;
      const ending = jest.spyOn(Engine.prototype, 'transact');
      ending.mockImplementation(
        /** @this {unknown} */ function limited(...args) {
          if (ending.mock.calls.length > 2) throw new Error('the process ends');
          return transact.apply(this, args);
        },
      );
      await expect(openStore(address)).rejects.toThrow('the process ends');
      ending.mockRestore();
      const both = await Promise.all([openStore(address), openStore(address)]);
      await Promise.all(both.map((store) => store.close()));
      await expectIndexed(address, many.length);
    });

    test.each([
      ['a newer one', { version: SCHEMA_VERSION + 1 }, `version ${SCHEMA_VERSION + 1}`],
      ['one that says nothing of its version', {}, 'version undefined'],
    ])('%s is refused, and stays as it is', async (_name, schema, text) => {
      const address = await newAddress();
      await write(address, { 'meta/schema': schema });
      for (let attempt = 0; attempt < 2; attempt += 1) {
        await expect(openStore(address)).rejects.toMatchObject({
          code: 'ERR_ISOBOX_THREAD_STORE',
          message: expect.stringContaining(text),
        });
      }
    });
  });
}

module.exports = { describeMigrations };
