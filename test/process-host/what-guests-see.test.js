'use strict';
// Guests of two processes have nothing in common that guests of two isolates have not, and see the host as others do.

const { IsolatePool } = require('../../lib/index.js');

/** @type {import('../../types/index.js').IsolatePool} */
let pool;

beforeAll(() => {
  pool = new IsolatePool({ host: 'process', processes: 2, threads: 2 });
});

afterAll(() => pool.dispose());

/** @param {string} source */
async function valueOf(source) {
  const outcome = await pool.run({ source });
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value;
}

test('each guest draws random numbers of its own', async () => {
  const draws = await Promise.all(
    Array.from({ length: 40 }, () => valueOf('return Math.random()')),
  );
  expect(new Set(draws).size).toBe(40);
});

test('the time zone and the language are those of the host', async () => {
  const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions();
  const seen = await valueOf(
    'const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions(); return { timeZone, locale }',
  );
  expect(seen).toEqual({ timeZone, locale });
  const date = new Date(0);
  expect(await valueOf('return String(new Date(0))')).toBe(String(date));
});

test('a guest finds nothing of Node, and nothing of the guest before it', async () => {
  await valueOf('globalThis.left = 1; Array.prototype.left = 2; return 0');
  const seen = await Promise.all(
    Array.from({ length: 4 }, () =>
      valueOf('return [typeof process, typeof require, typeof left, typeof [].left].join()'),
    ),
  );
  expect(new Set(seen)).toEqual(new Set(['undefined,undefined,undefined,undefined']));
});
