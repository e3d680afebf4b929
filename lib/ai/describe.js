'use strict';
// What a model is told about the code tool.

/**
 * @param {import('../../types/execbox.js').ResolvedToolProvider} provider
 * @param {{ timeoutMs: number, memoryLimitBytes: number }} limits
 */
function describeCode({ name, types, tools }, { timeoutMs, memoryLimitBytes }) {
  const [first = 'tool'] = Object.keys(tools);
  return [
    `Runs JavaScript or TypeScript that calls the functions of \`${name}\`, declared below. Do as much as you can in one call: loop, filter and combine in code, and return only what you need.`,
    '',
    `- The code is the body of an async function: \`return\` the result. Example: \`const found = await ${name}.${first}(input); return found;\``,
    '- Every function takes one object and returns a promise: write `await`. Use `Promise.all` for calls that do not depend on each other. A call that fails throws.',
    '- The result must be made of plain objects, arrays, strings, finite numbers, booleans and null. `console.log` shows you more.',
    '- There are the objects of ECMAScript (JSON, Math, Date, Map, RegExp and so on), `console` and the functions below. There is no import, require, fetch, timer, file, process or Buffer. Every call starts afresh.',
    `- Limits: ${timeoutMs / 1000} s and ${Math.round(memoryLimitBytes / 2 ** 20)} MiB.`,
    '',
    '```ts',
    types,
    '```',
  ].join('\n');
}

module.exports = { describeCode };
