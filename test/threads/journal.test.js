'use strict';
// A crash of the machine may undo the last commit of LMDB, which its journal does again. Here the store's file is put back to
// what it was some transactions ago, which is what such a crash leaves.

const fs = require('node:fs');
const path = require('node:path');

const { openStore } = require('../../lib/threads/store/open-store.js');
const { newDirectory } = require('./support.js');

/** @type {Awaited<ReturnType<typeof openStore>>[]} */
const stores = [];
afterEach(() => Promise.all(stores.splice(0).map((store) => store.close())));

const fileOf = (directory) => path.join(directory, 'threads.mdb');
const journalOf = (directory) => path.join(directory, 'threads.wal');
const put = (store, key, value) => store.transact([], (_values, batch) => batch.put(key, value));
const all = async (store) =>
  Object.fromEntries((await store.list('a/')).map(({ key, value }) => [key, value]));

async function open(directory) {
  const store = await openStore(directory);
  stores.push(store);
  return store;
}

/**
 * @param {(store: any) => Promise<unknown>} before in the file when the machine crashes
 * @param {(store: any) => Promise<unknown>} after resolved, and not in the file
 */
async function crash(before, after) {
  const directory = newDirectory();
  const store = await open(directory);
  await before(store);
  const file = fs.readFileSync(fileOf(directory));
  await after(store);
  await store.close();
  fs.writeFileSync(fileOf(directory), file);
  return directory;
}

test('transactions that a crash has undone are done again, in their order', async () => {
  const directory = await crash(
    async (store) => {
      for (const name of ['1', '2', '3']) await put(store, `a/${name}`, name);
    },
    async (store) => {
      await put(store, 'a/4', 'four');
      await store.transact(['a/4'], ([four], batch) => {
        batch.put('a/5', `${four} and one`);
        batch.copy('a/1', 'a/6');
        batch.delete('a/2');
        batch.deleteBefore('a/', 'a/2');
      });
      await put(store, 'a/4', 'last word');
    },
  );
  const expected = { 'a/3': '3', 'a/4': 'last word', 'a/5': 'four and one', 'a/6': '1' };
  const store = await open(directory);
  expect(await all(store)).toEqual(expected);
  await put(store, 'a/7', 7);
  await store.close();
  expect(await all(await open(directory))).toEqual({ ...expected, 'a/7': 7 });
});

test('an entry that is there only in part is left out, with what follows it', async () => {
  const directory = await crash(
    (store) => put(store, 'a/1', 1),
    async (store) => {
      for (const value of [2, 3, 4]) await put(store, `a/${value}`, `value ${value}`);
    },
  );
  const journal = fs.readFileSync(journalOf(directory));
  journal[journal.indexOf('value 3')] += 1;
  fs.writeFileSync(journalOf(directory), journal);
  const store = await open(directory);
  expect(await all(store)).toEqual({ 'a/1': 1, 'a/2': 'value 2' });
  await put(store, 'a/5', 5);
  await store.close();
  expect(await all(await open(directory))).toEqual({ 'a/1': 1, 'a/2': 'value 2', 'a/5': 5 });
});

test('the journal begins again when it is full, and is read across its end', async () => {
  const text = 'x'.repeat(50_000);
  // Some 9 MB through a journal of 4 MiB.
  const write = async (store, from, to) => {
    for (let count = from; count < to; count += 1) await put(store, 'a/1', `${count} ${text}`);
  };
  for (const crashAt of [80, 83, 160]) {
    const directory = await crash(
      (store) => write(store, 0, crashAt),
      (store) => write(store, crashAt, crashAt + 10),
    );
    const [number] = (await (await open(directory)).get('a/1')).split(' ');
    expect(Number(number)).toBe(crashAt + 9);
  }
});

test('what is too large for the journal is in the file when its promise resolves', async () => {
  const directory = newDirectory();
  const store = await open(directory);
  const large = 'x'.repeat(2 ** 20);
  await Promise.all([put(store, 'a/1', large), put(store, 'a/2', 'beside it')]);
  const copy = newDirectory();
  fs.copyFileSync(fileOf(directory), fileOf(copy));
  expect(await all(await open(copy))).toEqual({ 'a/1': large, 'a/2': 'beside it' });
});

test('many at once, large and small: all are there after a crash', async () => {
  const directory = await crash(
    (store) => put(store, 'a/0', 0),
    (store) =>
      Promise.all(
        Array.from({ length: 200 }, (_, count) => put(store, `a/${count}`, 'y'.repeat(count * 20))),
      ),
  );
  expect(Object.keys(await all(await open(directory)))).toHaveLength(200);
});

test('the journal of another store is not read', async () => {
  const directory = newDirectory();
  await put(await open(directory), 'a/1', 1);
  const other = newDirectory();
  fs.copyFileSync(journalOf(directory), journalOf(other));
  expect(await all(await open(other))).toEqual({});
});
