'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

/**
 * Folders and files of tests that have a command of their own, by project: they take minutes, or most of the machine.
 * The rest is the project `main`, which `npm test` runs.
 */
const APART = {
  hostile: [
    'test/hostile/',
    'test/limits/giant-allocations.test.js',
    'test/source/hostile-sources.test.js',
  ],
  soak: ['test/soak/'],
  // Lost threads have the lowest priority: on a busy machine they do not come back in time.
  exhaustion: [
    'test/limits/builtins-that-v8-cannot-interrupt.test.js',
    'test/limits/exhausted-pools-recover.test.js',
  ],
  // They install packages from npm.
  packaging: [
    'test/package/bundlers.test.js',
    'test/package/newcomer.test.js',
    'test/package/packed-tarball.test.js',
  ],
  // They start a PostgreSQL server of their own.
  postgres: [
    'test/threads/contract-postgres.test.js',
    'test/threads/database-failures.test.js',
    'test/threads/takeover.test.js',
  ],
  // They install packages with npm, most of them from its registry.
  tpmjs: ['test/tpmjs/'],
  // They start a browser.
  browser: ['test/threads/page.test.js'],
};

/**
 * What is run a second time with guests in processes of their own: files whose pools come from test/support/pools.js, by way of
 * test/run-code/use-run-code.js too, but for the one whose options are none.
 */
const OVER_PROCESSES = ['pool', 'limits', 'lifecycle', 'run-code'].flatMap((folder) =>
  fs
    .readdirSync(path.join(__dirname, 'test', folder))
    .map((name) => `test/${folder}/${name}`)
    .filter((file) => file.endsWith('.test.js') && !file.endsWith('/pool-options.test.js'))
    .filter((file) =>
      /\/(support\/pools|use-run-code)\.js/.test(
        fs.readFileSync(path.join(__dirname, file), 'utf8'),
      ),
    ),
);

/** @type {import('jest').Config} */
const common = {
  testEnvironment: 'node',
  modulePathIgnorePatterns: [
    '<rootDir>/.cache/',
    '<rootDir>/build/',
    '<rootDir>/dist/',
    '<rootDir>/prebuilds/',
  ],
  // No transform: the tests run as they are written, on the Node they are meant for.
  transform: {},
};

/** @type {import('jest').Config} */
module.exports = {
  projects: [
    {
      ...common,
      displayName: 'main',
      testMatch: ['<rootDir>/test/**/*.test.js'],
      testPathIgnorePatterns: Object.values(APART).flatMap((places) =>
        places.map((place) => `<rootDir>/${place}`),
      ),
    },
    {
      ...common,
      displayName: 'process',
      setupFiles: ['<rootDir>/test/support/over-processes.js'],
      testMatch: OVER_PROCESSES.map((file) => `<rootDir>/${file}`),
    },
    ...Object.entries(APART).map(([displayName, places]) => ({
      ...common,
      displayName,
      testMatch: places.map(
        (place) => `<rootDir>/${place}${place.endsWith('/') ? '**/*.test.js' : ''}`,
      ),
    })),
  ],
  testTimeout: 30_000,
  // Many tests wait for processes of their own, and many have threads of their own.
  maxWorkers: Math.max(2, Math.floor(os.availableParallelism() / 2)),
};
