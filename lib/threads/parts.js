'use strict';
// What the parts of one runtime know of each other. Types only.

/**
 * The classes, as types.
 *
 * @typedef {InstanceType<typeof import('./store/batch.js').Batch>} Batch
 * @typedef {InstanceType<typeof import('./state/env.js').EnvCipher>} EnvCipher
 * @typedef {InstanceType<typeof import('./state/env-lookup.js').EnvLookup>} EnvLookup
 * @typedef {InstanceType<typeof import('./run/execution.js').Execution>} Execution
 * @typedef {InstanceType<typeof import('./definitions/fields.js').Fields>} Fields
 * @typedef {InstanceType<typeof import('./run/flow.js').Flow>} Flow
 * @typedef {InstanceType<typeof import('./run/hooks.js').Hooks>} Hooks
 * @typedef {InstanceType<typeof import('./definitions/library.js').Library>} Library
 * @typedef {InstanceType<typeof import('./run/scheduler.js').Scheduler>} Scheduler
 * @typedef {InstanceType<typeof import('./state/snapshots.js').Snapshots>} Snapshots
 * @typedef {InstanceType<typeof import('./store/store.js').Store>} Store
 * @typedef {InstanceType<typeof import('./run/subagents.js').Subagents>} Subagents
 * @typedef {InstanceType<typeof import('./state/inner.js').ThreadIdentity>} ThreadIdentity
 * @typedef {InstanceType<typeof import('./state/thread-state.js').ThreadState>} ThreadState
 * @typedef {InstanceType<typeof import('./run/tools.js').Tools>} Tools
 */

/**
 * @typedef {object} Limits
 * @property {number} leaseMs how long a thread stays with a process that gives no sign of life
 * @property {number} pollMs how often work is looked for that another process has left
 * @property {number} activeThreads how many threads this process runs at once
 * @property {number} stepsPerExecution
 * @property {number} firstChunkMs of a model
 * @property {number} stallMs between chunks
 * @property {number} retryDelayMs before the second attempt
 *
 * @typedef {object} Parts
 * @property {Store} store
 * @property {Library} library
 * @property {() => EnvCipher} cipher
 * @property {import('node:events').EventEmitter} events `event`, `chunk`, `telemetry` and `rest`
 * @property {Limits} limits
 * @property {ReturnType<typeof import('../run-code/create-run-code.js').createStarter>} startCode
 * @property {string} owner this runtime among all that share the store
 * @property {EnvLookup} env
 * @property {Hooks} hooks
 * @property {Tools} tools
 * @property {Subagents} subagents
 * @property {Scheduler} scheduler
 * @property {(id: string, view?: import('./state/inner.js').View) => Promise<ThreadState | null>} state
 */

module.exports = {};
