'use strict';
// Threads for the scenarios that measure them: an agent whose model answers at once, with one call of a tool, and a disk to
// write to. Temporary directories may lie in memory, so stores are below `.cache/`.

const fs = require('node:fs');
const path = require('node:path');

const CACHE = path.join(__dirname, '..', '..', '.cache');

/** A directory on the disk that holds the sources; it goes with the process. */
function newDirectory() {
  fs.mkdirSync(CACHE, { recursive: true });
  const directory = fs.mkdtempSync(path.join(CACHE, 'bench-threads-'));
  beforeEnd(() => fs.rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** @param {() => void} cleanUp when the subject is ended */
function beforeEnd(cleanUp) {
  process.once('exit', cleanUp);
  process.once('SIGTERM', () => process.exit());
}

/**
 * @param {string} store
 * @param {{ toolMs?: number, limits?: object }} [options] `toolMs`: how long the tool takes
 */
function agentOptions(store, { toolMs = 0, limits } = {}) {
  const { defineAgent, defineModel, definePrompt, defineTool } = require('isobox/threads');
  /** @type {import('isobox/threads').ModelProvider['generate']} */
  const generate = async ({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? { content: 'done', finishReason: 'stop' }
      : {
          content: null,
          finishReason: 'tool_calls',
          toolCalls: [{ id: 'c', type: 'function', function: { name: 'work', arguments: '{}' } }],
        };
  const work = () =>
    toolMs === 0 ? 'worked' : new Promise((resolve) => setTimeout(() => resolve('worked'), toolMs));
  return {
    store,
    models: [
      defineModel({
        name: 'm',
        model: 'm',
        provider: () => ({ name: 'm', specificationVersion: '1', generate }),
      }),
    ],
    prompts: [
      definePrompt({ name: 'p', toolDescription: 'd', prompt: 'x', model: 'm', tools: ['work'] }),
    ],
    agents: [defineAgent({ name: 'a', sideA: { prompt: 'p' } })],
    tools: { work: defineTool({ description: 'works', execute: work }) },
    ...(limits && { limits }),
  };
}

/** @param {string} store @param {Parameters<typeof agentOptions>[1]} [options] */
function openRuntime(store, options) {
  return require('isobox/threads').createThreadRuntime(agentOptions(store, options));
}

/**
 * @param {any} runtime
 * @param {number} count
 * @returns {Promise<any[]>} made some hundred at a time
 */
async function createThreads(runtime, count) {
  const threads = [];
  while (threads.length < count) {
    const some = Math.min(500, count - threads.length);
    const made = Array.from({ length: some }, () => runtime.createThread({ agent: 'a' }));
    threads.push(...(await Promise.all(made)));
  }
  return threads;
}

/** @param {any} thread throws unless it has come through: its message, one call with its result, the answer */
async function expectDone(thread) {
  const { messages } = await thread.getMessages({ limit: 1000 });
  const roles = messages.map((/** @type {any} */ { role }) => role).join(' ');
  if (roles !== 'user assistant tool assistant') throw new Error(`a thread has the rows ${roles}`);
}

/** @param {string} directory @returns {(bytes: number) => void} writes to a file and has it flushed */
function rawFlush(directory) {
  const file = fs.openSync(path.join(directory, 'raw'), 'w');
  return (bytes) => {
    fs.writeSync(file, Buffer.alloc(bytes, 'x'));
    fs.fdatasyncSync(file);
  };
}

/**
 * A bound as a system of its own, so that an aim can be a ratio to it.
 *
 * @param {number | Record<string, number>} bound by case
 */
function allowed(bound) {
  return () => ({
    measure: (/** @type {string} */ caseName) => {
      const value = typeof bound === 'number' ? bound : bound[caseName];
      return value === undefined ? [] : [value];
    },
  });
}

module.exports = {
  agentOptions,
  allowed,
  beforeEnd,
  createThreads,
  expectDone,
  newDirectory,
  openRuntime,
  rawFlush,
};
