'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { builtPath, prebuiltPath } = require('../../lib/addon-paths.js');
const { loadNative, native } = require('../../lib/native.js');

const packageRoot = path.join(__dirname, '..', '..');
const binary = [prebuiltPath(packageRoot), builtPath(packageRoot)].find((file) =>
  fs.existsSync(file),
);

/** @type {string} */
let root;

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-loader-'));
});

afterEach(() => {
  fs.rmSync(root, { recursive: true, force: true });
});

const place = (file, source) => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  if (source) fs.copyFileSync(source, file);
  else fs.writeFileSync(file, 'this is not a shared library');
};

const failureOf = (action) => {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};

test('the addon of this package is loaded once, by require', () => {
  expect(Object.keys(native).length).toBeGreaterThan(0);
});

test('the prebuilt binary comes before the local build', () => {
  place(prebuiltPath(root), binary);
  place(builtPath(root));
  expect(Object.keys(loadNative(root))).toEqual(Object.keys(native));
});

test('a prebuilt binary that does not load gives way to the local build', () => {
  place(prebuiltPath(root));
  place(builtPath(root), binary);
  expect(Object.keys(loadNative(root))).toEqual(Object.keys(native));
});

test('without a binary the error lists every attempt and the commands that help', () => {
  const error = failureOf(() => loadNative(root));
  expect(error.code).toBe('ERR_ISOBOX_NATIVE_LOAD');
  expect(error.attempts.map(({ file }) => file)).toEqual([prebuiltPath(root), builtPath(root)]);
  for (const { file, reason } of error.attempts) {
    expect(error.message).toContain(file);
    expect(error.message).toContain(reason);
  }
  expect(error.message).toContain(
    `Node ${process.versions.node} (ABI ${process.versions.modules})`,
  );
  expect(error.message).toContain(`node ${path.join(root, 'scripts', 'build.js')}`);
  expect(error.message).toContain('npm rebuild isobox');
});

test('the error names the binaries that the package does have', () => {
  place(path.join(root, 'prebuilds', 'plan9-mips', 'isobox-abi1.node'));
  expect(failureOf(() => loadNative(root)).message).toContain('plan9-mips/isobox-abi1.node');
});

test("the dynamic loader's own words are part of the message and its error is the cause", () => {
  place(prebuiltPath(root));
  const error = failureOf(() => loadNative(root));
  expect(error.cause.code).toBe('ERR_DLOPEN_FAILED');
  expect(error.message).toContain(error.cause.message);
});
