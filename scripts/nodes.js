'use strict';
// The Node lines that isobox supports, fetched from npm as packages that hold bin/node and include/node.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { platformTag } = require('../lib/addon-paths.js');
const { readHeaderVersion } = require('./headers.js');

const root = path.dirname(__dirname);

/** The supported lines, oldest first. */
const nodeMajors = Object.freeze(['20', '22', '24', '26']);

/**
 * @typedef {object} NodeInstall
 * @property {string} major
 * @property {string} version `24.21.0`
 * @property {string} abi its NODE_MODULE_VERSION
 * @property {string} execPath
 */

/**
 * Runs a command to its end with its output shown.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv }} [options]
 * @returns {boolean} whether it exited with code 0
 */
function run(command, args, { env = process.env } = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, env, stdio: 'inherit' });
  if (error) throw error;
  return status === 0;
}

/**
 * @param {string} execPath
 * @returns {{ version: string, abi: string }}
 */
function askVersion(execPath) {
  const program =
    'JSON.stringify({ version: process.versions.node, abi: process.versions.modules })';
  const { status, stdout, error } = spawnSync(execPath, ['-p', program], { encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(`${execPath} does not run: exit code ${status}`);
  return JSON.parse(stdout);
}

/**
 * Fetches the newest Node of a line, once; later calls find it in .cache/nodes.
 *
 * @param {string} major
 * @param {string} [arch] another processor than this machine's, whose Node is not run
 * @returns {NodeInstall}
 */
function fetchNode(major, arch = process.arch) {
  const packageName = `node-${platformTag(arch)}`;
  const isForeign = arch !== process.arch;
  const prefix = path.join(root, '.cache', 'nodes', isForeign ? `${major}-${arch}` : major);
  const installed = path.join(prefix, 'node_modules', packageName);
  const execPath = path.join(installed, 'bin', 'node');
  if (!fs.existsSync(execPath)) {
    fs.mkdirSync(prefix, { recursive: true });
    const args = [
      'install',
      '--prefix',
      prefix,
      '--no-save',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      // The package says which processor it is for.
      ...(isForeign ? ['--force'] : []),
    ];
    if (!run('npm', [...args, `${packageName}@${major}`])) {
      throw new Error(`npm could not install ${packageName}@${major}, which holds Node ${major}`);
    }
  }
  const version = isForeign ? readHeaderVersion(installed) : askVersion(execPath);
  if (version === null) throw new Error(`${packageName}@${major} has no headers`);
  return { major, execPath, ...version };
}

/**
 * @param {NodeInstall} node
 * @returns {NodeJS.ProcessEnv} an environment in which `node` is that Node, for child processes too
 */
function environmentOf(node) {
  const directories = [path.dirname(node.execPath), process.env.PATH ?? ''];
  return { ...process.env, PATH: directories.join(path.delimiter) };
}

/**
 * Reads `--only <major>`, which may be repeated, from a command line.
 *
 * @param {string[]} args
 * @returns {{ majors: readonly string[], rest: string[] }} the lines asked for (all by default), and what is left
 */
function takeMajors(args) {
  const majors = [];
  const rest = [];
  for (let i = 0; i < args.length; i += 1) {
    if (args[i] !== '--only') {
      rest.push(args[i]);
      continue;
    }
    i += 1;
    if (!nodeMajors.includes(args[i])) {
      throw new Error(`--only takes one of ${nodeMajors.join(', ')}, not ${args[i] ?? 'nothing'}`);
    }
    majors.push(args[i]);
  }
  return { majors: majors.length > 0 ? majors : nodeMajors, rest };
}

module.exports = { environmentOf, fetchNode, nodeMajors, root, run, takeMajors };
