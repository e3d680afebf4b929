'use strict';
// The file methods of a ThreadState.

const { Buffer } = require('node:buffer');
const path = require('node:path');

const { keys } = require('../store/keys.js');
const { normalPath, putFile, refuse, statFile, toBytes } = require('./files.js');
const { ThreadIdentity, changeThread, innerOf } = require('./inner.js');

const CHUNK_BYTES = 256 * 1024;
const TEXT_TYPES =
  /^(?:text\/|application\/(?:json|xml|javascript|typescript|x-yaml|yaml|sql|graphql|toml|x-sh|.*\+(?:json|xml)$))/;

class ThreadFiles extends ThreadIdentity {
  /**
   * @param {unknown} given
   * @param {unknown} data
   * @param {string} [mimeType]
   * @param {{ metadata?: any, width?: number, height?: number }} [options]
   */
  async writeFile(given, data, mimeType, options = {}) {
    const target = this.#fileTarget(given);
    const bytes = toBytes(data);
    const type = mimeType ?? (typeof data === 'string' ? 'text/plain' : undefined);
    const record = await this.#changeFiles(
      [target, ...parentsOf(target)],
      ({ values, ...change }) => {
        const [old, ...parents] = values;
        if (old?.isDirectory) throw refuse(`${target} is a directory`);
        const blocked = parents.find((parent) => parent !== undefined && !parent.isDirectory);
        if (blocked !== undefined) throw refuse(`${blocked.path} is a file, not a directory`);
        return putFile({ ...change, values }, target, bytes, { mimeType: type, ...options });
      },
    );
    this.emit('file_created', { path: target });
    return record;
  }

  /** @param {unknown} given */
  async readFile(given) {
    const bytes = await innerOf(this).parts.store.getBytes(
      keys.blob(this.threadId, normalPath(given)),
    );
    return bytes === undefined ? null : new Uint8Array(bytes).buffer;
  }

  /** @param {unknown} given */
  async *readFileStream(given) {
    const data = await this.readFile(given);
    if (data === null) throw refuse(`There is no file ${normalPath(given)}`);
    const totalChunks = Math.max(1, Math.ceil(data.byteLength / CHUNK_BYTES));
    for (let index = 0; index < totalChunks; index += 1) {
      const part = data.slice(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES);
      yield { data: part, index, totalChunks, isLast: index === totalChunks - 1 };
    }
  }

  /** @param {unknown} given */
  statFile(given) {
    return statFile(innerOf(this).parts.store, this.threadId, given);
  }

  async #allFiles() {
    const rows = await innerOf(this).parts.store.list(`file/${this.threadId}/`);
    return rows.map(
      ({ value }) => /** @type {import('../../../types/threads.js').FileRecord} */ (value),
    );
  }

  /** @param {unknown} given directories that only hold files are listed too */
  async readdirFile(given = '/') {
    const folder = normalPath(given);
    const prefix = folder === '/' ? '/' : `${folder}/`;
    const entries = new Map();
    for (const record of await this.#allFiles()) {
      if (!record.path.startsWith(prefix)) continue;
      const [name, ...rest] = record.path.slice(prefix.length).split('/');
      if (rest.length === 0) entries.set(name, record);
      else if (!entries.has(name)) {
        entries.set(name, directoryAt(`${prefix}${name}`, record.createdAt));
      }
    }
    const own = await this.statFile(folder);
    if (own !== null && !own.isDirectory) throw refuse(`${folder} is a file`);
    return { entries: [...entries.values()] };
  }

  /** @param {unknown} given */
  async unlinkFile(given) {
    const target = normalPath(given);
    const gone = await this.#changeFiles([target], ({ thread, batch, values: [old] }) => {
      if (old === undefined) return false;
      if (old.isDirectory) throw refuse(`${target} is a directory; use rmdirFile`);
      batch.delete(keys.file(thread.id, target));
      batch.delete(keys.blob(thread.id, target));
      return true;
    });
    if (gone) this.emit('file_deleted', { path: target });
    return gone;
  }

  /** @param {unknown} given */
  async mkdirFile(given) {
    const target = this.#fileTarget(given);
    return this.#changeFiles([target], ({ thread, batch, tick, values: [old] }) => {
      if (old !== undefined && !old.isDirectory) throw refuse(`${target} is a file`);
      const record = old ?? directoryAt(target, tick());
      batch.put(keys.file(thread.id, target), record);
      return record;
    });
  }

  /** @param {unknown} given only when nothing is in it */
  async rmdirFile(given) {
    const target = normalPath(given);
    const { entries } = await this.readdirFile(target);
    if (entries.length > 0) throw refuse(`${target} is not empty`);
    return this.#changeFiles([target], ({ thread, batch, values: [old] }) => {
      if (old === undefined) return false;
      batch.delete(keys.file(thread.id, target));
      return true;
    });
  }

  /**
   * @param {unknown} from
   * @param {unknown} to
   */
  async moveFile(from, to) {
    const source = normalPath(from);
    const target = this.#fileTarget(to);
    const record = await this.#changeFiles(
      [source, target],
      ({ thread, batch, values: [old, there] }) => {
        if (old === undefined || old.isDirectory) throw refuse(`There is no file ${source}`);
        if (there?.isDirectory) throw refuse(`${target} is a directory`);
        if (source === target) return old;
        const moved = { ...old, path: target, name: path.posix.basename(target) };
        batch.put(keys.file(thread.id, target), moved);
        batch.copy(keys.blob(thread.id, source), keys.blob(thread.id, target));
        batch.delete(keys.file(thread.id, source));
        batch.delete(keys.blob(thread.id, source));
        return moved;
      },
    );
    this.emit('file_moved', { from: source, to: target });
    return record;
  }

  async getFileStats() {
    const records = await this.#allFiles();
    const files = records.filter(({ isDirectory }) => !isDirectory);
    return {
      fileCount: files.length,
      directoryCount: records.length - files.length,
      totalSize: files.reduce((sum, { size }) => sum + size, 0),
    };
  }

  /** @param {unknown} pattern text to look for in text files */
  async grepFiles(pattern) {
    if (typeof pattern !== 'string' || pattern === '') throw refuse('A pattern must have text');
    const found = [];
    for (const record of await this.#allFiles()) {
      if (record.isDirectory || !TEXT_TYPES.test(record.mimeType)) continue;
      const data = await this.readFile(record.path);
      const lines = Buffer.from(data ?? new ArrayBuffer(0))
        .toString('utf8')
        .split('\n');
      const matches = lines.filter((line) => line.includes(pattern));
      if (matches.length > 0) found.push({ path: record.path, matches });
    }
    return found;
  }

  /** @param {unknown} glob with `*`, `**` and `?` */
  async findFiles(glob) {
    const pattern = globPattern(normalPath(glob));
    const records = await this.#allFiles();
    return {
      paths: records
        .filter((one) => !one.isDirectory && pattern.test(one.path))
        .map((one) => one.path),
    };
  }

  /** @param {unknown} given */
  #fileTarget(given) {
    const target = normalPath(given);
    if (target === '/') throw refuse('/ is the root directory');
    return target;
  }

  /**
   * @template T
   * @param {string[]} paths
   * @param {(change: import('../store/store.js').Change) => T} decide
   */
  #changeFiles(paths, decide) {
    return changeThread(
      this,
      decide,
      paths.map((one) => keys.file(this.threadId, one)),
    );
  }
}

/** @param {string} target */
function parentsOf(target) {
  const parts = target.split('/').slice(1, -1);
  return parts.map((_part, index) => `/${parts.slice(0, index + 1).join('/')}`);
}

/**
 * @param {string} target
 * @param {number} createdAt
 * @returns {import('../../../types/threads.js').FileRecord}
 */
function directoryAt(target, createdAt) {
  return {
    path: target,
    name: path.posix.basename(target),
    mimeType: 'inode/directory',
    storage: 'local',
    size: 0,
    isDirectory: true,
    createdAt,
  };
}

/** @param {string} glob */
function globPattern(glob) {
  const source = glob.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*\*\/?|\*|\?/g, (part) => {
    if (part === '*') return '[^/]*';
    return part === '?' ? '[^/]' : '.*';
  });
  return new RegExp(`^${source}$`, 'u');
}

module.exports = { ThreadFiles };
