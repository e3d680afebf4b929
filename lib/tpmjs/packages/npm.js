'use strict';
// npm's own command, in a process of its own: it knows registries, scopes, tokens and proxies from .npmrc files, and checks
// what it fetches against the hashes that the registry names. A tarball that blows up, or a registry that never answers,
// costs the executor nothing but the process it ends.

const fs = require('node:fs');
const path = require('node:path');

const { Failure } = require('../base/failures.js');
const { runGroup } = require('../base/group.js');

/** A registry that is down is known within this time, with npm's retries. */
const VIEW_TIMEOUT_MS = 15_000;
const VIEW_FLAGS = ['--fetch-retries=1', '--fetch-retry-mintimeout=300', '--fetch-timeout=6000'];
const INSTALL_FLAGS = [
  '--ignore-scripts',
  '--omit=dev',
  '--save-exact',
  '--install-strategy=hoisted',
  '--no-audit',
  '--no-fund',
  '--no-progress',
  '--no-bin-links',
  '--prefer-offline',
  '--fetch-retries=1',
];
const NOT_THERE = [
  'E404',
  'ETARGET',
  'ENOVERSIONS',
  'E403',
  'E401',
  'EINTEGRITY',
  'EINVALIDPACKAGENAME',
];
const LOOK_MS = 200;

/** @typedef {{ name: string, version: string, integrity: string }} Resolved */

class Npm {
  #options;

  /**
   * @param {object} options
   * @param {string} options.npm the command
   * @param {string} options.npmCacheDir what npm keeps of tarballs
   * @param {string | undefined} options.npmrc
   * @param {boolean} options.isNpmrcGiven
   * @param {number} options.installTimeoutMs
   * @param {number} options.maxPackageBytes
   */
  constructor(options) {
    this.#options = options;
  }

  /**
   * @param {string} folder an empty one
   * @param {string} name
   * @param {string} spec a version, a range or a tag
   * @param {AbortSignal} [signal]
   * @returns {Promise<Resolved>}
   */
  async resolve(folder, name, spec, signal) {
    const what = `${name}@${spec}`;
    const fields = ['name', 'version', 'dist.integrity', 'dist.shasum'];
    const timeoutMs = Math.min(VIEW_TIMEOUT_MS, this.#options.installTimeoutMs);
    const shown = await this.#run(['view', what, ...fields, ...VIEW_FLAGS], folder, {
      timeoutMs,
      signal,
      what,
    });
    // A range has as many answers as versions, from the lowest to the highest.
    const found = Array.isArray(shown) ? shown.at(-1) : shown;
    const integrity = found?.['dist.integrity'] ?? found?.['dist.shasum'];
    if (found?.name !== name || typeof found.version !== 'string' || !integrity) {
      throw new Failure('notInstalled', `npm knows no ${what}`);
    }
    return { name, version: found.version, integrity: String(integrity) };
  }

  /**
   * @param {string} folder an empty one
   * @param {Resolved} resolved
   * @param {AbortSignal} [signal]
   */
  async install(folder, { name, version }, signal) {
    const what = `${name}@${version}`;
    const { installTimeoutMs: timeoutMs, maxPackageBytes } = this.#options;
    const tooLarge = new AbortController();
    const isOver = watchSize(folder, maxPackageBytes, () => tooLarge.abort());
    const signals = [tooLarge.signal, ...(signal === undefined ? [] : [signal])];
    fs.writeFileSync(path.join(folder, 'package.json'), '{"private":true}\n');
    try {
      await this.#run(['install', what, ...INSTALL_FLAGS], folder, {
        timeoutMs,
        signal: AbortSignal.any(signals),
        what,
      });
    } catch (error) {
      if (await isOver.settled()) throw tooLargeFailure(what, maxPackageBytes);
      throw error;
    }
    if (await isOver.settled()) throw tooLargeFailure(what, maxPackageBytes);
  }

  /**
   * @param {string[]} args
   * @param {string} folder
   * @param {{ timeoutMs: number, signal?: AbortSignal, what: string }} how
   * @returns {Promise<any>} what it printed
   */
  async #run(args, folder, { timeoutMs, signal, what }) {
    const { npm, npmCacheDir, npmrc, isNpmrcGiven, maxPackageBytes } = this.#options;
    const place = path.join(folder, '.npmrc');
    if (npmrc !== undefined) fs.copyFileSync(npmrc, place);
    const common = ['--json', '--loglevel=silent', `--prefix=${folder}`, `--cache=${npmCacheDir}`];
    try {
      const ended = await runGroup(npm, [...args, ...common], {
        cwd: folder,
        env: { ...environment(isNpmrcGiven), npm_config_update_notifier: 'false' },
        cpuMs: timeoutMs * 4,
        fileBytes: maxPackageBytes,
        timeoutMs,
        signal,
      });
      if (ended.stopped !== undefined) {
        throw new Failure('unreachable', `npm did not ${args[0]} ${what} within ${timeoutMs} ms`);
      }
      const printed = readJson(ended.stdout);
      if (ended.code !== 0) throw failureOf(args[0], what, printed, ended);
      return printed;
    } finally {
      // Tools can read the folder, and must not read tokens.
      fs.rmSync(place, { force: true });
    }
  }
}

