'use strict';
// The package as a user gets it: staged, packed, installed by its name, and run.

const { execFile } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');

const { platformTag } = require('../../lib/addon-paths.js');
const { startWithBuilds } = require('../../scripts/newcomer.js');
const { packageName } = require('../../scripts/platform-package.js');
const { listPackedFiles } = require('../../scripts/release.js');

/** @type {string} */
let scratch;
/** @type {string} */
let project;
/** @type {string[]} */
let packedFiles;
/** @type {number} */
let tarballBytes;

/** npm must not see the settings of the npm that runs this suite. */
const cleanEnv = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));

const run = async (command, args, cwd, env = {}) => {
  const options = { cwd, env: { ...cleanEnv(), ...env }, timeout: 60_000 };
  return (await promisify(execFile)(command, args, options)).stdout;
};

const runProgram = async (name, source) => {
  const file = path.join(project, name);
  fs.writeFileSync(file, source);
  return JSON.parse(await run(process.execPath, [file], project));
};

beforeAll(async () => {
  scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-package-'));
  packedFiles = listPackedFiles();
  const registry = await startWithBuilds(scratch, [process.versions.modules]);
  project = path.join(scratch, 'project');
  fs.mkdirSync(project);
  fs.writeFileSync(path.join(project, 'package.json'), '{ "private": true }');
  const env = { npm_config_registry: registry.url };
  await run('npm', ['install', 'isobox', '--no-audit', '--no-fund'], project, env);
  tarballBytes = registry.tarballs.isobox.length;
  await registry.close();
}, 120_000);

afterAll(() => {
  fs.rmSync(scratch, { recursive: true, force: true });
});

/** @returns {Record<string, any>} what npm has installed, by its place */
const installedPackages = () => {
  const file = path.join(project, 'node_modules', '.package-lock.json');
  return JSON.parse(fs.readFileSync(file, 'utf8')).packages;
};

/** @param {string} directory @returns {number} the bytes of its files */
const bytesBelow = (directory) =>
  fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + fs.statSync(path.join(parentPath, name)).size, 0);

test('a library user gets ten packages: neither build tools nor what only some entries need', () => {
  const names = Object.keys(installedPackages()).map((place) =>
    place.split('node_modules/').at(-1),
  );
  expect(names.sort()).toEqual(
    [
      '@jridgewell/resolve-uri',
      '@jridgewell/sourcemap-codec',
      '@jridgewell/trace-mapping',
      '@swc/wasm-typescript',
      'acorn',
      'commander',
      'isobox',
      'minisearch',
      packageName(platformTag()),
      'picocolors',
    ].sort(),
  );
});

test('nothing of it is run while it is installed', () => {
  const packages = Object.values(installedPackages());
  expect(packages.filter(({ hasInstallScript }) => hasInstallScript)).toEqual([]);
});

test('it takes less than 12 MB, with the binary of one Node line', () => {
  expect(bytesBelow(path.join(project, 'node_modules'))).toBeLessThan(12e6);
  expect(tarballBytes).toBeLessThan(1.5e6);
});

test('JSX needs one more package, which is named', async () => {
  const report = await runProgram(
    'jsx.mjs',
    `
    import { runCode } from 'isobox/run-code';
    const { error } = await runCode('export default () => <b>1</b>', { filename: 'a.tsx' });
    console.log(JSON.stringify(error.message));
    `,
  );
  expect(report).toContain('npm install sucrase');
});

test('the tarball has what running and building need, the documentation, and nothing else', () => {
  const topLevel = [...new Set(packedFiles.map((file) => file.split('/')[0]))].sort();
  const expected = ['CMakeLists.txt', 'LICENSE', 'bin', 'binding', 'lib', 'native', 'package.json'];
  expect(topLevel).toEqual(expect.arrayContaining([...expected, 'scripts', 'types']));
  const pages = ['README', 'ARCHITECTURE', 'CHANGELOG', 'CONTRIBUTING', 'SECURITY'];
  const documentation = [...pages.map((name) => `${name}.md`), 'llms.txt', 'docs', 'examples'];
  const allowed = [...expected, ...documentation, 'bench', 'build', 'scripts', 'types'];
  expect(topLevel.filter((name) => !allowed.includes(name))).toEqual([]);
});

test('the tarball has what a build fetches its C++ sources with, and none of them', () => {
  const fetching = ['package.json', 'package-lock.json'].map((name) => `native/deps/${name}`);
  expect(packedFiles).toEqual(expect.arrayContaining([...fetching, 'scripts/native-deps.js']));
  expect(packedFiles.filter((file) => /simdjson\.(h|cpp)$/.test(file))).toEqual([]);
  const built = packedFiles.filter((file) => file.startsWith('build/linux'));
  expect(built.every((file) => file.endsWith('/Release/isobox.node'))).toBe(true);
});

test('the tarball has the guest library, and guests find it', async () => {
  expect(packedFiles).toContain('build/guest-library.json');
  expect(packedFiles.filter((file) => file.startsWith('guest/'))).toEqual([]);
  const source = `
    const { IsolatePool } = require('isobox');
    const pool = new IsolatePool();
    pool.run({ source: 'return new URL("https://a.b").href', web: true }).then(async ({ value }) => {
      console.log(JSON.stringify(value));
      await pool.dispose();
    });`;
  expect(await runProgram('web.cjs', source)).toBe('https://a.b/');
});

test('its command runs a guest', async () => {
  const file = path.join(project, 'guest.ts');
  fs.writeFileSync(file, 'const n: number = 6; n * 7');
  const command = path.join(project, 'node_modules', '.bin', 'isobox');
  expect(await run(command, ['run', file], project)).toBe('42\n');
});

test('it runs by require', async () => {
  const value = await runProgram(
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

test('it runs by import, under the same names', async () => {
  const report = await runProgram(
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

test('it runs inside a worker thread', async () => {
  const value = await runProgram(
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
