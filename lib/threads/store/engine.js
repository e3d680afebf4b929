'use strict';
// What the store needs of an engine: an ordered space of bytes with durable transactions. Types only.

/**
 * @typedef {{ start: Buffer, end: Buffer, limit?: number, reverse?: boolean }} Range `end` is not in it
 *
 * @typedef {{ type: 'put', key: Buffer, value: Buffer }
 *   | { type: 'delete', key: Buffer }
 *   | { type: 'deleteRange', start: Buffer, end: Buffer }
 *   | { type: 'copy', from: Buffer, key: Buffer }} Operation
 *
 * @typedef {object} Engine
 * @property {() => Promise<void>} open called once, before anything else
 * @property {(key: Buffer) => Promise<Buffer | undefined>} get
 * @property {(keys: Buffer[]) => Promise<(Buffer | undefined)[]>} getMany
 * @property {(range: Range) => Promise<[Buffer, Buffer][]>} list in the order of keys
 * @property {(range: Range) => Promise<[Buffer, Buffer][]>} listUnlocked the same, without what somebody is claiming
 * @property {<T>(reads: Buffer[], decide: (values: (Buffer | undefined)[]) => { operations: Operation[], result: T }) => Promise<T>} transact
 *   gives `decide` the values under the keys, which nobody changes meanwhile, and carries out what it says, wholly or
 *   not at all. Durable when resolved. `decide` may be called more than once, and may throw: then nothing happens.
 * @property {(threadId: string) => void} notify tells other processes to look at a thread; may be lost
 * @property {(heard: (threadId: string) => void) => void} listen
 * @property {() => Promise<void>} close
 */

module.exports = {};
