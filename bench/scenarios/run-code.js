'use strict';
// What `runCode` takes until its result is there: a default export, three modules, and TypeScript of growing length, as a
// source that was seen before and as one that never was.

const { expectAnswer, timeEach } = require('../harness/timing.js');

// One statement per line, as much of it types as people write.
const STATEMENTS = [
  (/** @type {number} */ i) => `interface Item${i} { id: number; tags?: readonly string[] }`,
  (/** @type {number} */ i) =>
    `type Key${i} = keyof { a: 1; b: 2 } | Extract<string | number, string>;`,
  (/** @type {number} */ i) =>
    `const make${i} = <T extends object>(given: T, id: number): T & { id: number } => ({ ...given, id });`,
  (/** @type {number} */ i) =>
    `function label${i}(item: { id: number }, prefix: string = 'item'): string { return prefix + item.id; }`,
  (/** @type {number} */ i) =>
    `class Box${i}<T> { private items: T[] = []; add(item: T): this { this.items.push(item); return this; } }`,
  (/** @type {number} */ i) =>
    `export const value${i} = [${i}, 'text'] as const satisfies readonly unknown[];`,
];

/** @param {number} lines */
function typeScript(lines) {
  const statements = Array.from({ length: lines - 1 }, (_, i) =>
    STATEMENTS[i % STATEMENTS.length](i),
  );
  return [...statements, 'export default 43 as number;'].join('\n');
}

/** @type {Record<string, { source: string, options?: object }>} */
const CASES = {
  'default export': {
    source: 'export default 42 + 1',
    options: { language: 'javascript' },
  },
  'three modules': {
    source:
      "import { add } from './add.js'; import one from './one.js'; export default add(42, one)",
    options: {
      language: 'javascript',
      modules: {
        './add.js': 'export const add = (a, b) => a + b',
        './one.js': "import { a } from './a.js'; export default a",
        './a.js': 'export const a = 1',
      },
    },
  },
  'TypeScript, 10 lines': { source: typeScript(10) },
  'TypeScript, 100 lines': { source: typeScript(100) },
  'TypeScript, 1000 lines': { source: typeScript(1000) },
};

/** @param {(source: string) => string} vary */
function measureRuns(vary) {
  return () => {
    const { runCode } = require('isobox/run-code');
    return {
      measure: (/** @type {string} */ caseName) => {
        const { source, options } = CASES[caseName];
        const run = async () => expectAnswer((await runCode(vary(source), options)).result, 43);
        return timeEach(run, { count: 25, pauseMs: 5 });
      },
    };
  };
}

let unseen = 0;

/** @type {import('../harness/contract.d.ts').Scenario} */
module.exports = {
  title: 'runCode, 5 ms apart: until the result is there',
  unit: 'µs',
  better: 'lower',
  cases: Object.keys(CASES),
  rounds: { full: 10, quick: 3 },
  process: 'kept',
  systems: {
    isobox: measureRuns((source) => source),
    'isobox (new source)': measureRuns((source) => `${source}\n// ${(unseen += 1)}`),
  },
};
