'use strict';
// What `runCode` takes until its result is there: a default export, three modules, and TypeScript of growing length, as a
// source that was seen before and as one that never was.

const { expectAnswer, timeEach } = require('../harness/timing.js');

/** @param {number} lines of TypeScript as people write it, the last of which gives the number of the others */
function typeScript(lines) {
  const block = (/** @type {number} */ i) =>
    `
interface Item${i} { id: number; tags?: readonly string[] }
const make${i} = <T extends object>(given: T, id: number): Item${i} & T => ({ ...given, id });
function label${i}(item: Item${i}, prefix: string = 'item'): string {
  return \`\${prefix} \${item.id as number} \${item.tags?.join() ?? ''}\`;
}
class Box${i}<T> {
  private items: T[] = [];
  add(item: T): this { this.items.push(item); return this; }
}`.slice(1);
  const perBlock = block(0).split('\n').length;
  const blocks = Array.from({ length: Math.ceil((lines - 1) / perBlock) }, (_, i) => block(i));
  const text = blocks
    .join('\n')
    .split('\n')
    .slice(0, lines - 1);
  while (/[{]$|^ /.test(text.at(-1) ?? '')) text[text.length - 1] = '// the end';
  return balance(text).concat('export default 43 as number;').join('\n');
}

/**
 * Blocks that were cut lose what is left of them.
 *
 * @param {string[]} text
 */
function balance(text) {
  const whole = [...text];
  const count = (/** @type {RegExp} */ pattern) => whole.join('\n').match(pattern)?.length ?? 0;
  for (let i = whole.length - 1; i >= 0 && count(/\{/g) !== count(/\}/g); i -= 1) whole[i] = '//';
  return whole;
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
