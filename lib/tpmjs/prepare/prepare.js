'use strict';
// Which way a package runs, with its bundle: made once, kept beside the package, and in memory while it is used.

const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const { version } = require('../../../package.json');
const { ByteLru } = require('../../source/byte-lru.js');
const { Failure } = require('../base/failures.js');
const { runGroup } = require('../base/group.js');
const { writeWhole } = require('../packages/store.js');
const { IN_ISOLATES, NODE_NAMES } = require('./builtins.js');

const MAIN = path.join(__dirname, 'main.js');
const MAX_BUNDLE_BYTES = 32 * 2 ** 20;
const MAX_KEPT_BYTES = 64 * 2 ** 20;

/** @typedef {import('./bundle.js').Prepared} Prepared */
/** @typedef {import('../packages/store.js').Installed} Installed */

class Preparation {
  #options;
  #esbuild;
  /** Of everything that the result depends on beside the package. */
  #digest;
  /** @type {Map<string, Promise<Prepared>>} */
  #underWay = new Map();
  #kept = new ByteLru(MAX_KEPT_BYTES);

  /**
   * @param {object} options
   * @param {number} options.timeoutMs
   * @param {() => string} options.scratch makes an empty folder
   */
  constructor(options) {
    this.#options = options;
    this.#esbuild = findEsbuild();
    const parts = [version, require(path.join(this.#esbuild, 'package.json')).version];
    parts.push(process.versions.node, IN_ISOLATES.join(), NODE_NAMES.join());
    this.#digest = crypto.createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16);
  }

  /**
   * @param {Installed} installed
   * @returns {Promise<Prepared>}
   */
  async prepare(installed) {
    const kept = /** @type {Prepared | undefined} */ (this.#kept.get(installed.key));
    if (kept !== undefined) return kept;
    const begun = this.#underWay.get(installed.key);
    if (begun !== undefined) return begun;
    const work = this.#make(installed).finally(() => this.#underWay.delete(installed.key));
    this.#underWay.set(installed.key, work);
    return work;
  }

  /** @param {Installed} installed */
  async #make(installed) {
    const file = path.join(installed.folder, `isobox-${this.#digest}.json`);
    let text = await fs.promises.readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) {
      text = await this.#bundle(installed);
      await writeWhole(file, text, this.#options.scratch());
    }
    /** @type {Prepared} */
    const prepared = JSON.parse(text);
    this.#kept.set(installed.key, prepared, text.length);
    return prepared;
  }

  /**
   * @param {Installed} installed
   * @returns {Promise<string>}
   */
  async #bundle({ folder, name, version: exact }) {
    const { timeoutMs } = this.#options;
    const ended = await runGroup(process.execPath, [MAIN, this.#esbuild, folder, name], {
      cwd: folder,
      env: { PATH: process.env.PATH },
      cpuMs: timeoutMs * 4,
      fileBytes: MAX_BUNDLE_BYTES,
      timeoutMs,
      maxOutputBytes: MAX_BUNDLE_BYTES,
    });
    if (ended.code === 0) return ended.stdout;
    if (ended.stopped === undefined && ended.stderr === '') {
      // It ran out of memory, or out of processor time.
      return JSON.stringify({
        way: 'process',
        reasons: ['Its module graph is too large to bundle'],
      });
    }
    const reason = ended.stopped ? `it took more than ${timeoutMs} ms` : ended.stderr;
    throw new Failure('notImported', `${name}@${exact} could not be bundled: ${reason}`);
  }
}

/** @returns {string} the folder of the package */
function findEsbuild() {
  try {
    return path.dirname(require.resolve('esbuild/package.json'));
  } catch (error) {
    throw new Error(
      'isobox/tpmjs needs the package esbuild. Install it with: npm install esbuild npm-package-arg',
      { cause: error },
    );
  }
}

module.exports = { Preparation };
