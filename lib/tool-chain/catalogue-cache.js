'use strict';
// The catalogues of backends on disk, so that their tools are known before they are connected.

const { randomUUID } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const { messageOf } = require('../foreign-text.js');
const { MAX_TOOLS } = require('../mcp/list-tools.js');
const { isRecord } = require('../checks/options.js');

/** @typedef {import('@modelcontextprotocol/sdk/types.js').Tool} Tool */
/** @typedef {{ identity: string, tools: Tool[] }} Catalogue `identity` says whose it is */

/** Another one whenever the form of the file changes: what has another is ignored. */
const VERSION = 1;
const MAX_BYTES = 32 * 2 ** 20;
/** Backends often come together: one file is written for all of them. */
const WRITE_DELAY_MS = 100;

class CatalogueCache {
  #file;
  #identities;
  #onWarning;
  /** @type {Map<string, Catalogue>} by name of the backend */
  #catalogues;
  #isChanged = false;
  /** @type {Promise<void> | undefined} */
  #writing;
  #hurry = new AbortController();

  /**
   * Reads the file at once. One that cannot be used is ignored, and told.
   *
   * @param {object} options
   * @param {string} options.file
   * @param {Map<string, string>} options.identities by name of the backend
   * @param {(message: string) => void} options.onWarning
   */
  constructor({ file, identities, onWarning }) {
    this.#file = file;
    this.#identities = identities;
    this.#onWarning = onWarning;
    this.#catalogues = this.#read();
  }

  /**
   * @param {string} name of a backend
   * @returns {Tool[]} none if it is not known, or was another one under this name
   */
  toolsOf(name) {
    return this.#catalogues.get(name)?.tools ?? [];
  }

  /**
   * @param {string} name of a backend, others are not kept
   * @param {Tool[]} tools as it has just told them
   */
  keep(name, tools) {
    const identity = this.#identities.get(name);
    if (identity === undefined) return;
    const isSame = JSON.stringify(this.toolsOf(name)) === JSON.stringify(tools);
    if (isSame && this.#catalogues.has(name)) return;
    this.#catalogues.set(name, { identity, tools });
    this.#isChanged = true;
    this.#writing ??= this.#writeSoon();
  }

  /** Resolves when everything that was kept is on disk, or could not be written. */
  async flush() {
    this.#hurry.abort();
    await this.#writing;
  }

  /** @returns {Map<string, Catalogue>} */
  #read() {
    try {
      const bytes = fs.statSync(this.#file, { throwIfNoEntry: false })?.size;
      if (bytes === undefined) return new Map();
      if (bytes > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
      const all = readCatalogues(JSON.parse(fs.readFileSync(this.#file, 'utf8')));
      return new Map(all.filter(([name, { identity }]) => this.#identities.get(name) === identity));
    } catch (error) {
      this.#onWarning(`the cached catalogue ${this.#file} is ignored: ${messageOf(error)}`);
      return new Map();
    }
  }

  async #writeSoon() {
    await sleep(WRITE_DELAY_MS, undefined, { signal: this.#hurry.signal }).catch(() => {});
    try {
      for (; this.#isChanged; await this.#write()) this.#isChanged = false;
    } catch (error) {
      this.#onWarning(`the catalogue cannot be cached in ${this.#file}: ${messageOf(error)}`);
    }
    this.#writing = undefined;
  }

  /** Readers see the file before or after it, never half of it. */
  async #write() {
    const text = JSON.stringify({
      version: VERSION,
      backends: Object.fromEntries(this.#catalogues),
    });
    if (Buffer.byteLength(text) > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
    const draft = `${this.#file}.${randomUUID()}`;
    await fs.promises.mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 });
    try {
      // What servers tell of their tools may be nobody else's business.
      await fs.promises.writeFile(draft, text, { mode: 0o600 });
      await fs.promises.rename(draft, this.#file);
    } catch (error) {
      await fs.promises.rm(draft, { force: true });
      throw error;
    }
  }
}

/**
 * @param {unknown} value
 * @returns {[name: string, catalogue: Catalogue][]}
 */
function readCatalogues(value) {
  if (!isRecord(value) || value.version !== VERSION) throw new Error('it is of another version');
  if (!isRecord(value.backends)) throw new Error('it has no backends');
  return Object.entries(value.backends).map(([name, entry]) => {
    if (!isCatalogue(entry)) throw new Error(`what it says of ${name} is no catalogue`);
    return [name, entry];
  });
}

/**
 * @param {unknown} value
 * @returns {value is Catalogue} with what is read of tools without a look
 */
function isCatalogue(value) {
  return (
    isRecord(value) &&
    typeof value.identity === 'string' &&
    Array.isArray(value.tools) &&
    value.tools.length <= MAX_TOOLS &&
    value.tools.every(isTool)
  );
}

/** @param {unknown} value */
function isTool(value) {
  if (!isRecord(value) || typeof value.name !== 'string') return false;
  const { title = '', description = '', inputSchema, outputSchema = {}, annotations = {} } = value;
  return (
    typeof title === 'string' &&
    typeof description === 'string' &&
    [inputSchema, outputSchema, annotations].every(isRecord)
  );
}

module.exports = { CatalogueCache };
