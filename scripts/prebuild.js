'use strict';
// Makes the binaries that the package ships, one per supported Node ABI, for this platform: `npm run prebuild`.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { builtPath, prebuiltPath } = require('../lib/addon-paths.js');
const { fetchNativeDeps } = require('./native-deps.js');
const { environmentOf, fetchNode, root, run, takeMajors } = require('./nodes.js');

/**
 * @param {import('./nodes.js').NodeInstall} node
 * @returns {string} the prebuilt binary
 */
function prebuild(node) {
  const { abi, execPath, version } = node;
  if (!run(execPath, [path.join(root, 'scripts', 'build.js')], { env: environmentOf(node) })) {
    throw new Error(`the build for Node ${version} failed`);
  }
  const file = prebuiltPath(root, abi);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.copyFileSync(builtPath(root, abi), file);
  if (!run('strip', process.platform === 'darwin' ? ['-x', file] : ['--strip-unneeded', file])) {
    throw new Error(`strip failed on ${file}`);
  }
  const program = 'process.dlopen({ exports: {} }, process.argv[1])';
  if (spawnSync(execPath, ['-e', program, file], { stdio: 'inherit' }).status !== 0) {
    throw new Error(`Node ${version} does not load ${file}`);
  }
  return file;
}

/** The licences of what is linked into the binaries lie beside them. */
function copyLicences() {
  const directory = path.dirname(prebuiltPath(root));
  fs.copyFileSync(fetchNativeDeps().simdjsonLicence, path.join(directory, 'LICENSE.simdjson'));
}

/** @param {string[]} args */
function main(args) {
  const { majors, rest } = takeMajors(args);
  if (rest.length > 0) {
    throw new Error(`unknown argument ${rest[0]}; the only one is --only <major>`);
  }
  const lines = majors.map((major) => {
    const node = fetchNode(major);
    const file = prebuild(node);
    const kilobytes = Math.round(fs.statSync(file).size / 1024);
    return `${path.relative(root, file)}  Node ${node.version}  ${kilobytes} KB`;
  });
  copyLicences();
  console.log(`\n${lines.join('\n')}`);
}

try {
  main(process.argv.slice(2));
} catch (error) {
  console.error(`prebuild: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
