'use strict';
// A database that goes away: a clear error, and nothing lost.

const { sleep } = require('../support/time.js');
const { usePostgres } = require('./postgres.js');
const { brief, openAgent, rowsOf, say } = require('./support.js');

const server = usePostgres();
const STORE = { code: 'ERR_ISOBOX_THREAD_STORE' };

test('a database that goes away in a step: callers are told, and the thread goes on when it is back', async () => {
  const address = await server.newDatabase();
  const seen = {};
  const { runtime, thread } = await openAgent(
    async () => {
      seen.asked = true;
      await seen.held;
      return say('here again');
    },
    { options: { store: address, limits: { pollMs: 100 } } },
  );
  seen.held = new Promise((resolve) => (seen.release = resolve));
  await runtime.send(thread.threadId, { content: 'go' });
  while (!seen.asked) await sleep(10);
  await server.kill('SIGQUIT');
  seen.release();
  await expect(thread.setValue('k', 1)).rejects.toMatchObject(STORE);
  await sleep(200);
  await server.launch();
  let rows = [];
  while (rows.at(-1)?.content !== 'here again') {
    await sleep(50);
    rows = await rowsOf(thread).catch(() => []);
  }
  expect(brief(rows)).toEqual(['user: go', 'assistant: here again']);
}, 60_000);

test('connections that are cut in the middle of transactions: each write happens or is refused, and the process lives', async () => {
  const { Client } = require('pg');
  const address = await server.newDatabase();
  const { runtime } = await openAgent([say('x')], { options: { store: address } });
  const threads = await Promise.all(
    Array.from({ length: 20 }, () => runtime.createThread({ agent: 'helper' })),
  );
  const knife = new Client({ connectionString: address });
  await knife.connect();
  const until = Date.now() + 1500;
  const refused = [];
  const write = async (thread) => {
    for (let count = 1; Date.now() < until; count += 1) {
      const isWritten = await thread.setValue('k', count).then(
        () => true,
        (error) => !refused.push(error.code),
      );
      const found = await thread.getValue('k').catch(() => count);
      if (isWritten) expect(found).toBe(count);
    }
  };
  const writes = threads.map(write);
  while (Date.now() < until) {
    await knife.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await sleep(5);
  }
  await Promise.all(writes);
  await knife.end();
  expect(new Set(refused)).toEqual(new Set(['ERR_ISOBOX_THREAD_STORE']));
  await threads[0].setValue('k', 'still here');
  expect(await threads[0].getValue('k')).toBe('still here');
}, 60_000);
