'use strict';
// Finds Node headers that belong to the running Node. Headers of another line compile, and then crash at run time.

const fs = require('node:fs');
const path = require('node:path');

/**
 * @typedef {object} Runtime
 * @property {string} version the running Node's version, `20.20.2`
 * @property {string} abi its NODE_MODULE_VERSION
 * @property {string} execPath its binary
 *
 * @typedef {object} HeaderVersion
 * @property {string} version
 * @property {string} abi
 *
 * @typedef {object} Rejected
 * @property {string} origin what named the directory
 * @property {string} directory
 * @property {string} reason
 */

/** @returns {Runtime} */
function runningNode() {
  return {
    version: process.versions.node,
    abi: process.versions.modules,
    execPath: fs.realpathSync(process.execPath),
  };
}

/**
 * @param {string} prefix a directory that holds include/node
 * @returns {HeaderVersion | null} null when there are no headers
 */
function readHeaderVersion(prefix) {
  const include = path.join(prefix, 'include', 'node');
  let text;
  try {
    text = fs.readFileSync(path.join(include, 'node_version.h'), 'utf8');
  } catch {
    return null;
  }
  // Without v8.h the directory holds the Node-API headers only.
  if (!fs.existsSync(path.join(include, 'v8.h'))) return null;
  const number = (/** @type {string} */ name) =>
    new RegExp(`^#\\s*define\\s+${name}\\s+(\\d+)\\s*$`, 'm').exec(text)?.[1] ?? '?';
  const version = ['NODE_MAJOR_VERSION', 'NODE_MINOR_VERSION', 'NODE_PATCH_VERSION']
    .map(number)
    .join('.');
  return { version, abi: number('NODE_MODULE_VERSION') };
}

/**
 * @param {HeaderVersion} headers
 * @param {Runtime} runtime
 * @returns {boolean} whether an addon compiled with these headers loads in this Node
 */
function headersMatch(headers, runtime) {
  return (
    headers.abi === runtime.abi && headers.version.split('.')[0] === runtime.version.split('.')[0]
  );
}

/**
 * Looks in the directory npm was told of, then beside the running Node.
 *
 * @param {Runtime} runtime
 * @param {string | undefined} nodedir the value of npm's `nodedir`, if set
 * @returns {{ prefix: string | null, rejected: Rejected[] }} a null prefix leaves only the download
 */
function findHeaders(runtime, nodedir) {
  const bin = path.dirname(runtime.execPath);
  const candidates = [
    { origin: "npm's nodedir", directory: nodedir },
    { origin: 'beside the running Node', directory: path.dirname(bin) },
    { origin: 'beside the running Node', directory: bin },
  ];
  /** @type {Rejected[]} */
  const rejected = [];
  for (const { origin, directory } of candidates) {
    if (!directory) continue;
    const headers = readHeaderVersion(directory);
    if (headers && headersMatch(headers, runtime)) return { prefix: directory, rejected };
    const reason = headers
      ? `has headers of Node ${headers.version} (ABI ${headers.abi})`
      : 'has no include/node with node_version.h and v8.h';
    rejected.push({ origin, directory, reason });
  }
  return { prefix: null, rejected };
}

/**
 * @param {Runtime} runtime
 * @param {Rejected[]} rejected
 * @returns {string} why no headers could be used and what to do about it
 */
function describeMissingHeaders(runtime, rejected) {
  return [
    `No Node headers match the running Node ${runtime.version} (ABI ${runtime.abi}, ${runtime.execPath}).`,
    ...rejected.map(({ origin, directory, reason }) => `  - ${origin}: ${directory} ${reason}`),
    `  - download: cmake-js could not fetch the headers of Node ${runtime.version}`,
    'Point npm at the directory that holds include/node of this very Node, and build again:',
    '  npm_config_nodedir=<directory> node scripts/build.js',
    'or run the Node that your headers belong to.',
  ].join('\n');
}

module.exports = {
  describeMissingHeaders,
  findHeaders,
  headersMatch,
  readHeaderVersion,
  runningNode,
};
