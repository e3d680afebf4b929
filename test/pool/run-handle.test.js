'use strict';

const { usePool } = require('../support/pools.js');

const { run } = usePool();

test('a handle can be awaited, again and again, with one outcome', async () => {
  const handle = run({ source: 'return { a: 1 }' });
  const [first, second] = await Promise.all([handle, handle]);
  expect(first).toBe(second);
  expect(first).toBe(await handle);
});

test('a handle never rejects', async () => {
  const rejected = jest.fn();
  const outcome = await run({ source: 'throw new Error("mine")' }).catch(rejected);
  expect(outcome).toMatchObject({ ok: false, cause: 'guest_error' });
  expect(rejected).not.toHaveBeenCalled();
});

test('then, catch and finally give promises like those of any promise', async () => {
  const handle = run({ source: 'return 1' });
  const settled = jest.fn();
  expect(await handle.then(({ value }) => value + 1)).toBe(2);
  expect(await handle.finally(settled)).toMatchObject({ value: 1 });
  expect(settled).toHaveBeenCalledTimes(1);
  expect(await Promise.race([handle])).toMatchObject({ value: 1 });
});

test('running is true until the outcome is there', async () => {
  const handle = run({ source: 'return 1' });
  expect(handle.running).toBe(true);
  await handle;
  expect(handle.running).toBe(false);
});

test('terminating a run that has ended does nothing', async () => {
  const handle = run({ source: 'return 1' });
  await handle;
  handle.terminate('too late');
  expect(await handle).toMatchObject({ ok: true, value: 1 });
});

test.each([5, null, {}, () => {}])(
  'terminate takes no %p for a reason',
  async (/** @type {any} */ reason) => {
    const handle = run({ source: 'return 1' });
    expect(() => handle.terminate(reason)).toThrow(TypeError);
    expect(await handle).toMatchObject({ ok: true });
  },
);
