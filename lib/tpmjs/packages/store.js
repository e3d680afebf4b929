'use strict';
// Installed packages in a directory, each with what it depends on, by the hash of its tarball. A package appears there by one
// rename, complete: whenever a process dies, what it had begun stays in `tmp` and is thrown away by the next one.

const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const { unlessAborted } = require('../../execution/unless-aborted.js');
const { Failure } = require('../base/failures.js');
const { Npm, folderBytes } = require('./npm.js');

const { promises: files } = fs;
const ABOUT = 'isobox.json';
/** Nothing that was used within this time is removed: another process may be using it. */
const MIN_AGE_MS = 10 * 60_000;
const TOUCH_MS = 60_000;
/** In a container, every process may have the same id. */
const OWNER = `${process.pid}-${crypto.randomBytes(6).toString('hex')}`;

/**
 * @typedef {object} Installed
 * @property {string} key
 * @property {string} folder
 * @property {string} name
 * @property {string} version
 * @property {string} integrity
 * @property {number} bytes
 */
/** @typedef {{ installed: Installed, isCached: boolean, release: () => void }} Held */

class PackageStore {
  #options;
  #npm;
  #places;
  /** Complete ones, by `name@version`. @type {Map<string, Installed & { usedAt: number, users: number }>} */
  #installed = new Map();
  /** What tags and ranges came to, by `name@spec`. @type {Map<string, { version: string, at: number }>} */
  #specs = new Map();
  /** Under way, by `name@spec`. @type {Map<string, Promise<unknown>>} */
  #underWay = new Map();

