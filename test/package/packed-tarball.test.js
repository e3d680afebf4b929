'use strict';
// The package as a user gets it: packed, installed with install scripts disabled and without a network, and run.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { builtPath, prebuiltPath } = require('../../lib/addon-paths.js');

const root = path.join(__dirname, '..', '..');

/** @type {string} */
let scratch;
/** @type {string} */
let project;
/** @type {string[]} */
let packedFiles;

/** npm must not see the settings of the npm that runs this suite. */
const cleanEnv = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));

const run = (command, args, cwd) => {
  const { status, signal, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: cleanEnv(),
    timeout: 60_000,
  });
  if (error) throw error;
  if (status !== 0) {
    throw new Error(`${command} ${args.join(' ')}: exit ${status ?? signal}\n${stdout}\n${stderr}`);
  }
  return stdout;
};

const npm = (args, cwd) => run('npm', [...args, '--cache', path.join(scratch, 'cache')], cwd);

/**
 * The packages that come along, as tarballs packed from the working copy's own; those that are nested there stay with
 * the package that needs them.
 *
 * @returns {{ dependencies: Record<string, string>, overrides: Record<string, Record<string, string>> }}
 */
const packDependencies = () => {
  const { packages } = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const places = Object.entries(packages)
    .filter(
      ([name, { dev, optional, peer, devOptional }]) =>
        name && !(dev || optional || peer || devOptional),
    )
    .map(([name]) => name);
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', scratch];
  const dependencies = {};
  const overrides = {};
  for (const place of places) {
    const [{ filename }] = JSON.parse(npm([...pack, path.join(root, place)], root));
    const [, ...names] = place.split(/\/?node_modules\//);
    const tarball = `file:${path.join(scratch, filename)}`;
    if (names.length === 1) dependencies[names[0]] = tarball;
    else (overrides[String(names.at(-2))] ??= {})[String(names.at(-1))] = tarball;
  }
  return { dependencies, overrides };
};

const runProgram = (name, source) => {
  const file = path.join(project, name);
  fs.writeFileSync(file, source);
  return JSON.parse(run(process.execPath, [file], project));
};

beforeAll(() => {
  scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-package-'));
  const staged = path.join(scratch, 'staged');
  const list = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const [{ files }] = JSON.parse(npm(list, root));
  packedFiles = files.map((file) => file.path);
  for (const file of packedFiles) {
    if (file.endsWith('.node')) continue;
    fs.cpSync(path.join(root, file), path.join(staged, file));
  }
  const binary = [builtPath(root), prebuiltPath(root)].find((file) => fs.existsSync(file));
  fs.cpSync(String(binary), prebuiltPath(staged));
  npm(['pack', '--ignore-scripts', '--pack-destination', scratch], staged);
  const tarball = fs.readdirSync(scratch).find((name) => name.endsWith('.tgz'));

  project = path.join(scratch, 'project');
  fs.mkdirSync(project);
  fs.writeFileSync(
    path.join(project, 'package.json'),
    JSON.stringify({ private: true, ...packDependencies() }),
  );
  const install = ['install', '--offline', '--ignore-scripts', '--omit=optional', '--no-audit'];
  npm([...install, path.join(scratch, String(tarball))], project);
}, 120_000);

afterAll(() => {
  fs.rmSync(scratch, { recursive: true, force: true });
});

test('the tarball has what running and building need, the documentation, and nothing else', () => {
  const topLevel = [...new Set(packedFiles.map((file) => file.split('/')[0]))].sort();
  const expected = ['CMakeLists.txt', 'LICENSE', 'bin', 'binding', 'lib', 'native', 'package.json'];
  expect(topLevel).toEqual(expect.arrayContaining([...expected, 'scripts', 'types']));
  const pages = ['README', 'ARCHITECTURE', 'CHANGELOG', 'CONTRIBUTING', 'SECURITY'];
  const documentation = [...pages.map((name) => `${name}.md`), 'llms.txt', 'docs', 'examples'];
  const allowed = [...expected, ...documentation, 'bench', 'prebuilds', 'scripts', 'types'];
  expect(topLevel.filter((name) => !allowed.includes(name))).toEqual([]);
});

test('the tarball has what a build fetches its C++ sources with, and none of them', () => {
  const fetching = ['package.json', 'package-lock.json'].map((name) => `native/deps/${name}`);
  expect(packedFiles).toEqual(expect.arrayContaining([...fetching, 'scripts/native-deps.js']));
  expect(packedFiles.filter((file) => /simdjson\.(h|cpp)$|^build\//.test(file))).toEqual([]);
});

test('the tarball has the guest library, and guests find it', () => {
  expect(packedFiles).toContain('prebuilds/guest-library.json');
  expect(packedFiles.filter((file) => file.startsWith('guest/'))).toEqual([]);
  const source = `
    const { IsolatePool } = require('isobox');
    const pool = new IsolatePool();
    pool.run({ source: 'return new URL("https://a.b").href', web: true }).then(async ({ value }) => {
      console.log(JSON.stringify(value));
      await pool.dispose();
    });`;
  expect(runProgram('web.cjs', source)).toBe('https://a.b/');
});

test('its command runs a guest', () => {
  const file = path.join(project, 'guest.ts');
  fs.writeFileSync(file, 'const n: number = 6; n * 7');
  const command = path.join(project, 'node_modules', '.bin', 'isobox');
  expect(run(command, ['run', file], project)).toBe('42\n');
});

test('the installed copy has not been built', () => {
  const installed = path.join(project, 'node_modules', 'isobox');
  expect(fs.existsSync(path.join(installed, 'build'))).toBe(false);
  expect(fs.existsSync(prebuiltPath(installed))).toBe(true);
});

test('it runs by require', () => {
  const value = runProgram(
    'required.cjs',
    `
    const { IsolatePool } = require('isobox');
    (async () => {
      const pool = new IsolatePool();
      const outcome = await pool.run({ source: 'return 40 + 2' });
      await pool.dispose();
      console.log(JSON.stringify(outcome.value));
    })();
    `,
  );
  expect(value).toBe(42);
});

test('it runs by import, under the same names', () => {
  const report = runProgram(
    'imported.mjs',
    `
    import { createRequire } from 'node:module';
    import * as names from 'isobox';
    const { IsolatePool } = names;
    const pool = new IsolatePool();
    const outcome = await pool.run({ source: 'return 40 + 2' });
    await pool.dispose();
    const required = createRequire(import.meta.url)('isobox');
    console.log(JSON.stringify({
      value: outcome.value,
      same: IsolatePool === required.IsolatePool,
      imported: Object.keys(names).filter((name) => name !== 'default').sort(),
      required: Object.keys(required).sort(),
    }));
    `,
  );
  expect(report.value).toBe(42);
  expect(report.same).toBe(true);
  expect(report.imported).toEqual(report.required);
});

test('it runs inside a worker thread', () => {
  const value = runProgram(
    'worker.cjs',
    `
    const { Worker, isMainThread, parentPort } = require('node:worker_threads');
    if (isMainThread) {
      new Worker(__filename).once('message', (value) => console.log(JSON.stringify(value)));
    } else {
      const { IsolatePool } = require('isobox');
      (async () => {
        const pool = new IsolatePool();
        const outcome = await pool.run({ source: 'return 40 + 2' });
        await pool.dispose();
        parentPort.postMessage(outcome.value);
      })();
    }
    `,
  );
  expect(value).toBe(42);
});
