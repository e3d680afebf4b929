'use strict';

const { ShellPool } = require('../../lib/execbox/shell-pool.js');
const { until } = require('../support/pool-under-test.js');

/** A shell that the test can break. */
class FakeShell {
  isAlive = true;
  isFit = true;
  holds = [];
  #onExit = new Set();

  onExit(handler) {
    this.#onExit.add(handler);
  }

  hold() {
    this.holds.push('hold');
  }

  unhold() {
    this.holds.push('unhold');
  }

  async probe() {
    return this.isFit;
  }

  async terminate() {
    this.break();
  }

  break() {
    if (!this.isAlive) return;
    this.isAlive = false;
    for (const handler of this.#onExit) handler();
  }
}

function open(options = {}, ready = async () => {}) {
  const made = [];
  const create = () => {
    const shell = new FakeShell();
    made.push(shell);
    return { shell, ready: ready(shell) };
  };
  const pool = new ShellPool(create, { maxSize: 2, minSize: 0, idleTimeoutMs: 60_000, ...options });
  const alive = () => made.filter(({ isAlive }) => isAlive).length;
  return { pool, made, alive };
}

test('a released shell is used again', async () => {
  const { pool, made } = open();
  const shell = await pool.acquire();
  pool.release(shell, 'reuse');
  expect(await pool.acquire()).toBe(shell);
  expect(made).toHaveLength(1);
  expect(shell.holds).toEqual(['unhold', 'hold']);
});

test('there are never more than maxSize, and who came first is served first', async () => {
  const { pool, made } = open();
  const first = await pool.acquire();
  const second = await pool.acquire();
  expect(second).not.toBe(first);
  const order = [];
  const third = pool.acquire().then((shell) => (order.push(3), shell));
  const fourth = pool.acquire().then((shell) => (order.push(4), shell));
  pool.release(second, 'reuse');
  expect(await third).toBe(second);
  pool.release(first, 'reuse');
  expect(await fourth).toBe(first);
  expect(order).toEqual([3, 4]);
  expect(made).toHaveLength(2);
});

test('waiting ends with an abort', async () => {
  const { pool } = open({ maxSize: 1 });
  const shell = await pool.acquire();
  const controller = new AbortController();
  const waiting = pool.acquire(controller.signal);
  controller.abort();
  expect(await waiting).toBeUndefined();
  expect(await pool.acquire(controller.signal)).toBeUndefined();
  pool.release(shell, 'reuse');
  expect(await pool.acquire()).toBe(shell);
});

test('a shell whose taker has aborted meanwhile is kept for the next', async () => {
  let start = () => {};
  const { pool, made } = open({ maxSize: 1 }, () => new Promise((resolve) => (start = resolve)));
  const controller = new AbortController();
  const taken = pool.acquire(controller.signal);
  await until(() => made.length === 1);
  controller.abort();
  start();
  expect(await taken).toBeUndefined();
  expect(await pool.acquire()).toBe(made[0]);
});

test('a broken shell is replaced', async () => {
  const { pool, made } = open({ maxSize: 1 });
  const shell = await pool.acquire();
  shell.break();
  pool.release(shell, 'reuse');
  const next = await pool.acquire();
  expect(next).toBe(made[1]);
  pool.release(next, 'end');
  expect(next.isAlive).toBe(false);
  expect(await pool.acquire()).toBe(made[2]);
});

test('one that breaks while nobody uses it is not handed out', async () => {
  const { pool, made } = open({ maxSize: 1 });
  const shell = await pool.acquire();
  pool.release(shell, 'reuse');
  shell.break();
  expect(await pool.acquire()).toBe(made[1]);
});

test('one that is not trusted is used again only if it is fit', async () => {
  const { pool, made } = open({ maxSize: 1 });
  const shell = await pool.acquire();
  pool.release(shell, 'probe');
  expect(await pool.acquire()).toBe(shell);
  shell.isFit = false;
  pool.release(shell, 'probe');
  expect(await pool.acquire()).toBe(made[1]);
  expect(shell.isAlive).toBe(false);
});

test('idle shells are given up after a time, down to minSize', async () => {
  const { pool, alive } = open({ maxSize: 3, minSize: 1, idleTimeoutMs: 30 });
  const shells = await Promise.all([pool.acquire(), pool.acquire(), pool.acquire()]);
  for (const shell of shells) pool.release(shell, 'reuse');
  expect(alive()).toBe(3);
  await until(() => alive() === 1);
  await new Promise((resolve) => void setTimeout(resolve, 60));
  expect(alive()).toBe(1);
});

test('minSize is kept up when shells break', async () => {
  const { pool, made, alive } = open({ minSize: 2 });
  await pool.prewarm(2);
  made[0].break();
  await until(() => alive() === 2);
  const shell = await pool.acquire();
  pool.release(shell, 'end');
  await until(() => alive() === 2);
  expect(made).toHaveLength(4);
});

test('prewarm resolves when so many are ready, and makes no more than maxSize', async () => {
  let ready = 0;
  const { pool, made } = open({ maxSize: 2 }, async () => {
    await new Promise((resolve) => void setTimeout(resolve, 20));
    ready++;
  });
  await pool.prewarm(5);
  expect([made.length, ready]).toEqual([2, 2]);
  await pool.prewarm(1);
  expect(made).toHaveLength(2);
  expect(made.map(({ holds }) => holds)).toEqual([['unhold'], ['unhold']]);
});

test('who comes while one is being prewarmed gets that one', async () => {
  let start = () => {};
  const { pool, made } = open({ maxSize: 1 }, () => new Promise((resolve) => (start = resolve)));
  const warm = pool.prewarm(1);
  const taken = pool.acquire();
  await until(() => made.length === 1);
  start();
  await warm;
  const shell = await taken;
  expect(shell).toBe(made[0]);
  expect(shell.holds).toEqual([]);
  pool.release(shell, 'reuse');
  expect(await pool.acquire()).toBe(shell);
  expect(made).toHaveLength(1);
});

test('one that does not start fails its taker, and takes no place', async () => {
  let isBroken = true;
  const { pool } = open({ maxSize: 1 }, async (shell) => {
    if (!isBroken) return;
    shell.break();
    throw new Error('no');
  });
  await expect(pool.acquire()).rejects.toThrow('no');
  await pool.prewarm(1);
  isBroken = false;
  expect((await pool.acquire()).isAlive).toBe(true);
});

test('disposing ends all of them and answers those who wait', async () => {
  const { pool, alive } = open({ maxSize: 2, minSize: 2 });
  const shell = await pool.acquire();
  pool.release(await pool.acquire(), 'reuse');
  await pool.acquire();
  const waiting = pool.acquire();
  await pool.dispose();
  expect(alive()).toBe(0);
  expect(await waiting).toBeUndefined();
  expect(await pool.acquire()).toBeUndefined();
  pool.release(shell, 'reuse');
  await pool.prewarm(2);
  expect(alive()).toBe(0);
});
