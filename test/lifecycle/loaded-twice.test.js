'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { runChild, runNode } = require('../support/child.js');

const ROOT = path.join(__dirname, '..', '..');

/** @type {string} */
let directory;

beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-twice-'));
});

afterEach(() => {
  fs.rmSync(directory, { recursive: true, force: true });
});

test('two module registries of one process have pools side by side', async () => {
  const child = await runChild(
    async ({ ENTER, IsolatePool, poolThreads, report, require, until }, root) => {
      for (const file of Object.keys(require.cache)) {
        if (file.startsWith(root)) delete require.cache[file];
      }
      const again = require(root);
      report(again.IsolatePool !== IsolatePool);
      const pools = [new IsolatePool(), new again.IsolatePool()];
      const runs = pools.map((pool) => pool.run({ source: 'return 6 * 7' }));
      report((await Promise.all(runs)).map(({ value }) => value));
      await Promise.all(pools.map((pool) => pool.dispose()));
      report(await until(() => poolThreads() === 0));
      await ENTER.mixed();
      void new again.IsolatePool().run({ source: 'for (;;) {}' });
      process.exit(3);
    },
    { args: ROOT },
  );
  expect(child).toMatchObject({ code: 3, signal: null, stderr: '' });
  expect(child.reports).toEqual([true, [42, 42], true]);
});

test('two copies of the package in one process have pools side by side', async () => {
  const { builtPath } = require('../../lib/addon-paths.js');
  fs.mkdirSync(path.dirname(builtPath(directory)), { recursive: true });
  fs.copyFileSync(builtPath(ROOT), builtPath(directory));
  fs.cpSync(path.join(ROOT, 'lib'), path.join(directory, 'lib'), { recursive: true });
  fs.copyFileSync(path.join(ROOT, 'package.json'), path.join(directory, 'package.json'));
  const child = await runChild(
    async ({ GUESTS, IsolatePool, report, require }, root) => {
      const other = require(root);
      const pools = [new IsolatePool(), new other.IsolatePool()];
      const runs = pools.map((pool) => pool.run({ source: 'return 6 * 7' }));
      report((await Promise.all(runs)).map(({ value }) => value));
      const stuck = pools.map((pool) => pool.run({ source: GUESTS.stuck, limits: { wallMs: 50 } }));
      report((await Promise.all(stuck)).map(({ cause }) => cause));
      process.exitCode = 2;
    },
    { args: directory },
  );
  expect(child).toMatchObject({ code: 2, signal: null, stderr: '' });
  expect(child.reports).toEqual([
    [42, 42],
    ['deadline', 'deadline'],
  ]);
});

describe('in Jest', () => {
  const JEST = path.join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');

  /** @param {Record<string, string>} files */
  const runJest = (files) => {
    for (const [name, text] of Object.entries(files)) {
      fs.writeFileSync(path.join(directory, name), text);
    }
    const config = { rootDir: directory, transform: {}, testEnvironment: 'node', cache: false };
    return runNode([JEST, '--runInBand', '--config', JSON.stringify(config)], { cwd: directory });
  };

  const testFile = (answer) => `
    const { IsolatePool } = require(${JSON.stringify(ROOT)});
    test('runs a guest', async () => {
      const pool = new IsolatePool();
      const stuck = 'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)';
      const { cause } = await pool.run({ source: stuck, limits: { wallMs: 50 } });
      expect(cause).toBe('deadline');
      expect((await pool.run({ source: 'return 42' })).value).toBe(${answer});
    });`;

  test('files that leave a stuck thread and an open pool pass and the process ends', async () => {
    const child = await runJest({ 'a.test.js': testFile(42), 'b.test.js': testFile(42) });
    expect(child).toMatchObject({ code: 0, signal: null });
    expect(child.stderr).toMatch(/Tests: +2 passed, 2 total/);
    expect(child.stderr).not.toMatch(/did not exit/);
  });

  test('a stuck thread does not turn a failure into success', async () => {
    const child = await runJest({ 'a.test.js': testFile(43) });
    expect(child).toMatchObject({ code: 1, signal: null });
    expect(child.stderr).toMatch(/Tests: +1 failed, 1 total/);
  });
});