  /**
   * @param {object} options
   * @param {string} options.cacheDir
   * @param {string} options.npm
   * @param {string | undefined} options.npmrc
   * @param {boolean} options.isNpmrcGiven
   * @param {number} options.installTimeoutMs
   * @param {number} options.maxPackageBytes
   * @param {number} options.maxCacheBytes
   * @param {number} options.maxCacheAgeMs
   * @param {number} options.tagTtlMs
   */
  constructor(options) {
    this.#options = options;
    const place = (/** @type {string} */ name) => path.join(options.cacheDir, name);
    this.#places = {
      packages: place('packages'),
      specs: place('specs'),
      tmp: place('tmp'),
      npm: place('npm'),
    };
    for (const folder of Object.values(this.#places)) {
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    }
    this.#npm = new Npm({ ...options, npmCacheDir: this.#places.npm });
    this.#clearLeftovers();
    for (const key of fs.readdirSync(this.#places.packages)) this.#enter(key);
  }

  /** @returns {string} a new empty folder of its own, for the caller to remove */
  scratch() {
    const folder = path.join(this.#places.tmp, `${OWNER}-${crypto.randomUUID()}`);
    fs.mkdirSync(folder, { mode: 0o700 });
    return folder;
  }

  /**
   * @param {string} name
   * @param {string} spec
   * @param {boolean} isExact
   * @param {AbortSignal} signal of one request: others who wait for the same go on
   * @returns {Promise<Held>} must be released
   */
  async hold(name, spec, isExact, signal) {
    const known = this.#lookUp(name, spec, isExact);
    if (known !== undefined) return this.#take(known, true);
    const version = isExact
      ? spec
      : await waitFor(
          this.#shared(`view ${name}@${spec}`, () => this.#resolve(name, spec)),
          signal,
        );
    const present = this.#installed.get(`${name}@${version}`);
    if (present !== undefined) return this.#take(present, true);
    const id = `${name}@${version}`;
    const made = await waitFor(
      this.#shared(`install ${id}`, () => this.#install(name, version)),
      signal,
    );
    return this.#take(made, false);
  }

  /**
   * @template T
   * @param {string} id
   * @param {() => Promise<T>} work
   * @returns {Promise<T>} one at a time, however many ask
   */
  #shared(id, work) {
    const begun = /** @type {Promise<T> | undefined} */ (this.#underWay.get(id));
    if (begun !== undefined) return begun;
    const promise = work().finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, promise);
    return promise;
  }

  /**
   * @param {string} name
   * @param {string} spec
   * @param {boolean} isExact
   */
  #lookUp(name, spec, isExact) {
    if (isExact) return this.#installed.get(`${name}@${spec}`);
    const found = this.#specs.get(`${name}@${spec}`);
    if (found === undefined || Date.now() - found.at > this.#options.tagTtlMs) return undefined;
    return this.#installed.get(`${name}@${found.version}`);
  }

  /**
   * @param {string} name
   * @param {string} spec
   * @returns {Promise<string>} the version; the one known from before when the registry cannot be asked
   */
  async #resolve(name, spec) {
    const file = path.join(this.#places.specs, `${hashOf(`${name}@${spec}`)}.json`);
    try {
      const { version } = await this.#inScratch((folder) => this.#npm.resolve(folder, name, spec));
      await writeWhole(file, JSON.stringify({ name, spec, version }), this.scratch());
      this.#specs.set(`${name}@${spec}`, { version, at: Date.now() });
      return version;
    } catch (error) {
      if (!(error instanceof Failure) || error.kindName !== 'unreachable') throw error;
      const known = readJsonFile(file);
      if (!this.#installed.has(`${name}@${known?.version}`)) throw error;
      return known.version;
    }
  }

  /**
   * @param {string} name
   * @param {string} version
   */
  #install(name, version) {
    return this.#inScratch(async (folder) => {
      const resolved = await this.#npm.resolve(folder, name, version);
      await this.#npm.install(folder, resolved);
      checkInstalled(folder, resolved);
      await files.writeFile(
        path.join(folder, 'isobox-entry.mjs'),
        `import * as pkg from ${JSON.stringify(name)};\nexport { pkg };\n`,
      );
      const key = `${name.replace('/', '+')}@${version}-${hashOf(resolved.integrity)}`;
      const about = { ...resolved, bytes: await folderBytes(folder) };
      await files.writeFile(path.join(folder, ABOUT), JSON.stringify(about));
      try {
        await files.rename(folder, path.join(this.#places.packages, key));
      } catch (error) {
        // Another process was first: the same tarball.
        if (!fs.existsSync(path.join(this.#places.packages, key, ABOUT))) throw error;
      }
      const entered = this.#enter(key);
      if (entered === undefined) throw new Error(`${key} is not in the cache`);
      await this.#evict();
      return entered;
    });
  }

  /**
   * @template T
   * @param {(folder: string) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async #inScratch(work) {
    const folder = this.scratch();
    try {
      return await work(folder);
    } finally {
      await files.rm(folder, { recursive: true, force: true });
    }
  }

  /** @param {string} key */
  #enter(key) {
    const folder = path.join(this.#places.packages, key);
    const about = readJsonFile(path.join(folder, ABOUT));
    if (about === undefined) return undefined;
    const usedAt = fs.statSync(path.join(folder, ABOUT)).mtimeMs;
    const entry = { ...about, key, folder, usedAt, users: 0 };
    this.#installed.set(`${about.name}@${about.version}`, entry);
    return entry;
  }

  /**
   * @param {Installed & { usedAt: number, users: number }} entry
   * @param {boolean} isCached
   * @returns {Held}
   */
  #take(entry, isCached) {
    entry.users += 1;
    const now = Date.now();
    if (now - entry.usedAt > TOUCH_MS) {
      const at = new Date(now);
      files.utimes(path.join(entry.folder, ABOUT), at, at).catch(() => {});
    }
    entry.usedAt = now;
    let isHeld = true;
    return {
      installed: entry,
      isCached,
      release() {
        if (isHeld) entry.users -= 1;
        isHeld = false;
      },
    };
  }

  /** Removes what is too old, then the longest unused, until the rest fits. */
  async #evict() {
    const { maxCacheBytes, maxCacheAgeMs } = this.#options;
    const entries = [...this.#installed.entries()].sort(([, a], [, b]) => a.usedAt - b.usedAt);
    let bytes = entries.reduce((sum, [, entry]) => sum + entry.bytes, 0);
    for (const [id, entry] of entries) {
      const age = Date.now() - entry.usedAt;
      const isTooOld = age > maxCacheAgeMs;
      if (entry.users > 0 || age < Math.min(MIN_AGE_MS, maxCacheAgeMs)) continue;
      if (!isTooOld && bytes <= maxCacheBytes) break;
      this.#installed.delete(id);
      bytes -= entry.bytes;
      await this.#discard(entry.folder);
    }
    if ((await folderBytes(this.#places.npm)) > maxCacheBytes && this.#underWay.size <= 1) {
      await this.#discard(this.#places.npm);
    }
  }

  /** @param {string} folder goes in one step, and then for good */
  async #discard(folder) {
    const grave = this.scratch();
    await files.rename(folder, path.join(grave, 'old')).catch(() => {});
    await files.rm(grave, { recursive: true, force: true });
  }

  #clearLeftovers() {
    for (const name of fs.readdirSync(this.#places.tmp)) {
      const pid = Number(name.split('-')[0]);
      if (name.startsWith(`${OWNER}-`) || (pid !== process.pid && isAlive(pid))) continue;
      fs.rmSync(path.join(this.#places.tmp, name), { recursive: true, force: true });
    }
  }
}

/**
 * @param {string} folder
 * @param {import('./npm.js').Resolved} resolved
 */
function checkInstalled(folder, { name, version, integrity }) {
  const lock = readJsonFile(path.join(folder, 'package-lock.json'));
  const locked = lock?.packages?.[`node_modules/${name}`];
  // npm has checked the tarball against what it wrote here.
  if (
    locked?.version !== version ||
    (locked.integrity !== undefined && !sharesHash(locked.integrity, integrity))
  ) {
    throw new Failure('notInstalled', `npm installed something else than ${name}@${version}`);
  }
}

/**
 * @param {string} one
 * @param {string} other
 */
function sharesHash(one, other) {
  return !other.includes('-') || one.split(' ').some((hash) => other.split(' ').includes(hash));
}

/** @param {string} text */
function hashOf(text) {
  return crypto.createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** @param {string} file */
function readJsonFile(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * @param {string} file appears whole or not at all
 * @param {string} text
 * @param {string} scratch on the same file system; it is removed
 */
async function writeWhole(file, text, scratch) {
  const draft = path.join(scratch, 'draft');
  await files.writeFile(draft, text);
  await files.rename(draft, file);
  await files.rm(scratch, { recursive: true, force: true });
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {AbortSignal} signal
 * @returns {Promise<T>} rejects as soon as the signal has aborted
 */
async function waitFor(promise, signal) {
  const value = await unlessAborted(promise, signal);
  signal.throwIfAborted();
  return /** @type {T} */ (value);
}

module.exports = { PackageStore, writeWhole };
