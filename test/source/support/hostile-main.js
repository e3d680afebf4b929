'use strict';
// Prepares hostile sources one after the other and reports as lines of JSON
// how each was answered, how long the loop was held up, and whether honest source still works.

const { performance } = require('node:perf_hooks');

const source = require('../../../lib/source/index.js');
const { HOSTILE } = require('./hostile-sources.js');

const HONEST = 'enum A { X = 3 }\nconst v: number = A.X';
const OPTIONS = { timeoutMs: 400 };

/** @param {() => unknown} action */
async function answerOf(action) {
  try {
    await action();
    return 'ok';
  } catch (error) {
    if (!(error instanceof source.SourceError)) throw error;
    return error.code;
  }
}

/**
 * @param {string} text
 * @param {boolean} jsx
 */
async function measure(text, jsx) {
  const start = performance.now();
  let longestPauseMs = 0;
  let last = start;
  const timer = setInterval(() => {
    longestPauseMs = Math.max(longestPauseMs, performance.now() - last);
    last = performance.now();
  }, 1);
  const module = await answerOf(() => source.eraseTypes(text, { ...OPTIONS, jsx }));
  const body = await answerOf(() => source.prepareBody(text, OPTIONS));
  clearInterval(timer);
  longestPauseMs = Math.max(longestPauseMs, performance.now() - last);
  return { module, body, longestPauseMs, ms: performance.now() - start };
}

async function main() {
  const jsx = process.argv[2] === 'with JSX';
  let marker = 0;
  for (const [name, make] of Object.entries(HOSTILE)) {
    const result = await measure(make(), jsx);
    // A source not seen before, so that it is the engine that answers and not the cache.
    const honest = await source.eraseTypes(`${HONEST} + ${marker++}`);
    const isAlive = honest.code.includes('A[A["X"] = 3] = "X"');
    const report = { name, ...result, isAlive, rss: process.memoryUsage.rss() };
    process.stdout.write(`${JSON.stringify({ report })}\n`);
  }
  await source.closeSourceWorkers();
}

void main();
