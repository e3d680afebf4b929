'use strict';

const { Worker } = require('node:worker_threads');

const { eraseTypes } = require('../../lib/source/index.js');
const { workers } = require('../../lib/source/prepare-source.js');
const { SourceWorkers } = require('../../lib/source/source-workers.js');
const { runNode } = require('../support/child.js');
const { until } = require('../support/time.js');
const { closeWorkersAfterAll } = require('./support/close-workers.js');
const { HOSTILE } = require('./support/hostile-sources.js');

closeWorkersAfterAll();

const LIBRARY = require.resolve('../../lib/source/index.js');
const ENDLESS = HOSTILE['generic arrow functions or not']();
const REQUEST = /** @type {const} */ ({ kind: 'module', filename: 'a.ts', jsx: false });

let unique = 0;

/** @returns {string} source that was not seen before and needs the engine */
function freshSource() {
  return `enum A { X = ${unique++} }`;
}

test('the loop goes on while a hostile source is read', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 10);
  const reading = eraseTypes(ENDLESS, { timeoutMs: 1000 });
  await expect(reading).rejects.toMatchObject({
    name: 'TypeScriptTranspileError',
    code: 'ERR_SOURCE_TIMEOUT',
    line: undefined,
  });
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(20);
});

test('a hostile source does not hold up the others', async () => {
  const hostile = eraseTypes(`${ENDLESS};`, { timeoutMs: 6000 }).catch((error) => error.code);
  const first = await Promise.race([
    hostile,
    Promise.all([1, 2, 3].map(() => eraseTypes(freshSource()))),
  ]);
  expect(first).toHaveLength(3);
  expect(workers.threads).toBe(2);
  expect(await hostile).toBe('ERR_SOURCE_TIMEOUT');
  expect(workers.threads).toBe(1);
});

test('the same source asked for at once is read once', async () => {
  const prepare = jest.spyOn(workers, 'prepare');
  const source = freshSource();
  const results = await Promise.all(Array.from({ length: 20 }, () => eraseTypes(source)));
  expect(prepare).toHaveBeenCalledTimes(1);
  expect(new Set(results.map(({ code }) => code)).size).toBe(1);
  await eraseTypes(source);
  expect(prepare).toHaveBeenCalledTimes(1);
  prepare.mockRestore();
});

test('a timeout is not remembered', async () => {
  const source = freshSource() + '\nn = 1 as any;'.repeat(10_000);
  await expect(eraseTypes(source, { timeoutMs: 1 })).rejects.toMatchObject({
    code: 'ERR_SOURCE_TIMEOUT',
  });
  await expect(eraseTypes(source, { timeoutMs: 20_000 })).resolves.toBeDefined();
});

test('idle threads end', async () => {
  const pool = new SourceWorkers({ maxThreads: 2, idleTimeoutMs: 30 });
  await pool.prepare(freshSource(), REQUEST, 5000);
  await until(() => pool.threads === 0, 5000);
  expect((await pool.prepare(freshSource(), REQUEST, 5000)).error).toBeNull();
  await pool.close();
});

test('closing answers what is under way and what waits', async () => {
  const pool = new SourceWorkers({ maxThreads: 1, idleTimeoutMs: 1000 });
  await pool.prepare(freshSource(), REQUEST, 5000);
  const replies = [ENDLESS, freshSource()].map((source) => pool.prepare(source, REQUEST, 5000));
  await pool.close();
  for (const { error } of await Promise.all(replies)) {
    expect(error).toMatchObject({ code: 'ERR_SOURCE_ENGINE', filename: 'a.ts' });
  }
  expect(pool.threads).toBe(0);
});

test('an idle thread does not keep the process alive', async () => {
  const script = `const { eraseTypes } = require(${JSON.stringify(LIBRARY)});
    eraseTypes('enum A { X }').then(({ code }) => console.log(code.length > 0));`;
  const child = await runNode(['-e', script], { boundMs: 20_000 });
  expect(child).toMatchObject({ code: 0, signal: null, stderr: '', stdout: 'true\n' });
});

test('types can be erased from within a worker', async () => {
  const script = `const { eraseTypes, closeSourceWorkers } = require(${JSON.stringify(LIBRARY)});
    const { parentPort } = require('node:worker_threads');
    eraseTypes('enum A { X }').then(({ code }) => {
      parentPort.postMessage(code.length > 0);
      return closeSourceWorkers();
    });`;
  const worker = new Worker(script, { eval: true });
  const answer = await new Promise((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
  });
  expect(answer).toBe(true);
  await worker.terminate();
});
