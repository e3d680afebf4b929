'use strict';
// The options of an executor: their names, ranges and defaults.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { MEMORY_RANGE } = require('../limits.js');
const {
  checkBoolean,
  checkChoice,
  checkNumber,
  checkRecord,
  checkString,
} = require('../checks/options.js');
const { VERSIONS } = require('./serve/versions.js');

const MiB = 2 ** 20;
const DAY_MS = 24 * 60 * 60_000;

const time = { min: 1, max: DAY_MS };
const size = { min: 1024, max: 2 ** 50 };

/** @type {Readonly<Record<string, { fallback: number, min: number, max: number }>>} */
const NUMBERS = Object.freeze({
  installTimeoutMs: { fallback: 60_000, ...time },
  executionTimeoutMs: { fallback: 120_000, ...time },
  requestTimeoutMs: { fallback: 180_000, ...time },
  bodyTimeoutMs: { fallback: 30_000, ...time },
  maxBodyBytes: { fallback: 10 * MiB, ...size, max: 256 * MiB },
  maxOutputBytes: { fallback: 4 * MiB, ...size, max: 256 * MiB },
  maxPackageBytes: { fallback: 512 * MiB, ...size },
  maxCacheBytes: { fallback: 4096 * MiB, ...size },
  maxCacheAgeMs: { fallback: 30 * DAY_MS, min: 0, max: 3650 * DAY_MS },
  tagTtlMs: { fallback: 60_000, min: 0, max: DAY_MS },
  memoryBytes: { fallback: 128 * MiB, ...MEMORY_RANGE },
  processMemoryBytes: { fallback: 512 * MiB, min: 64 * MiB, max: 2 ** 40 },
  concurrency: { fallback: 64, min: 1, max: 10_000 },
  maxBatch: { fallback: 32, min: 1, max: 1000 },
});

const FLAGS = ['guardHealth', 'isolateOnly', 'allowPrivateAddresses'];
const OTHERS = [
  'apiKey',
  'protocol',
  'cacheDir',
  'npm',
  'npmrc',
  'name',
  'region',
  'basePath',
  'allow',
  'pool',
];
/** What Node's permission model can give to tools in processes. */
const ALLOWED = Object.freeze(['addons', 'child-process', 'worker']);

/** @param {unknown} given */
function readOptions(given) {
  const options = checkRecord(given, 'options', [...Object.keys(NUMBERS), ...FLAGS, ...OTHERS]);
  const numbers = /** @type {Record<string, number>} */ ({});
  for (const [name, { fallback, ...range }] of Object.entries(NUMBERS)) {
    numbers[name] = checkNumber(options[name] ?? fallback, `options.${name}`, range);
  }
  const flag = (/** @type {string} */ name) =>
    checkBoolean(options[name] ?? false, `options.${name}`);
  const text = (/** @type {string} */ name, /** @type {string | undefined} */ fallback) =>
    options[name] === undefined ? fallback : checkString(options[name], `options.${name}`);
  const apiKey = text('apiKey', process.env.EXECUTOR_API_KEY || undefined);
  if (apiKey === '') throw new TypeError('options.apiKey must not be empty');
  return {
    .../** @type {Record<keyof import('../../types/tpmjs.js').ExecutorLimits, number>} */ (numbers),
    guardHealth: flag('guardHealth'),
    isolateOnly: flag('isolateOnly'),
    allowPrivateAddresses: flag('allowPrivateAddresses'),
    apiKey,
    protocol: checkChoice(options.protocol ?? '1.0', 'options.protocol', VERSIONS),
    cacheDir: path.resolve(text('cacheDir', undefined) ?? defaultCacheDir()),
    npm: text('npm', 'npm') ?? 'npm',
    npmrc: text('npmrc', undefined) ?? ownNpmrc(),
    isNpmrcGiven: options.npmrc !== undefined,
    name: text('name', 'isobox') ?? 'isobox',
    region: text('region', undefined),
    basePath: readBasePath(text('basePath', '') ?? ''),
    allow: readAllow(options.allow ?? []),
    /** Checked by the pool. */
    pool: /** @type {import('../../types/index.js').PoolOptions | undefined} */ (options.pool),
  };
}

/** @param {unknown} given */
function readAllow(given) {
  if (!Array.isArray(given)) throw new TypeError('options.allow must be an array');
  return given.map((one, i) => checkChoice(one, `options.allow[${i}]`, ALLOWED));
}

/** @param {string} given */
function readBasePath(given) {
  const trimmed = given.replace(/\/+$/, '');
  if (trimmed !== '' && !trimmed.startsWith('/')) {
    throw new TypeError("options.basePath must start with '/'");
  }
  return trimmed;
}

function defaultCacheDir() {
  const caches = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
  return path.join(caches, 'isobox', 'tpmjs');
}

/** @returns {string | undefined} the .npmrc of the project that the executor runs in; npm finds the user's own */
function ownNpmrc() {
  const file = path.resolve('.npmrc');
  return fs.existsSync(file) ? file : undefined;
}

module.exports = { readOptions };
