'use strict';
// Makes the functions that run code: settings first, then any number of runs.

const { checkRecord, checkSignal } = require('../checks/options.js');
const { readWebSetting } = require('../web/setting.js');
const { IsolatePool } = require('../pool.js');
const { checkHost } = require('../process-host.js');
const { beginRun } = require('./begin-run.js');
const { CodeExecution } = require('./code-execution.js');
const {
  DEFAULT_MAX_MEMORY_LIMIT_BYTES,
  DEFAULT_MEMORY_LIMIT_BYTES,
  FLOOD_LIMITS,
  checkMemory,
} = require('./limits.js');

/** @type {Partial<Record<'thread' | 'process', InstanceType<typeof IsolatePool>>>} */
const sharedPools = {};

/**
 * @param {'thread' | 'process'} host
 * @returns {InstanceType<typeof IsolatePool>} of all runs there whose caller has none. It holds no process alive by itself,
 *   and is never disposed of
 */
function getSharedPool(host) {
  return (sharedPools[host] ??= new IsolatePool({ host, limits: FLOOD_LIMITS }));
}

/** @param {import('../../types/run-code.js').RunCodeSettings} [given] */
function readSettings(given) {
  const settings = checkRecord(given, 'settings', [
    'pool',
    'host',
    'memoryLimitBytes',
    'maxMemoryLimitBytes',
    'signal',
    'web',
  ]);
  const { pool, host } = settings;
  if (pool !== undefined && typeof pool?.run !== 'function') {
    throw new TypeError('settings.pool must be an IsolatePool');
  }
  if (pool !== undefined && host !== undefined) {
    throw new TypeError('settings.host is that of settings.pool: give only one of the two');
  }
  const place = checkHost(host ?? 'thread', 'settings.host');
  const maxMemoryLimitBytes = checkMemory(
    settings.maxMemoryLimitBytes,
    'settings.maxMemoryLimitBytes',
    DEFAULT_MAX_MEMORY_LIMIT_BYTES,
  );
  const memoryLimitBytes = checkMemory(
    settings.memoryLimitBytes,
    'settings.memoryLimitBytes',
    Math.min(DEFAULT_MEMORY_LIMIT_BYTES, maxMemoryLimitBytes),
  );
  return {
    pool: pool === undefined ? () => getSharedPool(place) : () => pool,
    memoryLimitBytes,
    maxMemoryLimitBytes,
    signal: checkSignal(settings.signal ?? undefined, 'settings.signal'),
    web: readWebSetting(settings.web, 'settings.web'),
  };
}

/**
 * @param {import('../../types/run-code.js').RunCodeSettings} [given]
 * @returns {(source: unknown, options?: unknown, signal?: AbortSignal) => InstanceType<typeof CodeExecution>} the signal is for callers
 *   inside this package: what users pass has one options object and nothing behind it
 */
function createStarter(given) {
  const { signal: common, ...settings } = readSettings(given);
  return (source, options, signal) =>
    new CodeExecution(beginRun(source, options, settings, [common, signal]));
}

/**
 * @param {import('../../types/run-code.js').RunCodeSettings} [settings]
 * @returns {import('../../types/run-code.js').RunCode}
 */
function createRunCode(settings) {
  const start = createStarter(settings);
  return function runCode(/** @type {unknown} */ source, /** @type {unknown} */ options) {
    return start(source, options);
  };
}

module.exports = { createRunCode, createStarter };
