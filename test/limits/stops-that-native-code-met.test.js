'use strict';
// A stop ends the one call into the guest that it meets. What native code does next must not enter the guest again: the
// caller would be answered, and the thread lost to plain JavaScript.

const fs = require('node:fs');
const path = require('node:path');

const { runChild } = require('../support/child.js');

const SPINS = '() { for (;;); }';
const CLONE = /** @type {const} */ ({ values: 'clone' });
const ENTRIES = /** @type {const} */ ({ console: 'entries' });
const THEN_SPINS = `Object.defineProperty(Object.prototype, 'then', { get${SPINS} });`;
const PROMISES_OF_REPLIES =
  'await Promise.all([host.record(), host.record(), host.record(), host.record()])';

/** @type {Record<string, Partial<import('isobox').RunRequest> & { source: string }>} */
const GUESTS = {
  'toJSON of every argument of a log': {
    source: `const x = { toJSON${SPINS} }; console.log(x, x, x)`,
  },
  'toString of every argument of a log': {
    source: `const x = Object.assign(() => {}, { toString${SPINS} }); console.log(x, x, x)`,
  },
  'toString of every error in a log': {
    source: `const x = Object.assign(new Error(), { toString${SPINS} }); console.log(x, x, x)`,
  },
  'toJSON and then toString of an argument': {
    source: `const x = { toJSON${SPINS}, toString${SPINS} }; console.log(x, x, x)`,
  },
  'toString where toJSON throws': {
    source: `const x = { toJSON() { throw 1 }, toString${SPINS} }; console.log(x, x, x)`,
  },
  'traps of a proxy in a log': {
    source: `const x = new Proxy({}, { get${SPINS}, ownKeys${SPINS} }); console.log(x, x, x)`,
  },
  'a log that is written again whatever happens': {
    source: `const x = { toJSON${SPINS} }; for (;;) { try { console.log(x, x) } finally { continue } }`,
  },
  'getters of every entry of a log': {
    source: `const x = { get a${SPINS} }; console.log(x, x, x)`,
    ...ENTRIES,
  },
  'getters, toJSON and toString of every entry of a log': {
    source: `const x = { get a${SPINS}, toJSON${SPINS}, toString${SPINS} }; console.log(x, x, x)`,
    ...ENTRIES,
    ...CLONE,
  },
  'toJSON of every entry that cannot cross': {
    source: `const x = { f() {}, toJSON${SPINS} }; console.log(x, x, x)`,
    ...ENTRIES,
    ...CLONE,
  },
  'a getter of every reply': { source: `${THEN_SPINS} ${PROMISES_OF_REPLIES}` },
  'a getter of every cloned reply': { source: `${THEN_SPINS} ${PROMISES_OF_REPLIES}`, ...CLONE },
  'name, message and text of what is thrown': {
    source: `throw { get name${SPINS}, get message${SPINS}, toString${SPINS} }`,
  },
  'every call of a function': { source: 'await host.callOften(() => { for (;;); })', ...CLONE },
  'a getter of what every call gives': {
    source: `await host.callOften(() => ({ get a${SPINS} }))`,
    ...CLONE,
  },
  'then of what every call gives': {
    source: `await host.callOften(() => ({ get then${SPINS} }))`,
    ...CLONE,
  },
  'name, message and text of what every call throws': {
    source: `await host.callOften(() => { throw { get name${SPINS}, get message${SPINS}, toString${SPINS} } })`,
    ...CLONE,
  },
  'several getters of the result': { source: `return { get a${SPINS}, get b${SPINS} }` },
  'several getters of the cloned result': {
    source: `return { get a${SPINS}, get b${SPINS} }`,
    ...CLONE,
  },
  'getters in a long array': {
    source: `return Array.from({ length: 100 }, () => ({ get a${SPINS} }))`,
  },
  'getters of arguments, again and again': {
    source: `for (;;) { try { host.record({ get a${SPINS} }) } finally { continue } }`,
  },
  'an option of a constructor, again and again': {
    source: `for (;;) { try { new ArrayBuffer(1, { get maxByteLength${SPINS} }) } finally { continue } }`,
  },
  'then of a module that is imported twice': {
    source: "await Promise.all([import('./a.js'), import('./a.js')]); export default 1",
    kind: 'module',
    module: { sources: { 'a.js': 'export const then = () => { for (;;); }' } },
  },
};

describe('a stop holds, and the thread comes back, when the guest loops in', () => {
  /** @type {any[]} */
  let answers;
  /** @type {any} */
  let child;

  beforeAll(async () => {
    child = await runChild(
      async ({ IsolatePool, report, sleep }, guests) => {
        const namespaces = {
          host: {
            record: () => ({ a: 1 }),
            callOften: (/** @type {() => void} */ f) => {
              for (let i = 0; i < 5; i++) f();
              return new Promise(() => {});
            },
          },
        };
        const pools = [];
        for (const [name, request] of Object.entries(guests)) {
          const pool = new IsolatePool({ threads: 1, warm: { target: 0 } });
          const limits = { wallMs: 60 };
          const { cause } = await pool.run({ ...request, namespaces, limits });
          pools.push({ name, cause, pool });
        }
        await sleep(1000); // threads that are not back after half a second are stuck
        for (const { name, cause, pool } of pools) {
          report({ name, cause, stuck: pool.stats().stuck });
        }
        await Promise.all(pools.map(({ pool }) => pool.dispose()));
      },
      { args: GUESTS },
    );
    answers = child.reports;
  });

  test('the process lives', () => {
    expect({ code: child.code, stderr: child.stderr }).toEqual({ code: 0, stderr: '' });
    expect(answers).toHaveLength(Object.keys(GUESTS).length);
  });

  test.each(Object.keys(GUESTS))('%s', (name) => {
    expect(answers.find((answer) => answer.name === name)).toEqual({
      name,
      cause: 'deadline',
      stuck: 0,
    });
  });
});

test('native code catches what guests throw in one way only', () => {
  const native = path.join(__dirname, '../../native');
  const users = ['guest', 'values'].flatMap((folder) =>
    fs
      .readdirSync(path.join(native, folder))
      .map((file) => path.join(folder, file))
      .filter((file) => fs.readFileSync(path.join(native, file), 'utf8').includes('v8::TryCatch')),
  );
  expect(users).toEqual(['values/stop_catch.h']);
});
