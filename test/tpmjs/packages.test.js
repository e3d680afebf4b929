'use strict';
// How packages come to the executor: from which registry, once, whole, and even when the registry is gone.

const { spawn } = require('node:child_process');
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const { BIN } = require('../cli/command.js');
const { until } = require('../support/time.js');
const { Registry } = require('./registry.js');
const { client, serve, useDirectory, useRegistry } = require('./support.js');

const { registry, npmrc, directory } = useRegistry();
const fresh = () => fs.mkdtempSync(path.join(directory, 'cache-'));
const tool = (/** @type {string} */ text) =>
  `export const tool = { description: 'd', execute: () => ${JSON.stringify(text)} };`;
const V11 = { 'x-tpmjs-protocol-version': '1.1' };

/** @param {string} cacheDir */
const kept = (cacheDir) => fs.readdirSync(path.join(cacheDir, 'packages'));

beforeAll(() => {
  registry.publish('one', { version: '1.0.0', files: { 'index.js': tool('first') } });
  registry.publish('one', { version: '1.2.0', files: { 'index.js': tool('second') } });
  registry.publish('dependent', {
    about: { dependencies: { one: '^1.0.0' } },
    files: { 'index.js': `export { tool } from 'one';` },
  });
});

test('a tag, a range and a version lead to an exact version', async () => {
  const executor = await serve({ npmrc, cacheDir: fresh() });
  try {
    for (const [version, exact, output] of [
      ['latest', '1.2.0', 'second'],
      ['^1.0.0', '1.2.0', 'second'],
      ['~1.0.0', '1.0.0', 'first'],
      ['1.0.0', '1.0.0', 'first'],
    ]) {
      const body = await executor.execute({ packageName: 'one', name: 'tool', version });
      expect([version, body.metadata.version, body.output]).toEqual([version, exact, output]);
    }
    const body = await executor.execute({ packageName: 'dependent', name: 'tool' });
    expect(body.output).toBe('second');
  } finally {
    await executor.close();
  }
});

test('a package is installed once however many ask, and is there after a restart without a registry', async () => {
  const cacheDir = fresh();
  const ask = { packageName: 'one', name: 'tool', version: '1.0.0' };
  registry.asked.clear();
  const first = await serve({ npmrc, cacheDir });
  const bodies = await Promise.all(Array.from({ length: 8 }, () => first.execute(ask)));
  const tagged = await first.execute({ ...ask, version: 'latest' });
  await first.close();
  expect(bodies.every(({ output }) => output === 'first')).toBe(true);
  expect(registry.asked.get('one/-/1.0.0.tgz')).toBe(1);
  expect(kept(cacheDir)).toHaveLength(2);
  expect(fs.readdirSync(path.join(cacheDir, 'tmp'))).toEqual([]);
  registry.fail();
  const second = await serve({ npmrc, cacheDir });
  const again = await second.execute(ask).finally(() => registry.recover());
  expect(again).toMatchObject({ output: 'first', metadata: { cached: true } });
  await second.close();
  registry.fail();
  const third = await serve({ npmrc, cacheDir });
  const latest = await third
    .execute({ ...ask, version: 'latest' })
    .finally(() => registry.recover());
  await third.close();
  expect([tagged.output, latest.output]).toEqual(['second', 'second']);
});

test('what does not exist is PACKAGE_NOT_FOUND, and not retryable', async () => {
  const executor = await serve({ npmrc, cacheDir: fresh() });
  try {
    for (const ask of [
      { packageName: 'none', name: 'tool' },
      { packageName: '@none/none', name: 'tool', version: '1.0.0' },
      { packageName: 'one', name: 'tool', version: '9.9.9' },
    ]) {
      expect((await executor.execute(ask)).error.code).toBe('PACKAGE_NOT_FOUND');
      expect(await executor.execute(ask, V11)).toMatchObject({
        errorStage: 'load',
        errorCode: 'PACKAGE_IMPORT_FAILED',
        retryable: false,
      });
    }
  } finally {
    await executor.close();
  }
});

test.each(/** @type {const} */ (['broken', 'silent', 'closed']))(
  'a registry that is %s is PACKAGE_NOT_FOUND, retryable, within 20 s',
  async (state) => {
    const sick = new Registry();
    await sick.listen();
    const file = path.join(fresh(), 'npmrc');
    fs.writeFileSync(file, `registry=${sick.url}\n`);
    if (state === 'closed') await sick.close();
    else sick.state = state;
    const executor = await serve({ npmrc: file, cacheDir: fresh() });
    const startedAt = performance.now();
    try {
      const body = await executor.execute({ packageName: 'one', name: 'tool' }, V11);
      expect(body).toMatchObject({ errorCode: 'PACKAGE_IMPORT_FAILED', retryable: true });
      expect(performance.now() - startedAt).toBeLessThan(20_000);
    } finally {
      await executor.close();
      if (state !== 'closed') await sick.close();
    }
  },
);

