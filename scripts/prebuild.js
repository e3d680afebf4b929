'use strict';
// Makes the package of binaries of one platform, one per supported Node ABI, in prebuilds/<platform>: `npm run prebuild`.
//
//   --only <major>   for one Node line alone; may be repeated
//   --running        for the Node that runs this script alone, where npm has none for the platform; others stay
//   --arch <arch>    for another processor, by cross-compiling; tried under qemu-user where that is installed
//   --glibc <x.y>    fails when a binary asks for a newer glibc

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { builtPath, platformTag } = require('../lib/addon-paths.js');
const { crossTargets } = require('./cross.js');
const { runningNode } = require('./headers.js');
const { fetchNativeDeps } = require('./native-deps.js');
const { environmentOf, fetchNode, root, run, takeMajors } = require('./nodes.js');
const { writePlatformPackage } = require('./platform-package.js');

/**
 * @param {import('./nodes.js').NodeInstall} node
 * @param {string} arch
 * @param {string} directory
 * @returns {{ file: string, tried: boolean }} the stripped binary, and whether that Node has loaded it
 */
function prebuild(node, arch, directory) {
  const { abi, execPath, version } = node;
  const isForeign = arch !== process.arch;
  const build = [path.join(root, 'scripts', 'build.js'), '--arch', arch];
  const built = isForeign
    ? run(process.execPath, build, {
        env: { ...process.env, npm_config_nodedir: path.dirname(path.dirname(execPath)) },
      })
    : run(execPath, build, { env: environmentOf(node) });
  if (!built) throw new Error(`the build for Node ${version} failed`);
  const file = path.join(directory, `isobox-abi${abi}.node`);
  fs.copyFileSync(builtPath(root, abi, platformTag(arch)), file);
  const strip = isForeign ? `${crossTargets[arch].tools}strip` : 'strip';
  if (!run(strip, process.platform === 'darwin' ? ['-x', file] : ['--strip-unneeded', file])) {
    throw new Error(`strip failed on ${file}`);
  }
  return { file, tried: load(file, node, arch) };
}

/**
 * @param {string} file
 * @param {import('./nodes.js').NodeInstall} node
 * @param {string} arch
 * @returns {boolean} false when no program for that processor can be run here
 */
function load(file, { execPath, version }, arch) {
  const [command, ...args] = [
    ...(arch === process.arch ? [] : crossTargets[arch].emulator),
    execPath,
    ...['-e', 'process.dlopen({ exports: {} }, process.argv[1])', file],
  ];
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (/** @type {NodeJS.ErrnoException} */ (error)?.code === 'ENOENT') return false;
  if (status !== 0) throw new Error(`Node ${version} does not load ${file}`);
  return true;
}

/**
 * @param {string} file
 * @returns {string} the newest glibc whose functions it uses, `2.28`; empty where there are none
 */
function neededGlibc(file) {
  if (process.platform !== 'linux') return '';
  const versions = fs.readFileSync(file, 'latin1').match(/\bGLIBC_\d+\.\d+/g) ?? [];
  return newest(versions.map((name) => name.slice('GLIBC_'.length)));
}

/** @param {string[]} versions */
function newest(versions) {
  return versions.reduce((a, b) => (a.localeCompare(b, 'en', { numeric: true }) < 0 ? b : a), '');
}

/**
 * @param {string[]} args
 * @param {string} name
 * @returns {string | undefined} the value of an option, which is taken out
 */
function takeOption(args, name) {
  const at = args.indexOf(name);
  if (at < 0) return undefined;
  const [, value] = args.splice(at, 2);
  if (value === undefined) throw new Error(`${name} needs a value`);
  return value;
}

/** @returns {import('./nodes.js').NodeInstall} */
function runningInstall() {
  const { version, abi, execPath } = runningNode();
  return { major: version.split('.')[0], version, abi, execPath };
}

/** @param {string[]} args */
function main(args) {
  const isRunning = args.includes('--running');
  const { majors, rest } = takeMajors(args.filter((arg) => arg !== '--running'));
  const arch = takeOption(rest, '--arch') ?? process.arch;
  const glibc = takeOption(rest, '--glibc');
  if (rest.length > 0) throw new Error(`unknown argument ${rest[0]}`);
  if (arch !== process.arch && !(arch in crossTargets)) {
    throw new Error(`--arch takes ${[process.arch, ...Object.keys(crossTargets)].join(' or ')}`);
  }
  const directory = writePlatformPackage(platformTag(arch));
  fs.copyFileSync(fetchNativeDeps().simdjsonLicence, path.join(directory, 'LICENSE.simdjson'));
  const nodes = isRunning ? [runningInstall()] : majors.map((major) => fetchNode(major, arch));
  const lines = nodes.map((node) => {
    const { file, tried } = prebuild(node, arch, directory);
    const needed = neededGlibc(file);
    if (glibc !== undefined && newest([glibc, needed]) !== glibc) {
      throw new Error(`${file} needs glibc ${needed}, which is newer than ${glibc}`);
    }
    const kilobytes = Math.round(fs.statSync(file).size / 1024);
    return [
      path.relative(root, file),
      `Node ${node.version}`,
      `${kilobytes} KB`,
      ...(needed === '' ? [] : [`glibc ${needed}`]),
      tried ? 'loaded' : 'not tried',
    ].join('  ');
  });
  console.log(`\n${lines.join('\n')}`);
}

try {
  main(process.argv.slice(2));
} catch (error) {
  console.error(`prebuild: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
