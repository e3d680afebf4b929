'use strict';

const { ByteLru, contentKey } = require('../../lib/source/byte-lru.js');

test('what was used longest ago leaves first', () => {
  const lru = new ByteLru(30);
  lru.set('a', 1, 10);
  lru.set('b', 2, 10);
  lru.set('c', 3, 10);
  lru.get('a');
  lru.set('d', 4, 10);
  expect(['a', 'b', 'c', 'd'].map((key) => lru.get(key))).toEqual([1, undefined, 3, 4]);
  expect(lru.bytes).toBe(30);
});

test('a value heavier than the whole cache is not kept and pushes nothing out', () => {
  const lru = new ByteLru(30);
  lru.set('a', 1, 10);
  lru.set('big', 2, 31);
  expect([lru.get('a'), lru.get('big'), lru.bytes]).toEqual([1, undefined, 10]);
});

test('a value set again is counted once', () => {
  const lru = new ByteLru(30);
  lru.set('a', 1, 10);
  lru.set('a', 2, 20);
  expect([lru.get('a'), lru.bytes, lru.size]).toEqual([2, 20, 1]);
  lru.clear();
  expect([lru.get('a'), lru.bytes, lru.size]).toEqual([undefined, 0, 0]);
});

test('keys tell apart what UTF-8 would not', () => {
  expect(contentKey('x', '\ud800')).not.toBe(contentKey('x', '\ud801'));
  expect(contentKey('x', 'ab')).not.toBe(contentKey('xa', 'b'));
});
