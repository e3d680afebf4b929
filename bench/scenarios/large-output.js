'use strict';
// How fast 10 MB of a tool's output become what a model gets to see, beside JSON.parse of the same text.

const { expectAnswer } = require('../harness/timing.js');

const ROWS = 60_000;

/** By case: 10 MB of pretty-printed JSON, and how its reduction begins. */
const CASES = {
  'uniform array': {
    make: (/** @type {object[]} */ rows) => rows,
    start: `[Array of ${ROWS} items with uniform structure (4 keys: id, name, nested, tags)]`,
  },
  'nested object': {
    make: (/** @type {object[]} */ rows) => ({ results: { rows }, total: rows.length }),
    start: '[JSON chunked: ',
  },
};

/** @param {string} caseName */
function makeOutput(caseName) {
  const rows = Array.from({ length: ROWS }, (_, id) => ({
    id,
    name: `row ${id}`,
    tags: ['a', 'b'],
    nested: { share: id * 1.5, text: `some "quoted" text\nand more of it ${id}` },
  }));
  return JSON.stringify(CASES[/** @type {keyof typeof CASES} */ (caseName)].make(rows), null, 2);
}

/** @param {(text: string, bytes: Buffer, caseName: string) => void} reduce */
function measureReduction(reduce) {
  return (/** @type {import('../harness/contract.d.ts').SubjectOptions} */ { isQuick }) => ({
    measure(/** @type {string} */ caseName) {
      const text = makeOutput(caseName);
      const bytes = Buffer.from(text);
      return Array.from({ length: isQuick ? 3 : 10 }, () => {
        const start = performance.now();
        reduce(text, bytes, caseName);
        return bytes.length / 1000 / (performance.now() - start);
      });
    },
  });
}

/** @type {import('../harness/contract.d.ts').Scenario} */
module.exports = {
  title: 'Reducing 10 MB of JSON to what is shown of it',
  unit: 'MB/s',
  better: 'higher',
  cases: Object.keys(CASES),
  rounds: { full: 5, quick: 2 },
  process: 'kept',
  systems: {
    isobox: measureReduction((_text, bytes, caseName) => {
      const { native } = require('../../lib/native.js');
      const settings = {
        intent: '',
        autoChunkJson: true,
        smartTruncation: true,
        chunkThreshold: 10_240,
        maxBytes: 200_000,
      };
      const { start } = CASES[/** @type {keyof typeof CASES} */ (caseName)];
      expectAnswer(native.reduceOutput(bytes, settings)?.slice(0, start.length), start);
    }),
    'JSON.parse': measureReduction((text) => {
      expectAnswer(typeof JSON.parse(text), 'object');
    }),
  },
};
