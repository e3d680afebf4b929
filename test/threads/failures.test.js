'use strict';
// Stores that are damaged, full or gone: a clear error, and nothing lost.

const fs = require('node:fs');
const path = require('node:path');

const { openStore } = require('../../lib/threads/store/open-store.js');
const { runNode } = require('../support/child.js');
const { newDirectory } = require('./support.js');

const STORE = { code: 'ERR_ISOBOX_THREAD_STORE' };

test('a store file that is no store is refused, and stays as it is', async () => {
  const store = newDirectory();
  const file = path.join(store, 'threads.mdb');
  fs.writeFileSync(file, Buffer.alloc(65_536, 'not a store'));
  await expect(openStore(store)).rejects.toMatchObject(STORE);
  expect(fs.readFileSync(file).subarray(0, 11).toString()).toBe('not a store');
});

test('a store file that is cut short is refused', async () => {
  const store = newDirectory();
  const opened = await openStore(store);
  await opened.transact([], (_values, batch) => batch.putBytes('a/1', Buffer.alloc(200_000, 1)));
  await opened.close();
  fs.truncateSync(path.join(store, 'threads.mdb'), 40_960);
  await expect(openStore(store)).rejects.toThrow('is cut short');
});

test('a store that cannot be a directory is refused', async () => {
  const file = path.join(newDirectory(), 'file');
  fs.writeFileSync(file, 'x');
  await expect(openStore(path.join(file, 'store'))).rejects.toMatchObject(STORE);
});

test('a full disk: the write is refused with the reason, what was there stays, and room lets it go on', async () => {
  const store = newDirectory();
  // A limit on the size of files stands for the disk: the kernel refuses the write.
  const script = `
    process.on('SIGXFSZ', () => {});
    const { execFileSync } = require('node:child_process');
    const limitFiles = (size) => execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=' + size + ':unlimited']);
    const report = (value) => console.log(JSON.stringify({ report: value }));
    (async () => {
      const store = await require('./lib/threads/store/open-store.js').openStore(${JSON.stringify(store)});
      await store.transact([], (_values, batch) => batch.put('a/1', 'kept'));
      limitFiles(200000);
      const big = Buffer.alloc(1e6, 1);
      report(await store.transact([], (_values, batch) => batch.putBytes('a/2', big)).catch((error) => error.code));
      report(await store.get('a/1'));
      limitFiles('unlimited');
      await store.transact([], (_values, batch) => batch.putBytes('a/2', big));
      report((await store.getBytes('a/2')).length);
      await store.close();
    })();`;
  const root = path.join(__dirname, '..', '..');
  const { reports, code } = await runNode(['-e', script], { cwd: root });
  expect(code).toBe(0);
  expect(reports).toEqual(['ERR_ISOBOX_THREAD_STORE', 'kept', 1_000_000]);
});

test('a full disk: what was refused is not done later', async () => {
  const store = newDirectory();
  const script = `
    process.on('SIGXFSZ', () => {});
    const { execFileSync } = require('node:child_process');
    const report = (value) => console.log(JSON.stringify({ report: value }));
    (async () => {
      const store = await require('./lib/threads/store/open-store.js').openStore(${JSON.stringify(store)});
      execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=400000:unlimited']);
      const refused = [];
      for (let count = 0; count < 12; count += 1) {
        const put = (_values, batch) => batch.put('a/' + count, String(count).repeat(30000));
        await store.transact([], put).catch(() => refused.push('a/' + count));
      }
      report(refused);
      process.exit();
    })();`;
  const root = path.join(__dirname, '..', '..');
  // LMDB tells of it on standard error too.
  const { reports } = await runNode(['-e', script], { cwd: root });
  const [refused] = reports;
  expect(refused.length).toBeGreaterThan(0);
  const opened = await openStore(store);
  const kept = (await opened.list('a/')).map(({ key }) => key);
  await opened.close();
  expect(kept.filter((key) => refused.includes(key))).toEqual([]);
  expect(kept.length + refused.length).toBe(12);
});

test('a database that is not there is named', async () => {
  await expect(openStore('postgres://nobody@127.0.0.1:1/none')).rejects.toMatchObject(STORE);
});
