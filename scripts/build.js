'use strict';
// Builds the addon for the Node that runs this script: `node scripts/build.js [--if-needed]`.
//
// With --if-needed (the install script) a package that has a prebuilt binary which loads is left as it is.
// An up-to-date build costs about a second. A build replaces the prebuilt binary of its ABI, which would shadow it.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { buildDirectory, builtPath, prebuiltPath } = require('../lib/addon-paths.js');
const { describeMissingHeaders, findHeaders, runningNode } = require('./headers.js');
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

/** @returns {{ cmakeJs: string, nodeAddonApi: string }} the packages that only a build needs */
function requirePackages() {
  try {
    return {
      cmakeJs: require.resolve('cmake-js/bin/cmake-js', { paths: [root] }),
      nodeAddonApi: path.dirname(require.resolve('node-addon-api/package.json', { paths: [root] })),
    };
  } catch {
    throw new BuildError(
      [
        'Building isobox needs the optional packages cmake-js and node-addon-api, which are not installed.',
        'Install them:',
        '  npm install --include=optional',
      ].join('\n'),
    );
  }
}

/** @returns {{ simdjson: string }} */
function requireSources() {
  try {
    return fetchNativeDeps();
  } catch (error) {
    throw new BuildError(/** @type {Error} */ (error).message);
  }
}

/**
 * Runs one cmake-js command. It takes the header directory from npm's `nodedir` variable and from nowhere else.
 *
 * @param {string} cmakeJs
 * @param {string} command
 * @param {{ directory: string, headers: string | null, nodeAddonApi: string, simdjson: string }} options
 * @returns {boolean} whether it succeeded
 */
function runCmakeJs(cmakeJs, command, { directory, headers, nodeAddonApi, simdjson }) {
  const { npm_config_nodedir: _, ...env } = process.env;
  if (headers) env.npm_config_nodedir = headers;
  const jobs = String(Math.max(1, os.availableParallelism()));
  const args = [
    cmakeJs,
    command,
    ...['--directory', root, '--out', directory, '--config', 'Release', '--parallel', jobs],
    ...['--runtime', 'node', '--runtime-version', process.versions.node, '--arch', process.arch],
    ...['--log-level', 'warn'],
    ...[`--CDNODE_ADDON_API_DIR=${nodeAddonApi}`, `--CDISOBOX_SIMDJSON_DIR=${simdjson}`],
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

/**
 * Builds the addon for the running Node.
 *
 * @returns {string} the binary's path
 */
function buildAddon() {
  requireTools();
  const { cmakeJs, nodeAddonApi } = requirePackages();
  const { simdjson } = requireSources();
  const runtime = runningNode();
  const directory = buildDirectory(root);
  removeForeignBuild(directory);

  const { prefix, rejected } = findHeaders(runtime, process.env.npm_config_nodedir);
  const options = { directory, headers: prefix, nodeAddonApi, simdjson };
  if (prefix === null && !runCmakeJs(cmakeJs, 'install', options)) {
    throw new BuildError(describeMissingHeaders(runtime, rejected));
  }
  // Configuring every time takes a fraction of a second and notices other headers and new files.
  if (!runCmakeJs(cmakeJs, 'configure', options) || !runCmakeJs(cmakeJs, 'build', options)) {
    throw new BuildError(
      `Building isobox for Node ${runtime.version} (ABI ${runtime.abi}) failed; the compiler's messages are above.`,
    );
  }
  return builtPath(root);
}

/**
 * Loads the binary in a process of its own, because a binary of the wrong kind may do worse than throw.
 *
 * @param {string} file
 */
function loads(file) {
  if (!fs.existsSync(file)) return false;
  const program = 'process.dlopen({ exports: {} }, process.argv[1])';
  return spawnSync(process.execPath, ['-e', program, file], { stdio: 'ignore' }).status === 0;
}

/** @param {string[]} args */
async function main(args) {
  const unknown = args.find((arg) => arg !== '--if-needed');
  if (unknown !== undefined) {
    throw new BuildError(`Unknown argument ${unknown}; the only one is --if-needed.`);
  }
  const prebuilt = prebuiltPath(root);
  // Tests are not in the package: where they are, the sources may be newer than any prebuilt binary.
  const isCheckout = fs.existsSync(path.join(root, 'test'));
  if (args.includes('--if-needed') && !isCheckout && loads(prebuilt)) return;
  // The package ships it, without what it is made of.
  if (isCheckout) await require('./guest-library.js').buildGuestLibrary();
  const binary = buildAddon();
  fs.rmSync(prebuilt, { force: true });
  console.log(`isobox: built ${path.relative(root, binary)} for Node ${process.versions.node}`);
}

main(process.argv.slice(2)).catch((error) => {
  if (!(error instanceof BuildError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
});
