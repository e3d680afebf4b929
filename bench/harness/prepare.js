'use strict';
// Everything that is measured, made ready for one Node: isobox's addon, the floor, the rivals.

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { findHeaders } = require('../../scripts/headers.js');
const { fetchNativeDeps } = require('../../scripts/native-deps.js');
const { environmentOf, fetchNode, root, run } = require('../../scripts/nodes.js');
const { floorDirectory } = require('../floor/load.js');
const { rivalsDirectory } = require('../rivals/load.js');

// The line for which the aims are stated, and the first that isolated-vm 7 runs on.
const DEFAULT_MAJOR = '24';

/** @typedef {import('../../scripts/nodes.js').NodeInstall} NodeInstall */

/**
 * @param {string | undefined} execPath a Node to measure; the newest of the default line when undefined
 * @returns {NodeInstall}
 */
function chooseNode(execPath) {
  if (execPath === undefined) return fetchNode(DEFAULT_MAJOR);
  const program = 'JSON.stringify([process.execPath, process.versions])';
  const output = execFileSync(execPath, ['-p', program], { encoding: 'utf8' });
  const [resolved, { node: version, modules: abi }] = JSON.parse(output);
  return { major: version.split('.')[0], version, abi, execPath: resolved };
}

/**
 * @param {NodeInstall} node
 * @returns {NodeJS.ProcessEnv} in which `node` is that Node, and its headers are what addons are built with
 */
function buildEnvironment(node) {
  const { npm_config_nodedir: nodedir, ...env } = environmentOf(node);
  const { prefix } = findHeaders(node, nodedir);
  return prefix === null ? env : { ...env, npm_config_nodedir: prefix };
}

/**
 * @param {string} what
 * @param {boolean} ok
 */
function check(what, ok) {
  if (!ok) throw new Error(`${what} failed; its messages are above`);
}

/** @param {NodeInstall} node */
function buildFloor(node) {
  const args = [
    fetchNativeDeps().cmakeJs,
    'build',
    ...['--directory', path.join(__dirname, '..', 'floor'), '--out', floorDirectory(node.abi)],
    ...['--config', 'Release', '--runtime', 'node', '--runtime-version', node.version],
    ...['--arch', process.arch, '--log-level', 'warn'],
  ];
  check('building the floor', run(node.execPath, args, { env: buildEnvironment(node) }));
}

/**
 * Installs what rivals/package.json names, unless it is there. isolated-vm brings a binary for Node 24 and 26, which its
 * install script picks; for another Node that script compiles one.
 *
 * @param {NodeInstall} node
 */
function installRivals(node) {
  const directory = rivalsDirectory(node.abi);
  const manifests = ['package.json', 'package-lock.json', '.npmrc'].map((name) => ({
    source: path.join(__dirname, '..', 'rivals', name),
    target: path.join(directory, name),
  }));
  // npm writes this file last.
  const isInstalled = fs.existsSync(path.join(directory, 'node_modules', '.package-lock.json'));
  const isCurrent = manifests.every(
    ({ source, target }) =>
      fs.existsSync(target) && fs.readFileSync(source).equals(fs.readFileSync(target)),
  );
  if (isInstalled && isCurrent) return;
  fs.mkdirSync(directory, { recursive: true });
  for (const { source, target } of manifests) fs.copyFileSync(source, target);
  const args = ['ci', '--prefix', directory, '--no-audit', '--no-fund'];
  // A rival that cannot be installed is missing from the tables, with the reason.
  if (!run('npm', args, { env: buildEnvironment(node) })) {
    console.error('bench: the rivals could not be installed; npm says why above');
  }
}

/** @param {NodeInstall} node */
function prepare(node) {
  const build = path.join(root, 'scripts', 'build.js');
  check('building isobox', run(node.execPath, [build], { env: environmentOf(node) }));
  buildFloor(node);
  installRivals(node);
}

module.exports = { chooseNode, prepare };