test('private registries, scopes and tokens come from .npmrc, and no tool reads them', async () => {
  const closed = new Registry();
  await closed.listen();
  closed.authorization = 'Bearer token-of-the-registry';
  const read = `import fs from 'node:fs';
    export const tool = { description: 'd', execute: () => fs.readdirSync(new URL('../../..', import.meta.url), { recursive: true })
      .filter((name) => !name.endsWith('.tgz')).map((name) => { try { return fs.readFileSync(new URL('../../../' + name, import.meta.url), 'utf8'); } catch { return ''; } }).join() };`;
  closed.publish('@private/thing', { files: { 'index.js': read } });
  const file = path.join(fresh(), 'npmrc');
  const lines = [
    `registry=${registry.url}`,
    `@private:registry=${closed.url}`,
    `//127.0.0.1:${closed.port}/:_authToken=token-of-the-registry`,
  ];
  fs.writeFileSync(file, lines.join('\n'));
  const executor = await serve({ npmrc: file, cacheDir: fresh() });
  try {
    const body = await executor.execute({ packageName: '@private/thing', name: 'tool' });
    expect(body).toMatchObject({ success: true, metadata: { isolation: 'process' } });
    expect(body.output).toMatch(/@private\/thing/);
    expect(body.output).not.toMatch(/token-of-the-registry/);
  } finally {
    await executor.close();
    await closed.close();
  }
});

test('the cache is bounded by age, and what is in use stays', async () => {
  const cacheDir = fresh();
  const first = await serve({ npmrc, cacheDir });
  await first.execute({ packageName: 'one', name: 'tool', version: '1.0.0' });
  await first.close();
  const [key] = kept(cacheDir);
  const longAgo = new Date(Date.now() - 3_600_000);
  fs.utimesSync(path.join(cacheDir, 'packages', key, 'isobox.json'), longAgo, longAgo);
  const second = await serve({ npmrc, cacheDir, maxCacheAgeMs: 60_000 });
  await second.execute({ packageName: 'one', name: 'tool', version: '1.2.0' });
  await second.close();
  expect(kept(cacheDir)).toEqual([expect.stringMatching(/^one@1\.2\.0-/)]);
});

test('the cache is bounded by size', async () => {
  const cacheDir = fresh();
  const first = await serve({ npmrc, cacheDir });
  await first.execute({ packageName: 'one', name: 'tool', version: '1.0.0' });
  await first.close();
  const [key] = kept(cacheDir);
  const longAgo = new Date(Date.now() - 3_600_000);
  fs.utimesSync(path.join(cacheDir, 'packages', key, 'isobox.json'), longAgo, longAgo);
  const second = await serve({ npmrc, cacheDir, maxCacheBytes: 1024 });
  await second.execute({ packageName: 'one', name: 'tool', version: '1.2.0' });
  await second.close();
  expect(kept(cacheDir)).toEqual([expect.stringMatching(/^one@1\.2\.0-/)]);
});

describe('the command', () => {
  const cacheDir = useDirectory();

  /** @param {string[]} args */
  async function start(args) {
    const child = spawn(process.execPath, [
      BIN,
      'tpmjs',
      '--port',
      '0',
      '--npmrc',
      npmrc,
      '--cache-dir',
      cacheDir,
      ...args,
    ]);
    const ended = new Promise((resolve) => {
      child.once('close', (code, signal) => resolve(code ?? signal));
    });
    const url = await new Promise((resolve, reject) => {
      child.stdout.setEncoding('utf8').once('data', (text) => resolve(text.trim()));
      child.stderr.setEncoding('utf8').once('data', (text) => reject(new Error(text)));
    });
    return { child, ended, ...client(url) };
  }

  test('kill -9 in the middle of an install leaves nothing half-installed', async () => {
    registry.publish('large', {
      files: { 'index.js': tool('large'), data: crypto.randomBytes(30_000_000) },
    });
    const first = await start([]);
    const ask = { packageName: 'large', name: 'tool', version: '1.0.0' };
    const lost = first.execute(ask).catch(() => 'lost');
    await until(() => fs.readdirSync(path.join(cacheDir, 'tmp')).length > 0);
    first.child.kill('SIGKILL');
    expect([await lost, await first.ended]).toEqual(['lost', 'SIGKILL']);
    expect(kept(cacheDir)).toEqual([]);
    const second = await start([]);
    expect(fs.readdirSync(path.join(cacheDir, 'tmp'))).toEqual([]);
    const again = await second.execute(ask);
    expect([again.error, again.output]).toEqual([undefined, 'large']);
    second.child.kill('SIGTERM');
    expect(await second.ended).toBe(143);
  });

  test('SIGTERM finishes what was accepted', async () => {
    registry.publish('slow', {
      files: {
        'index.js': `import { setTimeout as sleep } from 'node:timers/promises';
          import fs from 'node:fs';
          export const tool = { description: 'd', execute: async () => { fs.writeFileSync('begun', ''); await sleep(1500); return 'done'; } };`,
      },
    });
    const served = await start([]);
    const ask = { packageName: 'slow', name: 'tool', version: '1.0.0' };
    const accepted = served.execute(ask);
    const isBegun = () =>
      fs
        .readdirSync(path.join(cacheDir, 'tmp'))
        .some((name) => fs.existsSync(path.join(cacheDir, 'tmp', name, 'begun')));
    await until(isBegun, 20_000);
    served.child.kill('SIGTERM');
    expect((await accepted).output).toBe('done');
    expect(await served.ended).toBe(143);
    expect(fs.readdirSync(path.join(cacheDir, 'tmp'))).toEqual([]);
  });
});
