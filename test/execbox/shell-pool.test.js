'use strict';

const { ShellPool } = require('../../lib/execbox/shell-pool.js');
const { sleep, until } = require('../support/time.js');

const READY_MS = 5000;

/** A shell that the test can break. */
class FakeShell {
  isAlive = true;
  isFit = true;
  holds = [];
  /** @type {any} never used here */
  transport;
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

/**
 * @param {{ maxSize?: number, minSize?: number, idleTimeoutMs?: number }} [options]
 * @param {(shell: FakeShell) => Promise<void>} [ready]
 * @returns {{
 *   pool: Omit<InstanceType<typeof ShellPool>, 'acquire'> & { acquire: (...args: any[]) => Promise<any> },
 *   made: FakeShell[],
 *   alive: () => number,
 * }} what is acquired is one of `made`, or nothing
 */
function open(options = {}, ready = async () => {}) {
  /** @type {FakeShell[]} */
  const made = [];
  const create = () => {
    const shell = new FakeShell();
    made.push(shell);
    /** @type {Promise<void>} */
    const broken = new Promise((_resolve, reject) => {
      shell.onExit(() => reject(new Error('broken')));
    });
    broken.catch(() => {});
    return { shell, ready: Promise.race([ready(shell), broken]) };
  };
  const pool = new ShellPool(create, { maxSize: 2, minSize: 0, idleTimeoutMs: 60_000, ...options });
  const alive = () => made.filter(({ isAlive }) => isAlive).length;
  return { pool, made, alive };
}

test('a released shell is used again', async () => {
  const { pool, made } = open();
  const shell = await pool.acquire(undefined, READY_MS);
  pool.release(shell, 'reuse');
  expect(await pool.acquire(undefined, READY_MS)).toBe(shell);
  expect(made).toHaveLength(1);
  expect(shell.holds).toEqual(['unhold', 'hold']);
});

test('there are never more than maxSize, and who came first is served first', async () => {
  const { pool, made } = open();
  const first = await pool.acquire(undefined, READY_MS);
  const second = await pool.acquire(undefined, READY_MS);
  expect(second).not.toBe(first);
  const order = [];
  const third = pool.acquire(undefined, READY_MS).then((shell) => (order.push(3), shell));
  const fourth = pool.acquire(undefined, READY_MS).then((shell) => (order.push(4), shell));
  pool.release(second, 'reuse');
  expect(await third).toBe(second);
  pool.release(first, 'reuse');
  expect(await fourth).toBe(first);
  expect(order).toEqual([3, 4]);
  expect(made).toHaveLength(2);
});

test('waiting ends with an abort', async () => {
  const { pool } = open({ maxSize: 1 });
  const shell = await pool.acquire(undefined, READY_MS);
  const controller = new AbortController();
  const waiting = pool.acquire(controller.signal, READY_MS);
  controller.abort();
  expect(await waiting).toBeUndefined();
  expect(await pool.acquire(controller.signal, READY_MS)).toBeUndefined();
  pool.release(shell, 'reuse');
  expect(await pool.acquire(undefined, READY_MS)).toBe(shell);
});

test('a shell whose taker has aborted meanwhile is kept for the next', async () => {
  let start = () => {};
  const { pool, made } = open({ maxSize: 1 }, () => new Promise((resolve) => (start = resolve)));
  const controller = new AbortController();
  const taken = pool.acquire(controller.signal, READY_MS);
  await until(() => made.length === 1);
  controller.abort();
  start();
  expect(await taken).toBeUndefined();
  expect(await pool.acquire(undefined, READY_MS)).toBe(made[0]);
});

test('a broken shell is replaced', async () => {
  const { pool, made } = open({ maxSize: 1 });
  const shell = await pool.acquire(undefined, READY_MS);
  shell.break();
  pool.release(shell, 'reuse');
  const next = await pool.acquire(undefined, READY_MS);
  expect(next).toBe(made[1]);
  pool.release(next, 'end');
  expect(next.isAlive).toBe(false);
  expect(await pool.acquire(undefined, READY_MS)).toBe(made[2]);
});

test('one that breaks while nobody uses it is not handed out', async () => {
  const { pool, made } = open({ maxSize: 1 });
  const shell = await pool.acquire(undefined, READY_MS);
  pool.release(shell, 'reuse');
  shell.break();
  expect(await pool.acquire(undefined, READY_MS)).toBe(made[1]);
});

test('one that is not trusted is used again only if it is fit', async () => {
  const { pool, made } = open({ maxSize: 1 });
  const shell = await pool.acquire(undefined, READY_MS);
  pool.release(shell, 'probe');
  expect(await pool.acquire(undefined, READY_MS)).toBe(shell);
  shell.isFit = false;
  pool.release(shell, 'probe');
  expect(await pool.acquire(undefined, READY_MS)).toBe(made[1]);
  expect(shell.isAlive).toBe(false);
});

test('idle shells are given up after a time, down to minSize', async () => {
  const { pool, alive } = open({ maxSize: 3, minSize: 1, idleTimeoutMs: 30 });
  const shells = await Promise.all([
    pool.acquire(undefined, READY_MS),
    pool.acquire(undefined, READY_MS),
    pool.acquire(undefined, READY_MS),
  ]);
  for (const shell of shells) pool.release(shell, 'reuse');
  expect(alive()).toBe(3);
  await until(() => alive() === 1);
  await sleep(60);
  expect(alive()).toBe(1);
});

test('minSize is kept up when shells break', async () => {
  const { pool, made, alive } = open({ minSize: 2 });
  await pool.prewarm(2);
  made[0].break();
  await until(() => alive() === 2);
  const shell = await pool.acquire(undefined, READY_MS);
  pool.release(shell, 'end');
  await until(() => alive() === 2);
  expect(made).toHaveLength(4);
});

test('prewarm resolves when so many are ready, and makes no more than maxSize', async () => {
  let ready = 0;
  const { pool, made } = open({ maxSize: 2 }, async () => {
    await sleep(20);
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
  const taken = pool.acquire(undefined, READY_MS);
  await until(() => made.length === 1);
  start();
  await warm;
  const shell = await taken;
  expect(shell).toBe(made[0]);
  expect(shell.holds).toEqual([]);
  pool.release(shell, 'reuse');
  expect(await pool.acquire(undefined, READY_MS)).toBe(shell);
  expect(made).toHaveLength(1);
});

test('one that does not start fails its taker, and takes no place', async () => {
  let isBroken = true;
  const { pool } = open({ maxSize: 1 }, async (shell) => {
    if (!isBroken) return;
    shell.break();
    throw new Error('no');
  });
  await expect(pool.acquire(undefined, READY_MS)).rejects.toThrow('no');
  await expect(pool.prewarm(1)).rejects.toThrow('no');
  isBroken = false;
  expect((await pool.acquire(undefined, READY_MS)).isAlive).toBe(true);
});

test('one that does not get ready in time fails its taker, is ended, and takes no place', async () => {
  let isFrozen = true;
  const { pool, made, alive } = open({ maxSize: 1 }, async () => {
    if (isFrozen) await new Promise(() => {});
  });
  await expect(pool.acquire(undefined, 20)).rejects.toMatchObject({ code: 'timeout' });
  expect([made.length, alive()]).toEqual([1, 0]);
  isFrozen = false;
  expect(await pool.acquire(undefined, READY_MS)).toBe(made[1]);
});

test('one that was being prewarmed and does not get ready in time for its taker is ended too', async () => {
  const { pool, made, alive } = open({ maxSize: 1, minSize: 1 }, async (shell) => {
    if (shell === made[0]) await new Promise(() => {});
  });
  const prewarmed = pool.prewarm(1);
  prewarmed.catch(() => {});
  await until(() => made.length === 1);
  await expect(pool.acquire(undefined, 20)).rejects.toMatchObject({ code: 'timeout' });
  await until(() => made.length === 2 && alive() === 1);
  expect(await pool.acquire(undefined, READY_MS)).toBe(made[1]);
});

test('one that never gets ready keeps no place from others when its taker has aborted', async () => {
  const { pool, made } = open({ maxSize: 1 }, async (shell) => {
    if (shell === made[0]) await new Promise(() => {});
  });
  const controller = new AbortController();
  const taken = pool.acquire(controller.signal, 50);
  await until(() => made.length === 1);
  controller.abort();
  await expect(taken).rejects.toMatchObject({ code: 'timeout' });
  expect(await pool.acquire(undefined, READY_MS)).toBe(made[1]);
});

test('one that cannot even be made fails its taker, and nobody else', async () => {
  const pool = new ShellPool(
    () => {
      throw new Error('cannot be made');
    },
    { maxSize: 1, minSize: 1, idleTimeoutMs: 60_000 },
  );
  await expect(pool.prewarm(1)).rejects.toThrow('cannot be made');
  await expect(pool.acquire(undefined, READY_MS)).rejects.toThrow('cannot be made');
  await expect(pool.acquire(undefined, READY_MS)).rejects.toThrow('cannot be made');
  await pool.dispose();
});

test('disposing ends all of them and answers those who wait', async () => {
  const { pool, alive } = open({ maxSize: 2, minSize: 2 });
  const shell = await pool.acquire(undefined, READY_MS);
  pool.release(await pool.acquire(undefined, READY_MS), 'reuse');
  await pool.acquire(undefined, READY_MS);
  const waiting = pool.acquire(undefined, READY_MS);
  await pool.dispose();
  expect(alive()).toBe(0);
  expect(await waiting).toBeUndefined();
  expect(await pool.acquire(undefined, READY_MS)).toBeUndefined();
  pool.release(shell, 'reuse');
  await pool.prewarm(2);
  expect(alive()).toBe(0);
});
