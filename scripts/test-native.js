'use strict';
// Builds and runs the unit tests of the V8-free parts three times: plain, with ASan and UBSan, with TSan.
// `npm run test:native [-- plain|address|thread ...]`

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { fetchNativeDeps } = require('./native-deps.js');
const { root, run } = require('./nodes.js');

const variants = ['plain', 'address', 'thread'];

/**
 * TSan's shadow memory has fixed places, which a kernel that randomizes more than 28 bits of addresses may take.
 *
 * @param {string[]} args
 */
function runCtest(args) {
  const setting = '/proc/sys/vm/mmap_rnd_bits';
  const bits = fs.existsSync(setting) ? Number(fs.readFileSync(setting, 'utf8')) : 0;
  return bits > 28 ? run('setarch', ['-R', 'ctest', ...args]) : run('ctest', args);
}

/** @param {string} variant */
function testVariant(variant) {
  console.log(`\n== unit tests, ${variant}`);
  const directory = path.join(root, 'build', `native-${variant}`);
  const sanitize = variant === 'plain' ? '' : variant;
  const jobs = String(os.availableParallelism());
  const configure = [
    '-S',
    root,
    '-B',
    directory,
    '-DISOBOX_UNIT_TESTS=ON',
    `-DISOBOX_SANITIZE=${sanitize}`,
    `-DISOBOX_SIMDJSON_DIR=${fetchNativeDeps().simdjson}`,
  ];
  return (
    run('cmake', [...configure, '-DCMAKE_BUILD_TYPE=Debug']) &&
    run('cmake', ['--build', directory, '--parallel', jobs]) &&
    runCtest([
      '--test-dir',
      directory,
      '--output-on-failure',
      '--no-tests=error',
      '--output-junit',
      path.join(root, '.cache', 'results', `native-${variant}.xml`),
      '--parallel',
      jobs,
    ])
  );
}

/** @param {string[]} args */
function main(args) {
  const unknown = args.find((arg) => !variants.includes(arg));
  if (unknown !== undefined) {
    throw new Error(`unknown variant ${unknown}; there are ${variants.join(', ')}`);
  }
  const failed = (args.length > 0 ? args : variants).filter((variant) => !testVariant(variant));
  if (failed.length > 0) throw new Error(`failed: ${failed.join(', ')}`);
}

try {
  main(process.argv.slice(2));
} catch (error) {
  console.error(`test:native: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
