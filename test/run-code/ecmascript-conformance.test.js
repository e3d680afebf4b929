'use strict';
// ECMAScript itself. test262 is not on npm; these two public sets are: the programs of the compatibility table, which run,
// and test262-parser-tests, which parse or must not.

const fs = require('node:fs');
const path = require('node:path');

const { runNode } = require('../support/child.js');
const { listPrograms } = require('./ecmascript-programs.js');
const { useRunCode } = require('./use-run-code.js');

const { runCode, runJs } = useRunCode();

/** Runs many at once, but not all. */
async function mapAtOnce(items, act, { atOnce = 40 } = {}) {
  const results = new Array(items.length);
  const left = items.entries();
  const work = async () => {
    for (const [i, item] of left) results[i] = await act(item);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

const globals = {
  setTimeout: (callback, ms, ...args) => void setTimeout(() => callback(...args), ms),
};

async function judge(run, { setup, verdict }) {
  const handle = run(`${setup}; export default async () => ${verdict}`, { globals });
  const late = setTimeout(() => handle.terminate('never'), 4000);
  const { status, result, error } = await handle;
  clearTimeout(late);
  if (status === 'success') return result;
  return status === 'terminated' ? error.message : `throws ${error.name}`;
}

describe('the programs of the compatibility table', () => {
  const programs = listPrograms();
  let reference;

  beforeAll(async () => {
    const { stdout } = await runNode([path.join(__dirname, 'ecmascript-reference.js')]);
    reference = new Map(JSON.parse(stdout));
  });

  test('there are some nine hundred, nearly all of which pass in this V8', () => {
    expect(programs.length).toBeGreaterThan(850);
    const passed = [...reference.values()].filter((verdict) => verdict === true);
    expect(passed.length).toBeGreaterThan(0.85 * programs.length);
  });

  test.each([
    ['as JavaScript', runJs],
    ['as TypeScript', runCode],
  ])('%s, runCode gives each the verdict of plain V8', async (_how, run) => {
    const verdicts = await mapAtOnce(programs, (program) => judge(run, program));
    const differing = programs
      .map(({ name }, i) => ({ name, here: verdicts[i], plain: reference.get(name) }))
      .filter(({ here, plain }) => here !== plain && (here === true || plain === true));
    // Comments of HTML are for scripts: modules must not have them.
    expect(differing.map(({ name }) => name)).toEqual(['es6: HTML-style comments']);
  });
});

describe('test262-parser-tests', () => {
  const root = path.dirname(require.resolve('test262-parser-tests/package.json'));
  const filesOf = (folder) =>
    fs.readdirSync(path.join(root, folder)).map((name) => ({
      name: `${folder}/${name}`,
      isModule: name.endsWith('.module.js'),
      source: fs.readFileSync(path.join(root, folder, name), 'utf8'),
    }));
  const isRefused = async ({ source }) => {
    const handle = runJs(source);
    const late = setTimeout(() => handle.terminate(), 4000);
    const { status, error } = await handle;
    clearTimeout(late);
    return status === 'link_error' && error.name === 'SyntaxError';
  };
  const namesWhere = async (files, expected) => {
    const refused = await mapAtOnce(files, isRefused);
    return files.filter((_, i) => refused[i] !== expected).map(({ name }) => name);
  };

  test.each(['pass', 'pass-explicit'])('modules in %s parse', async (folder) => {
    const files = filesOf(folder).filter(({ isModule }) => isModule);
    expect(files.length).toBeGreaterThan(70);
    expect(await namesWhere(files, false)).toEqual([]);
  });

  // Written in 2017, for scripts: what modules may have, what the language allows by now, and what V8 does not refuse.
  const FINE = {
    'fail/0f8806b7b4358487.js': 'import, in a module',
    'fail/4554c00dbb28cad8.js': 'export default, in a module',
    'fail/7fdf990c6f42edcd.js': 'export *, in a module',
    'fail/80da22a7d2a15fc5.js': 'import, in a module',
    'fail/975d02f132c05a98.js': 'export from, in a module',
    'fail/647e21f8f157c338.js': 'U+2028 in a string: ES2019',
    'fail/8af69d8f15295ed2.js': 'U+2029 in a string: ES2019',
    'fail/98204d734f8c72b3.js': 'class fields: ES2022',
    'fail/ef81b93cf9bdb4ec.js': 'class fields: ES2022',
    'fail/a8beb1480f385441.js':
      'f() = 4 is a ReferenceError at run time in V8, as web pages expect',
    'early/0f5f47108da5c34e.js': 'V8 lets for-of redeclare the name of a catch',
  };

  test.each(['fail', 'early'])('programs in %s do not, modules or not', async (folder) => {
    const fine = Object.keys(FINE).filter((name) => name.startsWith(`${folder}/`));
    expect((await namesWhere(filesOf(folder), true)).sort()).toEqual(fine.sort());
  });
});
