'use strict';
// Rows of a thread are told once, in the order in which they were written, whoever sees them first.

const { Tail } = require('../../lib/threads/serve/tail.js');

/** A store whose answers to `list` are given by the test. */
function newTail() {
  const asked = [];
  const told = [];
  const store = { list: () => new Promise((resolve) => asked.push(resolve)) };
  const tail = new Tail(
    /** @type {any} */ (store),
    't',
    (kind, { status }) => void told.push(`${kind} ${status}`),
  );
  const isAsked = async () => {
    while (asked.length === 0) await undefined;
  };
  const answer = async (/** @type {object[]} */ rows) => {
    await isAsked();
    asked.shift()(rows);
  };
  return { tail, told, isAsked, answer };
}

const row = (/** @type {string} */ status) => ({ key: 'message/t/1', value: { status } });

test('what a look has read is not told after what this process has written since', async () => {
  const { tail, told, isAsked, answer } = newTail();
  await answer([]);
  await answer([]);
  const looked = tail.look();
  await isAsked();
  tail.note('message', 'message/t/1', { status: 'pending' });
  tail.note('message', 'message/t/1', { status: 'completed' });
  await answer([row('pending')]);
  await answer([]);
  await looked;
  expect(told).toEqual(['message pending', 'message completed']);
});

test('a row that a look has found is not told again by the one who wrote it', async () => {
  const { tail, told, answer } = newTail();
  await answer([]);
  await answer([]);
  const looked = tail.look();
  await answer([row('pending')]);
  await answer([]);
  await looked;
  tail.note('message', 'message/t/1', { status: 'pending' });
  expect(told).toEqual(['message pending']);
});

test('rows that were there before are told when they change', async () => {
  const { tail, told, answer } = newTail();
  await answer([row('pending')]);
  await answer([]);
  const looked = tail.look();
  await answer([row('completed')]);
  await answer([]);
  await looked;
  expect(told).toEqual(['message completed']);
});
