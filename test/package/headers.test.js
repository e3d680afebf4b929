'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const {
  describeMissingHeaders,
  findHeaders,
  readHeaderVersion,
} = require('../../scripts/headers.js');

/** @type {string} */
let root;

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-headers-'));
});

afterEach(() => {
  fs.rmSync(root, { recursive: true, force: true });
});

const placeHeaders = (name, version, abi) => {
  const prefix = path.join(root, name);
  const include = path.join(prefix, 'include', 'node');
  const [major, minor, patch] = version.split('.');
  fs.mkdirSync(include, { recursive: true });
  fs.writeFileSync(path.join(include, 'v8.h'), '');
  fs.writeFileSync(
    path.join(include, 'node_version.h'),
    [
      `#define NODE_MAJOR_VERSION ${major}`,
      `#define NODE_MINOR_VERSION ${minor}`,
      `#define NODE_PATCH_VERSION ${patch}`,
      '#if defined(NODE_EMBEDDER_MODULE_VERSION)',
      '#define NODE_MODULE_VERSION NODE_EMBEDDER_MODULE_VERSION',
      '#else',
      `#define NODE_MODULE_VERSION ${abi}`,
      '#endif',
      '',
    ].join('\n'),
  );
  return prefix;
};

const runtimeIn = (prefix) => ({
  version: '24.21.0',
  abi: '137',
  execPath: path.join(prefix, 'bin', 'node'),
});

test('versions are read from the headers', () => {
  expect(readHeaderVersion(placeHeaders('a', '24.1.7', '137'))).toEqual({
    version: '24.1.7',
    abi: '137',
  });
  expect(readHeaderVersion(path.join(root, 'nowhere'))).toBeNull();
});

test("npm's nodedir comes first when it matches, even at another patch level", () => {
  const nodedir = placeHeaders('nodedir', '24.0.1', '137');
  const beside = placeHeaders('beside', '24.21.0', '137');
  expect(findHeaders(runtimeIn(beside), nodedir)).toEqual({ prefix: nodedir, rejected: [] });
});

test('headers beside the running Node win over a nodedir of another line', () => {
  const nodedir = placeHeaders('nodedir', '20.20.2', '115');
  const beside = placeHeaders('beside', '24.21.0', '137');
  const { prefix, rejected } = findHeaders(runtimeIn(beside), nodedir);
  expect(prefix).toBe(beside);
  expect(rejected.map(({ directory }) => directory)).toEqual([nodedir]);
});

test('the same major version with another ABI does not match', () => {
  const nodedir = placeHeaders('nodedir', '24.0.0', '136');
  expect(findHeaders(runtimeIn(path.join(root, 'nowhere')), nodedir).prefix).toBeNull();
});

test('Node-API headers alone do not count', () => {
  const nodedir = placeHeaders('nodedir', '24.21.0', '137');
  fs.rmSync(path.join(nodedir, 'include', 'node', 'v8.h'));
  expect(findHeaders(runtimeIn(path.join(root, 'nowhere')), nodedir).prefix).toBeNull();
});

test('a mismatch without an alternative names both versions and the command', () => {
  const nodedir = placeHeaders('nodedir', '20.20.2', '115');
  const runtime = runtimeIn(path.join(root, 'nowhere'));
  const message = describeMissingHeaders(runtime, findHeaders(runtime, nodedir).rejected);
  expect(message).toContain('Node 24.21.0 (ABI 137');
  expect(message).toContain(`${nodedir} has headers of Node 20.20.2 (ABI 115)`);
  expect(message).toContain('npm_config_nodedir=');
});
