'use strict';
// Builds the libFuzzer programs of test/fuzz with ASan and UBSan and runs each for a while:
// `npm run test:fuzz [-- --seconds 60] [line_splitter ...]`. What they learn stays in .cache/fuzz, one corpus for each; an
// input that fails is left there and named.

const fs = require('node:fs');
const path = require('node:path');
const { parseArgs } = require('node:util');

const { fetchNativeDeps } = require('./native-deps.js');
const { root, run } = require('./nodes.js');

const SOURCES = path.join(root, 'test', 'fuzz');
const SUFFIX = '_fuzz.cc';
const COMPILER = process.env.CXX ?? 'clang++';

/** What each of them is made of, beside itself. */
const PARTS = Object.freeze({
  line_splitter: ['native/protocol/line_splitter.cc'],
  log_buffer: ['native/core/log_buffer.cc'],
  message_gate: ['native/protocol/message_gate.cc', 'simdjson.cpp'],
  module_path: ['native/core/module_path.cc'],
});

/** Words that inputs are put together from. */
const DICTIONARY = [
  '{"type":"',
  'execute',
  'cancel',
  'tool_result',
  '"id":"',
  '"callId":"',
  '"ok":true',
  '"options":{}',
  '"providers":[]',
  '"code":""',
  '[[[[',
  '\\ud800',
  '../',
  './',
  '\n',
  '\u00ef\u00bb\u00bf',
];

/** @param {string} character of one byte, as dictionaries of libFuzzer write it */
const hexOf = (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;

/**
 * @param {string} name
 * @param {string} directory
 * @returns {string} the program
 */
function build(name, directory) {
  const { simdjson } = fetchNativeDeps();
  const program = path.join(directory, name);
  const parts = PARTS[/** @type {keyof typeof PARTS} */ (name)].map((part) =>
    path.join(part === 'simdjson.cpp' ? simdjson : root, part),
  );
  const args = [
    ...['-std=c++20', '-g', '-O1', '-fsanitize=fuzzer,address,undefined'],
    '-fno-sanitize-recover=all',
    '-Wno-ambiguous-reversed-operator', // simdjson's, under C++20
    ...['-I', root, '-isystem', simdjson],
    ...[path.join(SOURCES, `${name}${SUFFIX}`), ...parts, '-o', program],
  ];
  if (!run(COMPILER, args)) throw new Error(`${name} does not build with ${COMPILER}`);
  return program;
}

/**
 * @param {string} name
 * @param {number} seconds
 * @returns {boolean}
 */
function fuzz(name, seconds) {
  console.log(`\n== ${name}`);
  const directory = path.join(root, '.cache', 'fuzz', name);
  const corpus = path.join(directory, 'corpus');
  fs.mkdirSync(corpus, { recursive: true });
  const dictionary = path.join(directory, 'words');
  fs.writeFileSync(
    dictionary,
    DICTIONARY.map((word) => `"${word.replace(/[^a-z]/gi, hexOf)}"`).join('\n'),
  );
  const program = build(name, directory);
  return run(program, [
    corpus,
    `-max_total_time=${seconds}`,
    '-max_len=4096',
    '-timeout=10',
    '-verbosity=0',
    '-print_final_stats=1',
    `-dict=${dictionary}`,
    `-artifact_prefix=${directory}${path.sep}`,
  ]);
}

function main() {
  const { values, positionals } = parseArgs({
    options: { seconds: { type: 'string', default: '20' } },
    allowPositionals: true,
  });
  const seconds = Number(values.seconds);
  if (!Number.isInteger(seconds) || seconds < 1) {
    throw new Error('--seconds takes a whole number from 1');
  }
  const unknown = positionals.find((name) => !Object.hasOwn(PARTS, name));
  if (unknown !== undefined) {
    throw new Error(`there is no fuzzer ${unknown}; there are ${Object.keys(PARTS).join(', ')}`);
  }
  const names = positionals.length > 0 ? positionals : Object.keys(PARTS);
  const failed = names.filter((name) => !fuzz(name, seconds));
  if (failed.length > 0) {
    throw new Error(`failed: ${failed.join(', ')}; the inputs are in .cache/fuzz`);
  }
}

try {
  main();
} catch (error) {
  console.error(`fuzz: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
