'use strict';
// 13.3 for values nobody thought of: every direction, with and without types to erase.

const fc = require('fast-check');

const { snapshot } = require('../../lib/run-code/snapshot.js');
const { differenceBetween } = require('../support/difference.js');
const { useRunCode } = require('./use-run-code.js');

const { runCode, runJs } = useRunCode();

const anyString = fc.string({ unit: 'binary', maxLength: 10 });
const anyKey = fc.oneof(
  anyString,
  fc.constantFrom('__proto__', 'then', '0', 'constructor', 'length'),
);

const anyLeaf = fc.oneof(
  fc.constantFrom(undefined, null, true, false, -0, NaN, Infinity, -Infinity),
  fc.integer(),
  fc.double(),
  fc.bigInt(),
  anyString,
  fc.date({ noInvalidDate: false }),
  fc.uint8Array().map(({ buffer }) => buffer),
  fc.oneof(
    fc.int8Array(),
    fc.uint16Array(),
    fc.float32Array(),
    fc.float64Array(),
    fc.bigUint64Array(),
  ),
  fc.uint8Array({ minLength: 2 }).map((bytes) => new DataView(bytes.buffer, 1)),
);

const deeper = { maxLength: 4, depthIdentifier: 'value' };
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'value' },
    anyLeaf,
    fc.array(tie('value'), deeper),
    fc.sparseArray(tie('value'), { maxNumElements: 3, depthIdentifier: 'value' }),
    fc.dictionary(anyKey, tie('value'), { maxKeys: 4, depthIdentifier: 'value' }),
    fc.array(fc.tuple(tie('value'), tie('value')), deeper).map((entries) => new Map(entries)),
    fc.array(tie('value'), deeper).map((members) => new Set(members)),
    // The same object in two places, and inside itself.
    tie('value').map((part) => {
      const both = { part, again: part, list: [part] };
      both.self = both;
      return both;
    }),
  ),
}));

const ECHO = `
  import { imported } from 'pkg';
  export default async (argument) => {
    report(argument);
    return [argument, imported, bound, await echo(argument), await give(), await askBack((x) => x)];
  }`;

/** Everything the host gets to see of a value that it sent by every way there is. */
async function everyWay(run, source, value) {
  const heard = [];
  const { status, error, result, reports } = await run(source, {
    execute: { args: [value] },
    imports: { pkg: { imported: value } },
    globals: {
      bound: value,
      echo: (given) => (heard.push(given), given),
      give: () => value,
      askBack: (guestFunction) => guestFunction(value),
    },
    report() {},
  });
  expect({ status, error }).toEqual({ status: 'success', error: undefined });
  return [...result, ...heard, ...reports];
}

// The top level of what a function resolves to must not be a thenable: promises would look into it.
const isThenable = (value) => typeof value?.then === 'function';

test('any value comes back by every way as it was', async () => {
  await fc.assert(
    fc.asyncProperty(anyValue, async (value) => {
      fc.pre(!isThenable(value));
      for (const copy of await everyWay(runJs, ECHO, value)) {
        expect(differenceBetween(copy, value)).toBe('');
      }
    }),
    { numRuns: 200 },
  );
});

test('and so it does behind TypeScript', async () => {
  const typed = ECHO.replace('(argument)', '(argument: unknown)').replace('(x)', '(x: unknown)');
  await fc.assert(
    fc.asyncProperty(anyValue, async (value) => {
      fc.pre(!isThenable(value));
      for (const copy of await everyWay(runCode, typed, value)) {
        expect(differenceBetween(copy, value)).toBe('');
      }
    }),
    { numRuns: 50 },
  );
});

test('any value a guest makes reaches the host as the guest describes it', async () => {
  const describeSource = `(v) => {
    const seen = [];
    const describe = (x) => {
      if (typeof x === 'bigint') return x + 'n';
      if (typeof x !== 'object' || x === null) return Object.is(x, -0) ? '-0' : typeof x + JSON.stringify(x) + String(x);
      if (seen.includes(x)) return '#' + seen.indexOf(x);
      seen.push(x);
      const kind = Object.prototype.toString.call(x);
      if (kind === '[object Map]') return 'map(' + [...x].map(([k, w]) => describe(k) + describe(w)) + ')';
      if (kind === '[object Set]') return 'set(' + [...x].map(describe) + ')';
      if (kind === '[object Date]') return 'date ' + x.getTime();
      if (kind === '[object ArrayBuffer]') return kind + [...new Uint8Array(x)];
      if (ArrayBuffer.isView(x)) return kind + [...new Uint8Array(x.buffer, x.byteOffset, x.byteLength)];
      return kind + (x.length ?? '') + Object.keys(x).map((key) => JSON.stringify(key) + describe(x[key]));
    };
    return describe(v);
  }`;
  const describeHere = new Function(`return ${describeSource}`)();
  // A small generator inside the guest, from a seed: the guest makes values the host has never seen.
  const source = `
    const describe = ${describeSource};
    export default (seed) => {
      let state = seed >>> 0;
      const next = (n) => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return (state >>> 8) % n };
      const made = [];
      const make = (depth) => {
        const kind = next(depth > 3 ? 8 : 14);
        const list = () => Array.from({ length: next(4) }, () => make(depth + 1));
        const keep = (x) => (made.push(x), x);
        switch (kind) {
          case 0: return next(1000) - 500;
          case 1: return next(1000) / 7;
          case 2: return [-0, NaN, Infinity, null, undefined, true][next(6)];
          case 3: return BigInt(next(9)) ** BigInt(next(60));
          case 4: return String.fromCharCode(...Array.from({ length: next(5) }, () => next(65536)));
          case 5: return new Date(next(1e9));
          case 6: return keep(new Float32Array(next(4)).fill(next(9) / 3));
          case 7: return made.length > 0 ? made[next(made.length)] : 'none yet';
          case 8: case 9: return keep(list());
          case 10: return keep(new Map(list().map((v, i) => [i % 2 ? v : i, v])));
          case 11: return keep(new Set(list()));
          default: { const o = keep({}); list().forEach((v, i) => (o['k' + i] = v)); if (next(3) === 0) o.self = o; return o }
        }
      };
      const value = { value: make(0) };
      return { value, text: describe(value) };
    }`;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 }), async (seed) => {
      const { result } = await runJs(source, { execute: { args: [seed] } });
      expect(describeHere(result.value)).toBe(result.text);
    }),
    { numRuns: 150 },
  );
});

test('a snapshot is the value, and shares nothing with it', () => {
  const objectsIn = (root) => {
    const seen = new Set();
    const walk = (value) => {
      if (typeof value !== 'object' || value === null || seen.has(value)) return;
      seen.add(value);
      if (value instanceof Map) for (const [k, v] of value) (walk(k), walk(v));
      else if (value instanceof Set) for (const member of value) walk(member);
      else if (!ArrayBuffer.isView(value)) Object.values(value).forEach(walk);
    };
    walk(root);
    return seen;
  };
  fc.assert(
    fc.property(anyValue, (value) => {
      const copy = snapshot(value);
      expect(differenceBetween(copy, value)).toBe('');
      const originals = objectsIn(value);
      for (const object of objectsIn(copy)) expect(originals.has(object)).toBe(false);
    }),
    { numRuns: 300 },
  );
});
