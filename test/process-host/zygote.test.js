'use strict';
// Guest processes that are forked with isolates ready: what their guests see, and what is left of them.

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { IsolatePool } = require('../../lib/index.js');
const { childrenOf, watchChildren } = require('../execbox/child-processes.js');
const { until } = require('../support/time.js');

const mine = watchChildren();
/** @type {import('../../types/index.js').IsolatePool} */
let pool;

afterEach(async () => {
  await pool.dispose();
  await until(() => mine().length === 0);
});

const newPool = (options = {}) =>
  new IsolatePool({ host: 'process', threads: 2, zygote: 4, ...options });

/** @param {string} name of a process @param {number} [host] */
const named = (name, host = process.pid) =>
  childrenOf(host).filter((pid) => {
    try {
      return fs.readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === `isobox-${name}`;
    } catch {
      return false; // it ended meanwhile
    }
  });

/**
 * @param {string} source
 * @param {number} count
 */
async function valuesOf(source, count) {
  const outcomes = await Promise.all(Array.from({ length: count }, () => pool.run({ source })));
  return outcomes.map((outcome) => {
    if (!outcome.ok) throw new Error(`${outcome.cause}: ${outcome.error.message}`);
    return outcome.value;
  });
}

test('processes are forked, locked in, and replaced when their isolates are used up', async () => {
  pool = newPool();
  expect(await valuesOf('return 6 * 7', 20)).toEqual(Array(20).fill(42));
  // Whether a process was forked is known when it is ready.
  await until(() => Number(pool.stats().processesForked) > 0);
  const { processesStarted, sandbox, outcomes } = pool.stats();
  expect(processesStarted).toBeGreaterThanOrEqual(5);
  expect(sandbox).toContain('seccomp');
  expect(outcomes).toMatchObject({ finished: 20, crashed: 0 });
});

test('each guest draws random numbers of its own, in whichever process', async () => {
  pool = newPool({ processes: 2 });
  const source = 'return Array.from({ length: 100 }, Math.random)';
  const draws = (await valuesOf(source, 24)).flat();
  expect(new Set(draws).size).toBe(2400);
});

test('guests see the time as it is, and nothing of each other', async () => {
  pool = newPool({ processes: 2 });
  await valuesOf('globalThis.left = 1; Object.prototype.left = 2; return 0', 4);
  const before = Date.now();
  const seen = await valuesOf('return [Date.now(), typeof left, typeof {}.left].join()', 8);
  for (const text of seen) {
    const [now, ...types] = text.split(',');
    expect(types).toEqual(['undefined', 'undefined']);
    expect(Number(now)).toBeGreaterThanOrEqual(before);
    expect(Number(now)).toBeLessThanOrEqual(Date.now());
  }
});

test('a guest of a forked process computes, collects garbage and is stopped', async () => {
  pool = newPool();
  const source = `
    let kept = new Map();
    for (let i = 0; i < 300_000; i++) kept.set(i % 5000, { text: 'x'.repeat(i % 50), at: /(\\d+)/.exec('a' + i)[1] });
    return [kept.size, new Intl.NumberFormat('en').format(1234.5), [3, 1, 2].sort().join()].join(' ')`;
  expect(await valuesOf(source, 6)).toEqual(Array(6).fill('5000 1,234.5 1,2,3'));
  const endless = await pool.run({ source: 'for (;;);', limits: { wallMs: 100 } });
  expect(endless.cause).toBe('deadline');
  const swollen = await pool.run({
    source: 'const all = []; for (;;) all.push(new Array(1000).fill(1))',
    limits: { memoryBytes: 32 * 2 ** 20 },
  });
  expect(swollen.cause).toBe('memory');
});

test('runs go on when the zygote is killed, and it is started anew', async () => {
  pool = newPool();
  let release = () => {};
  const released = new Promise((resolve) => (release = () => resolve(undefined)));
  let arrive = () => {};
  const arrived = new Promise((resolve) => (arrive = () => resolve(undefined)));
  const wait = () => (arrive(), released);
  const handle = pool.run({
    source: 'await host.wait(); return 1',
    namespaces: { host: { wait } },
  });
  await arrived;
  const [first] = named('zygote');
  process.kill(first, 'SIGKILL');
  await until(() => fs.readFileSync(`/proc/${first}/stat`, 'utf8').includes(') Z '));
  // Three more are all that its process serves.
  expect(await valuesOf('return 1', 3)).toEqual([1, 1, 1]);
  release();
  expect(await handle).toMatchObject({ ok: true, value: 1 });
  expect(await valuesOf('return 42', 8)).toEqual(Array(8).fill(42));
  // A process that was just forked still has the zygote's name.
  await until(() => named('zygote').length === 1);
  expect(named('zygote')).not.toContain(first);
});

test('a host that is killed takes the zygote and what it made with it', async () => {
  pool = newPool(); // for afterEach
  const code = `
    const { IsolatePool } = require(${JSON.stringify(path.join(__dirname, '..', '..'))});
    const pool = new IsolatePool({ host: 'process', processes: 2, zygote: 2 });
    const hold = () => (console.log('ready'), new Promise(() => {}));
    pool.run({ source: 'await host.hold()', namespaces: { host: { hold } } });
    pool.run({ source: 'for (;;);', limits: { wallMs: 60_000 } });`;
  const host = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => host.stdout.once('data', resolve));
  const pids = childrenOf(/** @type {number} */ (host.pid));
  expect(pids.length).toBeGreaterThanOrEqual(2);
  host.kill('SIGKILL');
  await until(() => !pids.some((pid) => fs.existsSync(`/proc/${pid}`)));
});

test('without use for a while there is no zygote either', async () => {
  pool = newPool({ warm: { idleMs: 1000 } });
  expect(await valuesOf('return 1', 1)).toEqual([1]);
  await until(() => mine().length === 0);
  expect(await valuesOf('return 2', 1)).toEqual([2]);
});
