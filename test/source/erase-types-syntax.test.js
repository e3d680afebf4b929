'use strict';

const { eraseTypes, eraseTypesAtOnce } = require('../../lib/source/index.js');
const { evaluateModules } = require('./support/evaluate-modules.js');
const { closeWorkersAfterAll } = require('./support/close-workers.js');
const { SAMPLES } = require('./support/typescript-samples.js');

closeWorkersAfterAll();

/** @typedef {{ code: string, map: any, outcome: any }} Result */

/** @type {Map<string, Result>} */
const results = new Map();

beforeAll(async () => {
  const erased = await Promise.all(
    SAMPLES.map(({ source, jsx }) => eraseTypes(source, { filename: jsx ? 'a.tsx' : 'a.ts' })),
  );
  const outcomes = evaluateModules(erased.map(({ code }) => code));
  for (const [index, { name }] of SAMPLES.entries()) {
    results.set(name, { ...erased[index], outcome: outcomes[index] });
  }
});

test.each(SAMPLES)('$name', ({ name, source, value, exact }) => {
  const { code, outcome, map } = /** @type {Result} */ (results.get(name));
  expect(outcome).toEqual({ value });
  expect(map.toJSON().kind === 'identity').toBe(exact === true);
  if (exact) expect(code).toHaveLength(source.length);
});

test('what was erased before is there at once', () => {
  for (const { name, source, jsx } of SAMPLES) {
    const again = eraseTypesAtOnce(source, { filename: jsx ? 'b.tsx' : 'b.ts' });
    expect(again?.code).toBe(String(results.get(name)?.code));
  }
  expect(eraseTypesAtOnce('const neverSeen: number = 1')).toBeNull();
  expect(eraseTypesAtOnce('const neverSeen = 1')).toMatchObject({ code: 'const neverSeen = 1' });
});

test('using declarations are left to V8, which has them since Node 24', async () => {
  const source = `let d = 0; { using x: any = { [Symbol.dispose]: () => { d = 1 } } } export default d`;
  const { code } = await eraseTypes(source);
  expect(code).toBe(source.replace(': any', '     '));
});

test('source that is JavaScript comes back as it is', async () => {
  const source = `import { a } from 'a'; export default a < 1 ? [1, 2].map((x) => x > 1) : 0 // <b>`;
  expect((await eraseTypes(source)).code).toBe(source);
});

test('an import that nothing mentions still asks for its module', async () => {
  const { code } = await eraseTypes(`import x from 'a'; import { y, z } from 'b'; let n: z = 1`);
  expect(code).toMatch(/^import {8}'a'; import {15,}'b'; let n {4}= 1$/);
});

test('imports for their effects stay, empty lists of names do not', async () => {
  const { code } = await eraseTypes(`import 'a'; import {} from 'b'; let n: number = 1`);
  expect(code).toBe(`import 'a'; ;${' '.repeat(18)} let n         = 1`);
});
