'use strict';
// Builds the addon for the Node that runs this script: `node scripts/build.js [--arch <arch>]`. An up-to-date build costs about a
// second.
//
// With the --arch of another processor it builds for the Node whose headers npm's nodedir names.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { buildDirectory, builtPath, platformTag } = require('../lib/addon-paths.js');
const { crossTargets } = require('./cross.js');
const {
  describeMissingHeaders,
  findHeaders,
  readHeaderVersion,
  runningNode,
} = require('./headers.js');
const { fetchNativeDeps } = require('./native-deps.js');

const root = path.dirname(__dirname);

/** A failure that the user can act on: its message is the whole report. */
class BuildError extends Error {}

/** @param {string} command */
function isOnPath(command) {
  const directories = (process.env.PATH ?? '').split(path.delimiter);
  const names = process.platform === 'win32' ? [`${command}.exe`, `${command}.cmd`] : [command];
  return directories.some((directory) =>
    names.some((name) => {
      try {
        fs.accessSync(path.join(directory, name), fs.constants.X_OK);
        return true;
      } catch {
        return false;
      }
    }),
  );
}

function requireTools() {
  if (process.platform === 'win32') {
    throw new BuildError(
      'isobox does not build on Windows: it needs POSIX threads. Use WSL or a container.',
    );
  }
  const missing = [];
  if (!isOnPath('cmake')) missing.push('cmake (3.20 or later)');
  if (!isOnPath('make') && !isOnPath('ninja')) missing.push('make or ninja');
  // cmake-js itself looks for these two names.
  if (!isOnPath('g++') && !isOnPath('clang++')) {
    missing.push('a C++20 compiler (g++ 12 or clang++ 14, or later)');
  }
  if (missing.length === 0) return;
  throw new BuildError(
    [
      `Building isobox needs tools that are not on the PATH: ${missing.join(', ')}.`,
      'Install them, for example:',
      '  Debian, Ubuntu:  apt-get install build-essential cmake',
      '  Fedora, RHEL:    dnf install gcc-c++ make cmake',
      '  Alpine:          apk add build-base cmake',
      '  macOS:           xcode-select --install && brew install cmake',
    ].join('\n'),
  );
}

function requirePackages() {
  try {
    return fetchNativeDeps();
  } catch (error) {
    throw new BuildError(/** @type {Error} */ (error).message);
  }
}

/**
 * @typedef {object} Target
 * @property {string} arch
 * @property {string} version of Node
 * @property {string} abi
 * @property {string | null} headers the directory of its include/node; null leaves only the download
 * @property {string[]} settings for CMake
 */

/**
 * Runs one cmake-js command. It takes the header directory from npm's `nodedir` variable and from nowhere else.
 *
 * @param {string} command
 * @param {Target} target
 * @returns {boolean} whether it succeeded
 */
function runCmakeJs(command, { arch, version, abi, headers, settings }) {
  const { cmakeJs, nodeAddonApi, simdjson } = requirePackages();
  const { npm_config_nodedir: _, ...env } = process.env;
  if (headers) env.npm_config_nodedir = headers;
  const jobs = String(Math.max(1, os.availableParallelism()));
  const directory = buildDirectory(root, abi, platformTag(arch));
  const args = [
    cmakeJs,
    command,
    ...['--directory', root, '--out', directory, '--config', 'Release', '--parallel', jobs],
    ...['--runtime', 'node', '--runtime-version', version, '--arch', arch],
    ...['--log-level', 'warn'],
    ...[`--CDNODE_ADDON_API_DIR=${nodeAddonApi}`, `--CDISOBOX_SIMDJSON_DIR=${simdjson}`],
    ...settings.map((setting) => `--CD${setting}`),
  ];
  const { status, error } = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
  if (error) throw error;
  return status === 0;
}

/** CMake refuses a build directory whose sources have moved; such a directory is of no use any more. */
function removeForeignBuild(/** @type {string} */ directory) {
  const cache = path.join(directory, 'CMakeCache.txt');
  if (!fs.existsSync(cache)) return;
  const home = /^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$/m.exec(fs.readFileSync(cache, 'utf8'))?.[1];
  if (home !== undefined && path.resolve(home) === root) return;
  fs.rmSync(directory, { recursive: true, force: true });
}

/** @returns {Target} the Node that runs this script */
function runningTarget() {
  const runtime = runningNode();
  const { prefix: headers, rejected } = findHeaders(runtime, process.env.npm_config_nodedir);
  const target = { ...runtime, arch: process.arch, headers, settings: [] };
  if (headers === null && !runCmakeJs('install', target)) {
    throw new BuildError(describeMissingHeaders(runtime, rejected));
  }
  return target;
}

/**
 * @param {string} arch
 * @returns {Target} the Node whose headers npm's nodedir names
 */
function foreignTarget(arch) {
  const headers = process.env.npm_config_nodedir ?? '';
  const found = headers === '' ? null : readHeaderVersion(headers);
  if (found === null) {
    throw new BuildError(
      `Building for ${arch} needs npm_config_nodedir=<directory that holds include/node of a Node for ${arch}>.`,
    );
  }
  const { processor, tools, package: name } = crossTargets[arch];
  const compiler = `${tools}g++`;
  if (!isOnPath(compiler)) {
    throw new BuildError(`Building for ${arch} needs ${compiler}: apt-get install ${name}`);
  }
  const settings = [
    'CMAKE_SYSTEM_NAME=Linux',
    `CMAKE_SYSTEM_PROCESSOR=${processor}`,
    `CMAKE_CXX_COMPILER=${compiler}`,
  ];
  return { ...found, arch, headers, settings };
}

/** @param {string[]} args */
async function main(args) {
  const [option, arch = process.arch, ...rest] = args;
  const known = [process.arch, ...Object.keys(crossTargets)];
  if ((option ?? '--arch') !== '--arch' || rest.length > 0 || !known.includes(arch)) {
    throw new BuildError(
      `Unknown arguments ${args.join(' ')}; the only one is --arch ${known.join(' or ')}.`,
    );
  }
  requireTools();
  // The package ships it, without what it is made of.
  if (fs.existsSync(path.join(root, 'guest'))) {
    await require('./guest-library.js').buildGuestLibrary();
  }
  const target = arch === process.arch ? runningTarget() : foreignTarget(arch);
  const { abi, version } = target;
  removeForeignBuild(buildDirectory(root, abi, platformTag(arch)));
  // Configuring every time takes a fraction of a second and notices other headers and new files.
  if (!runCmakeJs('configure', target) || !runCmakeJs('build', target)) {
    throw new BuildError(
      `Building isobox for Node ${version} (ABI ${abi}, ${arch}) failed; the compiler's messages are above.`,
    );
  }
  const binary = path.relative(root, builtPath(root, abi, platformTag(arch)));
  console.log(`isobox: built ${binary} for Node ${version}`);
}

main(process.argv.slice(2)).catch((error) => {
  if (!(error instanceof BuildError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
});
