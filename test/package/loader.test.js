'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { builtPath, platformTag } = require('../../lib/addon-paths.js');
const { describeForeignRuntime } = require('../../lib/foreign-runtime.js');
const { native } = require('../../lib/native.js');
const { packageName, writePlatformPackage } = require('../../scripts/platform-package.js');

const checkout = path.join(__dirname, '..', '..');
const binary = builtPath(checkout);
const tag = platformTag();

/** @type {string} */
let root;

/** A package of its own, with the loader in it. */
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-loader-'));
  fs.mkdirSync(path.join(root, 'lib'));
  for (const name of ['native.js', 'addon-paths.js', 'foreign-runtime.js']) {
    fs.copyFileSync(path.join(checkout, 'lib', name), path.join(root, 'lib', name));
  }
});

afterEach(() => {
  fs.rmSync(root, { recursive: true, force: true });
});

const place = (file, source) => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  if (source) fs.copyFileSync(source, file);
  else fs.writeFileSync(file, 'this is not a shared library');
};

/** @returns {string} where the platform's package, which is now installed, has its binary */
const installPlatformPackage = () => {
  const installed = writePlatformPackage(tag, path.join(root, 'node_modules', '@isobox'));
  return path.join(installed, `isobox-abi${process.versions.modules}.node`);
};

const load = () => require(path.join(root, 'lib', 'native.js')).loaded;

const failure = () => {
  try {
    load();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};

test('the local build comes before the package of the platform', () => {
  place(builtPath(root), binary);
  place(installPlatformPackage());
  const { addon, file, attempts } = load();
  expect(Object.keys(addon)).toEqual(Object.keys(native));
  expect({ file, attempts }).toEqual({ file: builtPath(root), attempts: [] });
});

test('the package of the platform is used where nothing was built', () => {
  const file = installPlatformPackage();
  place(file, binary);
  expect(load()).toMatchObject({ origin: 'package', file, attempts: [{ reason: 'no such file' }] });
});

test('a build that does not load gives way to the package of the platform', () => {
  place(builtPath(root));
  const file = installPlatformPackage();
  place(file, binary);
  expect(load().file).toBe(file);
});

test('without a binary the error lists every attempt and the commands that help', () => {
  const error = failure();
  expect(error.code).toBe('ERR_ISOBOX_NATIVE_LOAD');
  expect(error.attempts).toEqual([
    { origin: 'local build', file: builtPath(root), reason: 'no such file' },
    { origin: 'package', file: packageName(tag), reason: 'not installed' },
  ]);
  for (const { file, reason } of error.attempts) {
    expect(error.message).toContain(file);
    expect(error.message).toContain(reason);
  }
  expect(error.message).toContain(
    `Node ${process.versions.node} (ABI ${process.versions.modules})`,
  );
  expect(error.message).toContain(`node ${path.join(root, 'scripts', 'build.js')}`);
  expect(error.message).toContain('npm install --include=optional isobox');
});

test('a package of the platform without a binary for this Node is named with the file that it lacks', () => {
  const file = installPlatformPackage();
  expect(failure().attempts[1]).toEqual({ origin: 'package', file, reason: 'no such file' });
});

test("the dynamic loader's own words are part of the message and its error is the cause", () => {
  place(builtPath(root));
  const error = failure();
  expect(error.cause.code).toBe('ERR_DLOPEN_FAILED');
  expect(error.message).toContain(error.cause.message);
});

test.each([
  [{ bun: '1.3.0' }, 'Bun 1.3.0'],
  [{ deno: '2.5.0' }, 'Deno 2.5.0'],
  [{ electron: '39.0.0' }, 'Electron 39.0.0'],
])('a runtime that only looks like Node is named: %p', (versions, name) => {
  const message = describeForeignRuntime({
    ...process,
    versions: { ...process.versions, ...versions },
  });
  expect(message).toContain(`does not run in ${name}`);
  expect(message).toContain('isobox.js runner');
});

test('Node itself is no such runtime', () => {
  expect(describeForeignRuntime(process)).toBeUndefined();
});

test('Node 20 on arm64 is told of the flag that it needs', () => {
  const runtime = {
    arch: /** @type {const} */ ('arm64'),
    execArgv: [],
    env: {},
    versions: { node: '20.20.2' },
  };
  expect(describeForeignRuntime(runtime)).toContain('node --no-node-snapshot');
  expect(describeForeignRuntime({ ...runtime, execArgv: ['--no-node-snapshot'] })).toBeUndefined();
  expect(describeForeignRuntime({ ...runtime, versions: { node: '22.1.0' } })).toBeUndefined();
});

test('the loader knows every platform that a workflow makes a package for', () => {
  const source = fs.readFileSync(path.join(checkout, 'lib', 'native.js'), 'utf8');
  const known = [...source.matchAll(/require\('@isobox\/([\w-]+)'\)/g)].map(([, name]) => name);
  const workflow = fs.readFileSync(path.join(checkout, '.github/workflows/release.yml'), 'utf8');
  const made = /--platforms ([\w,-]+)/.exec(workflow)?.[1].split(',');
  expect(made?.sort()).toEqual(known.sort());
});
