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
async function mapInBatches(items, act, size = 50) {
  const results = [];
  for (let i = 0; i < items.length; i += size) {
    results.push(...(await Promise.all(items.slice(i, i + size).map(act))));
  }
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
    const verdicts = await mapInBatches(programs, (program) => judge(run, program));
    const differing = programs
      .map(({ name }, i) => ({ name, here: verdicts[i], plain: reference.get(name) }))
      .filter(({ here, plain }) => here !== plain && (here === true || plain === true));
    expect(differing).toEqual([]);
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
    const refused = await mapInBatches(files, isRefused);
    return files.filter((_, i) => refused[i] !== expected).map(({ name }) => name);
  };

  test.each(['pass', 'pass-explicit'])('modules in %s parse', async (folder) => {
    const files = filesOf(folder).filter(({ isModule }) => isModule);
    expect(files.length).toBeGreaterThan(70);
    expect(await namesWhere(files, false)).toEqual([]);
  });

  test.each(['fail', 'early'])('programs in %s do not, modules or not', async (folder) => {
    expect(await namesWhere(filesOf(folder), true)).toEqual([]);
  });
});
