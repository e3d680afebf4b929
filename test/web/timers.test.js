'use strict';

const { usePool } = require('../support/pools.js');

const { run, valueOf } = usePool();

/** @returns {number} timers that keep this process alive */
const hostTimers = () =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

test('timers fire in the order in which they are due, each after the microtasks of the one before', async () => {
  const source = `
    const log = [];
    setTimeout((text) => log.push(text), 20, 'last');
    setTimeout(async () => { log.push('first'); for (let i = 0; i < 9; i++) await 0; log.push('its end') }, 1);
    setTimeout(() => log.push('second'), 1);
    const cleared = setTimeout(() => log.push('never'), 5);
    clearTimeout(cleared);
    clearTimeout(undefined);
    await new Promise((done) => setTimeout(done, 30));
    return log`;
  expect(await valueOf({ source, web: true })).toEqual(['first', 'its end', 'second', 'last']);
});

test('intervals repeat until they are cleared', async () => {
  const source = `
    let count = 0;
    await new Promise((done) => {
      const id = setInterval(() => { if (++count === 3) { clearInterval(id); done() } }, 1);
    });
    await new Promise((done) => setTimeout(done, 10));
    return count`;
  expect(await valueOf({ source, web: true })).toBe(3);
});

test('a run does not wait for timers, and leaves none to its host', async () => {
  const before = hostTimers();
  const source = 'setTimeout(() => {}, 1e6); setInterval(() => {}, 1e6); await 0; return 1';
  expect(await valueOf({ source, web: true })).toBe(1);
  expect(hostTimers()).toBe(before);
});

test('however many timers a guest sets, its host has one', async () => {
  const before = hostTimers();
  const source = `
    const ids = [];
    for (let i = 0; i < 5000; i++) ids.push(setTimeout(() => {}, 1e6 - i));
    await host.look();
    for (const id of ids) clearTimeout(id);
    await host.look();
    return ids.length`;
  const looks = /** @type {number[]} */ ([]);
  const namespaces = { host: { look: () => looks.push(hostTimers() - before) && null } };
  const request = { source, namespaces, web: true, limits: { wallMs: 30_000 } };
  expect(await valueOf(request)).toBe(5000);
  expect(looks).toEqual([1, 0]);
});

test('a flood of timers ends with its deadline', async () => {
  const source =
    'const more = () => { setTimeout(more); setTimeout(more) }; more(); await new Promise(() => {})';
  const outcome = await run({ source, web: true, limits: { wallMs: 300 } });
  expect(['deadline', 'memory']).toContain(outcome.cause);
});

test('what a callback throws is shown, and ends nothing', async () => {
  const source = `
    setTimeout(() => { throw new Error('in a timer') }, 1);
    queueMicrotask(() => { throw new Error('in a microtask') });
    await new Promise((done) => setTimeout(done, 10));
    return 1`;
  const outcome = await run({ source, web: true });
  expect(outcome.ok).toBe(true);
  const text = outcome.logs.map((entry) => entry.text).join('\n');
  expect(text).toContain('in a timer');
  expect(text).toContain('in a microtask');
});

test.each(/** @type {const} */ (['json', 'clone']))(
  'they are the same under the profile %s',
  async (values) => {
    const source = `
      const start = performance.now();
      await new Promise((done) => setTimeout(done, 5));
      return performance.now() - start >= 4`;
    expect(await valueOf({ source, web: true, values })).toBe(true);
  },
);
