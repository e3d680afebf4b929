'use strict';

const { eraseTypes } = require('../../lib/source/index.js');
const { closeWorkersAfterAll } = require('./support/close-workers.js');
const { evaluateModules } = require('./support/evaluate-modules.js');
const { findPlace } = require('./support/find-place.js');

closeWorkersAfterAll();

// What V8 reports when each of these fails; § marks the place.
/** @type {Record<string, [failure: string, place?: (text: string) => string]>} */
const FAILURES = {
  'a throw': ['§throw new Error("x" as any)', (text) => text.replace('§throw new', 'throw §new')],
  'a missing function': ['const o: any = {}; o.§missing(1 as any)'],
  'a property of undefined': ['const o: any = undefined; (o as any).§missing'],
  'an unknown name': ['const v: number = §missing as any'],
  'a call inside a template': ['const t = `é😀 ${(1 as number) + (null as any).§x}`'],
  'a deep call': ['function f<T>(x: T): never { throw §new Error(String(x)) } f<number>(1 as any)'],
  'a constructor': ['const C: any = 1; const v: string = §new C(1 as any)'],
};

// What comes before it: nothing, types over several lines, and what has to be printed anew.
const PREAMBLES = {
  nothing: '',
  types: 'interface Row {\n  id: number;\n}\ntype A = Row | {\n  x: 1\n}\n',
  'a type on the same line': 'const first: Array<"漢字" | "😀"> = []; ',
  'an enum': 'enum Level {\n  Low,\n  High = 5,\n}\n\n',
  'a namespace': 'namespace N {\n  export const a = 1;\n}\n',
  'a class with parameter properties':
    'class A {\n  constructor(private a: number, public b = 2) {}\n}\n',
  'an enum on the same line': 'enum Level { Low } ',
  'a file with JSX':
    'const React = { createElement: (...a: any[]) => a };\nconst e = (\n  <div>\n    hi\n  </div>\n);\n',
};

const CASES = Object.entries(PREAMBLES).flatMap(([before, preamble]) =>
  Object.entries(FAILURES).map(([what, [failure, place = (text) => text]]) => ({
    before,
    what,
    jsx: before.includes('JSX'),
    source: `${preamble}${failure.replace('§', '')}\n`,
    place: findPlace(`${preamble}${place(failure)}`, '§'),
  })),
);

/** @type {{ map: any, outcome: any }[]} */
let results;

beforeAll(async () => {
  const erased = await Promise.all(CASES.map(({ source, jsx }) => eraseTypes(source, { jsx })));
  const outcomes = evaluateModules(erased.map(({ code }) => code));
  results = erased.map(({ map }, index) => ({ map, outcome: outcomes[index] }));
});

test.each(CASES.map((each, index) => ({ ...each, index })))(
  '$what after $before is where the source has it',
  ({ index, place }) => {
    const { map, outcome } = results[index];
    expect(outcome.error).toBeDefined();
    expect(map.original(outcome.line, outcome.column)).toEqual(place);
  },
);
