'use strict';
// From the second time on, V8 keeps the code of a source that is long enough; nobody may notice but by the time it takes.

const { usePool } = require('../support/pools.js');

const { valueOf, errorOf } = usePool();

const TIMES = 5;
/** Long enough for its code to be kept. */
const long = (source) => `${source}\n// ${'-'.repeat(4000)}`;

async function repeat(work) {
  const answers = [];
  for (let i = 0; i < TIMES; i += 1) answers.push(await work());
  return answers;
}

/** Expects every answer to be the same, and gives it. */
async function sameEachTime(work) {
  const [first, ...rest] = await repeat(work);
  expect(rest).toEqual(rest.map(() => first));
  return first;
}

test.each(
  /** @type {const} */ ([
    ['script', 'const add = (a, b) => a + b; add(40, 3)'],
    ['function', 'const add = (a, b) => a + b; return add(40, 3)'],
    ['module', 'const add = (a, b) => a + b; export default add(40, 3)'],
  ]),
)('a %s has the same result each time', async (kind, source) => {
  expect(await sameEachTime(() => valueOf({ kind, source: long(source) }))).toBe(43);
});

test('nothing that a guest changes is there for the next one', async () => {
  const source = long(`
    const counter = () => (globalThis.count = (globalThis.count ?? 0) + 1);
    counter.calls = (counter.calls ?? 0) + 1;
    Array.prototype.extra = (Array.prototype.extra ?? 0) + 1;
    const site = ((parts) => parts)\`text\`;
    return [counter(), counter.calls, [].extra, Object.isFrozen(site)];
  `);
  expect(await sameEachTime(() => valueOf({ source }))).toEqual([1, 1, 1, true]);
});

test('sources of the same length have their own code', async () => {
  const sources = ['return 1', 'return 2', 'return 3'].map(long);
  const answers = await repeat(() => Promise.all(sources.map((source) => valueOf({ source }))));
  expect(answers).toEqual(answers.map(() => [1, 2, 3]));
});

test('a text that is no body is refused each time', async () => {
  const source = long('return 1 }, function () { return 2');
  const error = await sameEachTime(() => errorOf({ source }));
  expect(error).toMatchObject({
    cause: 'link_error',
    message: 'The source is not the body of a function',
  });
});

test('a source that does not parse is refused in the same words each time', async () => {
  const error = await sameEachTime(() => errorOf({ source: long('return 1 +;') }));
  expect(error).toMatchObject({ name: 'SyntaxError', line: 1, column: 11 });
});

test('errors have the file name of their own run, and its positions', async () => {
  const source = long('function fail() {\n  throw new Error(fail.toString())\n}\nfail()');
  for (let i = 0; i < TIMES; i += 1) {
    for (const filename of ['a.js', 'b.js']) {
      const { stack, message } = await errorOf({ source, filename });
      expect(stack).toContain(`at fail (${filename}:2:9)`);
      expect(message).toBe('function fail() {\n  throw new Error(fail.toString())\n}');
    }
  }
});

test('a dynamic import starts at the module in which it stands', async () => {
  const value = await sameEachTime(() =>
    valueOf({
      kind: 'module',
      source: long("import { load } from './lib/load.js'; export default await load()"),
      module: {
        sources: {
          'lib/load.js': long(
            "export const load = async () => [(await import('./b.js')).default, import.meta.url]",
          ),
          'lib/b.js': long("export default 'lib/b'"),
          'b.js': long("export default 'b'"),
        },
      },
    }),
  );
  expect(value).toEqual(['lib/b', 'isobox:lib/load.js']);
});

test('a module that is the entry of one run and imported by another imports from where it is', async () => {
  const here = long("export default async () => (await import('./name.js')).default");
  const sources = {
    'lib/here.js': here,
    'lib/name.js': "export default 'lib'",
    'name.js': "export default 'root'",
  };
  const kind = /** @type {const} */ ('module');
  const asEntry = { kind, source: here, filename: 'lib/here.js', module: { sources } };
  const imported = {
    kind,
    source: "import here from './lib/here.js'; export default await here()",
    module: { sources },
  };
  const answers = await repeat(async () => [await valueOf(asEntry), await valueOf(imported)]);
  expect(answers).toEqual(answers.map(() => ['root', 'lib']));
});

test('a module whose import fails to link is refused each time', async () => {
  const source = long("import { missing } from './a.js'; export default missing");
  const module = { sources: { 'a.js': long('export const present = 1') } };
  const error = await sameEachTime(() => errorOf({ kind: 'module', source, module }));
  expect(error).toMatchObject({ name: 'SyntaxError', specifier: './a.js' });
});
