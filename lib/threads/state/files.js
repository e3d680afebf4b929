'use strict';
// The files of a thread. A record and its bytes are written together.

const { Buffer } = require('node:buffer');
const { randomBytes, randomUUID } = require('node:crypto');
const path = require('node:path');

const { ThreadError } = require('../base/errors.js');
const { keys } = require('../store/keys.js');

/** @typedef {import('../parts.js').Store} Store */
/** @typedef {import('../store/store.js').Change} Change */
/** @typedef {import('../../../types/threads.js').FileRecord} FileRecord */

const FILE_LIMITS = Object.freeze({ pathBytes: 1024, fileBytes: 64 * 2 ** 20 });

/** @param {string} text */
const refuse = (text) => new ThreadError('ERR_ISOBOX_THREAD_FILE', text);

/**
 * One slash in front, none doubled, none behind; `.` and `..` go nowhere above the root.
 *
 * @param {unknown} given
 * @returns {string}
 */
function normalPath(given) {
  if (typeof given !== 'string' || /[\p{Cs}\0]/u.test(given)) {
    throw refuse('A path must be a string of well-formed text');
  }
  const normal = path.posix.normalize(`/${given}`).replace(/(?<=.)\/$/, '');
  if (Buffer.byteLength(normal) > FILE_LIMITS.pathBytes) {
    throw refuse(`A path may have ${FILE_LIMITS.pathBytes} bytes`);
  }
  return normal;
}

/**
 * @param {unknown} data
 * @returns {Buffer}
 */
function toBytes(data) {
  if (typeof data === 'string') return Buffer.from(data, 'utf8');
  if (data instanceof ArrayBuffer) return Buffer.from(new Uint8Array(data));
  if (ArrayBuffer.isView(data)) {
    return Buffer.from(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  }
  throw refuse('Data of a file must be a string, an ArrayBuffer or a view of one');
}

/**
 * @param {Change} change
 * @param {string} filePath normal
 * @param {Buffer} bytes
 * @param {{ mimeType?: string, metadata?: any, width?: number, height?: number }} about
 * @returns {FileRecord}
 */
function putFile({ thread, batch, tick }, filePath, bytes, about) {
  if (bytes.length > FILE_LIMITS.fileBytes) {
    throw refuse(`A file may have ${FILE_LIMITS.fileBytes} bytes; ${filePath} has ${bytes.length}`);
  }
  const { mimeType = 'application/octet-stream', ...rest } = about;
  /** @type {FileRecord} */
  const record = {
    path: filePath,
    name: path.posix.basename(filePath),
    mimeType,
    storage: 'local',
    size: bytes.length,
    isDirectory: false,
    ...rest,
    createdAt: tick(),
  };
  batch.put(keys.file(thread.id, filePath), record);
  batch.putBytes(keys.blob(thread.id, filePath), bytes);
  return record;
}

/** @param {string} name */
function attachmentPath(name) {
  const base = path.posix.basename(name.replaceAll('\\', '/'));
  const extension = path.posix.extname(base).slice(0, 16);
  const stem = base
    .slice(0, base.length - path.posix.extname(base).length)
    .replace(/[^\p{L}\p{N}._-]+/gu, '_');
  return `/attachments/${(stem || 'file').slice(0, 64)}-${randomBytes(4).toString('hex')}${extension.replace(/[^.\p{L}\p{N}]/gu, '')}`;
}

/**
 * @param {FileRecord} record
 * @returns {import('../../../types/threads.js').AttachmentRef}
 */
function refOf({ path: filePath, name, mimeType, size, width, height }, givenName = name) {
  return {
    id: randomUUID(),
    type: 'file',
    path: filePath,
    name: givenName,
    mimeType,
    size,
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
  };
}

/**
 * Attachments as callers give them, made ready for a transaction: data to be written, or files the thread has.
 *
 * @param {Store} store
 * @param {string} id
 * @param {unknown} given
 * @returns {Promise<((change: Change) => import('../../../types/threads.js').AttachmentRef)[]>}
 */
async function prepareAttachments(store, id, given = []) {
  if (!Array.isArray(given)) throw refuse('attachments must be an array');
  return Promise.all(
    given.map(async (one) => {
      if (typeof one === 'object' && one !== null && one.data !== undefined) {
        const bytes = typeof one.data === 'string' ? fromBase64(one.data) : toBytes(one.data);
        const { name = 'file', mimeType, width, height } = one;
        const target = attachmentPath(String(name));
        return (/** @type {Change} */ change) =>
          refOf(putFile(change, target, bytes, { mimeType, width, height }), String(name));
      }
      const record = await statFile(store, id, typeof one === 'string' ? one : one?.path);
      if (record === null || record.isDirectory) {
        throw refuse(`The thread has no file ${typeof one === 'string' ? one : one?.path}`);
      }
      return () => (typeof one === 'string' ? refOf(record) : { ...refOf(record), ...one });
    }),
  );
}

/** @param {string} text */
function fromBase64(text) {
  if (!/^[A-Za-z0-9+/_-]*={0,2}\s*$/.test(text)) {
    throw refuse('data of an attachment must be base64');
  }
  return Buffer.from(text, 'base64');
}

/**
 * Copies files of one thread into fresh paths of another, in the transaction of the message that names them.
 *
 * @param {Store} store
 * @param {string} from
 * @param {unknown} paths
 * @returns {Promise<((to: Change) => import('../../../types/threads.js').AttachmentRef)[]>}
 */
async function prepareCopies(store, from, paths = []) {
  const list = typeof paths === 'string' ? [paths] : paths;
  if (!Array.isArray(list)) throw refuse('attachments must be paths');
  return Promise.all(
    list.map(async (one) => {
      const source = normalPath(typeof one === 'string' ? one : one?.path);
      const record = await statFile(store, from, source);
      const bytes = await store.getBytes(keys.blob(from, source));
      if (record === null || record.isDirectory || bytes === undefined) {
        throw refuse(`There is no file ${source} to attach. Write it first, or leave it out`);
      }
      const target = attachmentPath(record.name);
      const { mimeType, width, height } = record;
      return (/** @type {Change} */ change) =>
        refOf(putFile(change, target, bytes, { mimeType, width, height }), record.name);
    }),
  );
}

/**
 * @param {Store} store
 * @param {string} id
 * @param {unknown} filePath
 * @returns {Promise<FileRecord | null>}
 */
async function statFile(store, id, filePath) {
  return (await store.get(keys.file(id, normalPath(filePath)))) ?? null;
}

module.exports = {
  normalPath,
  prepareAttachments,
  prepareCopies,
  putFile,
  refuse,
  statFile,
  toBytes,
};
