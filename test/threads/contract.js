'use strict';
// What every engine promises, and what a runtime shows over it.

const path = require('node:path');

const { openStore } = require('../../lib/threads/store/open-store.js');
const { crashAt, expectWhole } = require('./crash.js');
const { describeLists } = require('./lists.js');
const { describeMigrations } = require('./migrations.js');
const { connect, serve } = require('./served.js');
const {
  brief,
  call,
  defineTool,
  expectPaired,
  newDirectory,
  openAgent,
  rowsOf,
  say,
} = require('./support.js');

const tick = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * @param {string} name
 * @param {{ newAddress: () => string | Promise<string>, engineModule: string, engineName: string }} engine
 */
function describeEngine(name, { newAddress, engineModule, engineName }) {
  describe(`a store on ${name}`, () => {
    const stores = [];
    const openAt = async (address) => {
      const store = await openStore(address);
      stores.push(store);
      return store;
    };
    afterEach(() => Promise.all(stores.splice(0).map((store) => store.close())));

    test('keeps what was written, in the order of keys', async () => {
      const address = await newAddress();
      const first = await openAt(address);
      await first.transact([], (_values, batch) => {
        for (const key of ['a/2', 'a/10', 'b/1', 'a/1', 'a/ü', 'a/\0']) batch.put(key, { key });
        batch.putBytes('blob/1', Buffer.from([0, 255, 1]));
      });
      await first.close();
      const second = await openAt(address);
      const keys = async (options) => (await second.list('a/', options)).map(({ key }) => key);
      expect(await keys()).toEqual(['a/\0', 'a/1', 'a/10', 'a/2', 'a/ü']);
      expect(await keys({ reverse: true, limit: 2 })).toEqual(['a/ü', 'a/2']);
      expect(await keys({ from: 'a/1', before: 'a/2' })).toEqual(['a/1', 'a/10']);
      expect(await keys({ unlocked: true })).toHaveLength(5);
      expect(await second.get('b/1')).toEqual({ key: 'b/1' });
      expect(await second.get('b/2')).toBe(undefined);
      expect(await second.getMany(['b/2', 'b/1'])).toEqual([undefined, { key: 'b/1' }]);
      expect([...(await second.getBytes('blob/1'))]).toEqual([0, 255, 1]);
    });

    test('writes a transaction wholly or not at all', async () => {
      const store = await openAt(await newAddress());
      const refused = store.transact(['x/1'], (_values, batch) => {
        batch.put('x/1', 1);
        throw new Error('changed my mind');
      });
      await expect(refused).rejects.toThrow('changed my mind');
      expect(await store.list('x/')).toEqual([]);
      await store.transact([], (_values, batch) => {
        batch.put('x/1', 1);
        batch.put('x/2', 2);
        batch.delete('x/1');
        batch.put('x/2', 3);
        batch.put('y/1', 1);
        batch.copy('x/2', 'y/2');
        batch.deleteAll('x/');
        batch.put('x/9', 9);
      });
      expect(await store.list('x/')).toEqual([{ key: 'x/9', value: 9 }]);
      expect(await store.list('y/')).toEqual([
        { key: 'y/1', value: 1 },
        { key: 'y/2', value: 3 },
      ]);
    });

    test('counts right when many count at once, also from two sides', async () => {
      const address = await newAddress();
      const sides = [await openAt(address), await openAt(address)];
      await sides[0].transact([], (_values, batch) => batch.put('count/', 0));
      await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          sides[index % 2].transact(['count/'], ([count], batch) => batch.put('count/', count + 1)),
        ),
      );
      expect(await sides[1].get('count/')).toBe(100);
    });

    test('applies what one side does to one key in the order of calls', async () => {
      const store = await openAt(await newAddress());
      const order = [];
      await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          store
            .transact(['k/'], (_values, batch) => batch.put('k/', index))
            .then(() => order.push(index)),
        ),
      );
      expect(await store.get('k/')).toBe(49);
      expect(order).toEqual(Array.from({ length: 50 }, (_, index) => index));
    });

    test('a damaged record is named', async () => {
      const store = await openAt(await newAddress());
      await store.transact([], (_values, batch) =>
        batch.putBytes('thread/x', Buffer.from('{"id":')),
      );
      await expect(store.get('thread/x')).rejects.toMatchObject({
        code: 'ERR_ISOBOX_THREAD_STORE',
        message: expect.stringContaining('thread/x'),
      });
    });
  });

  describeMigrations(name, { newAddress, engineModule, engineName });
  describeLists(name, { newAddress, engineModule, engineName });

  describe(`a runtime on ${name}`, () => {
    const script = ({ messages }) => (messages.at(-1).role === 'tool' ? say('done') : call('work'));
    const openOn = async (store, work, limits = {}) =>
      openAgent(script, {
        options: {
          store,
          tools: { work: defineTool({ description: 'works', execute: work }) },
          limits: { pollMs: 100, ...limits },
          encryptionKey: 'a'.repeat(64),
        },
      });

    test('runs threads, and keeps values and variables', async () => {
      const { send, thread } = await openOn(await newAddress(), () => 'worked');
      await thread.setValue('k', { a: [1] });
      await thread.setEnv('NAME', 'value');
      const rows = await send('go');
      expect(brief(rows)).toEqual([
        'user: go',
        'assistant: null',
        'tool: worked',
        'assistant: done',
      ]);
      expect(await thread.getValue('k')).toEqual({ a: [1] });
      expect(await thread.env('NAME')).toBe('value');
    });

    test('12: streams show what another process runs', async () => {
      const address = await newAddress();
      const held = {};
      const { thread, ...runs } = await openOn(
        address,
        () => new Promise((resolve) => (held.goOn = () => resolve('worked'))),
      );
      const { threadId: id } = thread;
      await runs.runtime.send(id, { content: 'go' });
      while (held.goOn === undefined) await tick(10);
      // It has the lease: the process that serves cannot run the thread.
      const serves = await serve(script, {
        options: {
          store: address,
          tools: { work: defineTool({ description: 'works', execute: () => 'not here' }) },
        },
      });
      const one = await connect(serves.port, `/threads/${id}/stream?token=secret&logs=1`);
      const all = await connect(serves.port, '/stream?token=secret');
      const next = await runs.runtime.createThread({ agent: 'helper' });
      held.goOn();
      await one.until(({ data }) => data?.content === 'done' && data.status === 'completed');
      await one.until(({ type, data }) => type === 'log_data' && data.tool_results?.length === 1);
      await one.until(({ data }) => data?.metadata?.stopReasonCode === 'stop_on_response');
      const contents = one.frames.map(({ data }) => data?.content);
      expect(contents).toEqual(expect.arrayContaining(['worked', 'done']));
      await all.until(({ thread_id, data }) => thread_id === id && data?.executing === false);
      await all.until(
        ({ type, thread_id }) => type === 'thread_created' && thread_id === next.threadId,
      );
      await runs.runtime.deleteThread(next.threadId);
      await all.until(
        ({ type, thread_id }) => type === 'thread_deleted' && thread_id === next.threadId,
      );
      one.socket.terminate();
      all.socket.terminate();
    });

    test('11: a process that loses its lease in a step aborts it and writes nothing more', async () => {
      const address = await newAddress();
      const held = {};
      /** @type {{ late?: string }} */
      const seen = {};
      const first = await openOn(
        address,
        async (state) => {
          await new Promise((resolve) => (held.goOn = resolve));
          seen.late = await state.setValue('late', 1).catch(({ code }) => code);
          return 'from the first';
        },
        { leaseMs: 600_000 },
      );
      await first.runtime.send(first.thread.threadId, { content: 'go' });
      while (held.goOn === undefined) await tick(10);
      // Another process finds the lease expired, as after a long pause of the first.
      const store = await openStore(address);
      await store.transact([`thread/${first.thread.threadId}`], ([record], batch) => {
        record.lease.expires = 0;
        batch.put(`thread/${first.thread.threadId}`, record);
      });
      await store.close();
      const second = await openOn(address, () => 'from the second');
      await second.runtime.idle(first.thread.threadId);
      held.goOn();
      while (seen.late === undefined) await tick(10);
      await tick(50);
      const thread = await second.runtime.thread(first.thread.threadId);
      const rows = await rowsOf(thread);
      expect(seen.late).toBe('ERR_ISOBOX_THREAD_FENCED');
      expect(await thread.getValue('late')).toBe(null);
      expectPaired(rows);
      expect(rows.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
      expect(rows[2]).toMatchObject({
        tool_status: 'error',
        content: expect.stringContaining('outcome is unknown'),
      });
    });

    test('15: kill -9 ahead of every transaction of a run: nothing is lost or doubled', async () => {
      let points = 0;
      let unknown = 0;
      const store = await newAddress();
      for (let killAt = 1; ; killAt += 1) {
        const place = {
          store,
          effects: path.join(newDirectory(), 'effects'),
          engineModule,
          engineName,
        };
        const found = await crashAt(place, killAt);
        expectWhole(found);
        unknown += found.rows.filter(({ content }) =>
          content?.includes('outcome is unknown'),
        ).length;
        if (!found.isKilled) break;
        points += 1;
      }
      expect(points).toBeGreaterThan(25);
      expect(unknown).toBeGreaterThan(1);
    }, 300_000);
  });
}

module.exports = { describeEngine };