/**
 * npm reads tokens and proxies from its environment. Where npm itself started the executor, that holds the outer npm's settings
 * too, which would win over a file.
 *
 * @param {boolean} isNpmrcGiven
 */
function environment(isNpmrcGiven) {
  const entries = Object.entries(process.env);
  return Object.fromEntries(
    isNpmrcGiven ? entries.filter(([name]) => !/^npm_config_/i.test(name)) : entries,
  );
}

/** @param {string} text */
function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * @param {string} action
 * @param {string} what
 * @param {any} printed
 * @param {import('../base/group.js').Ended} ended
 */
function failureOf(action, what, printed, ended) {
  const { code = '', summary = '' } = printed?.error ?? {};
  const isFinal = NOT_THERE.includes(code);
  const reason = [code, summary || ended.stderr.trim().split('\n').at(-1)]
    .filter(Boolean)
    .join(': ');
  return new Failure(
    isFinal ? 'notInstalled' : 'unreachable',
    `npm ${action} failed for ${what}: ${reason || `npm ended with code ${ended.code}`}`,
  );
}

/**
 * @param {string} what
 * @param {number} maxBytes
 */
function tooLargeFailure(what, maxBytes) {
  return new Failure('notInstalled', `${what} takes more than ${maxBytes} bytes when installed`);
}

/**
 * @param {string} folder
 * @param {number} maxBytes
 * @param {() => void} onOver
 */
function watchSize(folder, maxBytes, onOver) {
  let isOver = false;
  let isDone = false;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const look = async () => {
    const bytes = await folderBytes(folder);
    if (bytes > maxBytes) isOver = true;
    if (isOver) onOver();
    else if (!isDone) timer = setTimeout(look, LOOK_MS);
  };
  timer = setTimeout(look, LOOK_MS);
  return {
    /** @returns {Promise<boolean>} ends the watch, with a last look */
    async settled() {
      if (isDone) return isOver;
      isDone = true;
      clearTimeout(timer);
      await look();
      return isOver;
    },
  };
}

/**
 * @param {string} folder
 * @returns {Promise<number>} what its files take, with 512 bytes for each entry; what vanishes meanwhile does not count
 */
async function folderBytes(folder) {
  let bytes = 0;
  const entries = await fs.promises.readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const place = path.join(folder, entry.name);
    bytes += 512;
    if (entry.isDirectory()) bytes += await folderBytes(place);
    else if (entry.isFile()) {
      bytes += (await fs.promises.lstat(place).catch(() => ({ size: 0 }))).size;
    }
  }
  return bytes;
}

module.exports = { Npm, folderBytes };
