'use strict';
// Fetches what the addon is built with from npm, once, into build/deps: cmake-js and C++ sources, whose own install scripts
// never run. native/deps names them, with their hashes. Who only uses isobox needs none of them.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const root = path.dirname(__dirname);
const manifests = path.join(root, 'native', 'deps');
const cache = path.join(root, 'build', 'deps');

// What an npm that runs this as an install script was told about its own installation.
const NOT_PASSED_ON =
  /^npm_config_(global|location|prefix|local_prefix|dry_run|omit|include|package_lock|package_lock_only|workspaces?)$/i;

/** @param {string} directory */
function readManifest(directory) {
  return JSON.parse(fs.readFileSync(path.join(directory, 'package.json'), 'utf8'));
}

/** @returns {boolean} whether every package is there, in the version that native/deps asks for */
function isFetched() {
  return Object.entries(readManifest(manifests).dependencies).every(([name, version]) => {
    try {
      return readManifest(path.join(cache, 'node_modules', name)).version === version;
    } catch {
      return false;
    }
  });
}

/**
 * @returns {{ cmakeJs: string, nodeAddonApi: string, simdjson: string, simdjsonLicence: string }} cmake-js's program, the
 *   directories of headers and sources, and a licence
 * @throws {Error} with a message for people
 */
function fetchNativeDeps() {
  if (!isFetched()) install();
  const [cmakeJs, nodeAddonApi, simdjson] = ['cmake-js', 'node-addon-api', 'simdjson'].map((name) =>
    path.join(cache, 'node_modules', name),
  );
  return {
    cmakeJs: path.join(cmakeJs, 'bin', 'cmake-js'),
    nodeAddonApi,
    simdjson: path.join(simdjson, 'simdjson', 'src'),
    simdjsonLicence: path.join(simdjson, 'LICENSE'),
  };
}

function install() {
  fs.mkdirSync(cache, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) {
    fs.copyFileSync(path.join(manifests, name), path.join(cache, name));
  }
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !NOT_PASSED_ON.test(name)),
  );
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, error } = spawnSync('npm', args, { cwd: cache, env, stdio: 'inherit' });
  if (status === 0 && isFetched()) return;
  throw new Error(
    [
      `npm could not fetch what isobox is built with${error ? ` (${error.message})` : ''}.`,
      'Check that npm is on the PATH and reaches its registry, then build again:',
      `  npm ci --ignore-scripts --prefix ${cache}`,
      `  node ${path.join(root, 'scripts', 'build.js')}`,
    ].join('\n'),
  );
}

module.exports = { fetchNativeDeps };
