'use strict';
// Builds the libFuzzer programs of test/fuzz with ASan and UBSan and runs each for a while:
// `npm run test:fuzz [-- --seconds 60] [--seed 1] [--node 24] [line_splitter ...]`. They start from test/fuzz/corpus; what
// they learn stays in .cache/fuzz, one corpus for each; an input that fails is left there and named. Those that need V8
// run in this Node, or in the one of the line named.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { parseArgs } = require('node:util');

const { findHeaders, runningNode } = require('./headers.js');
const { fetchNativeDeps } = require('./native-deps.js');
const { fetchNode, nodeMajors, root, run } = require('./nodes.js');

const SOURCES = path.join(root, 'test', 'fuzz');
const COMPILER = process.env.CXX ?? 'clang++';

/**
 * How a fuzzer is built and started: all that differs between those that are programs and those that need V8.
 *
 * @typedef {object} Kind
 * @property {(node: Runtime) => string[]} compilerArgs
 * @property {(node: Runtime, binary: string, directory: string) => Start} start
 *
 * @typedef {import('./headers.js').Runtime} Runtime
 *
 * @typedef {object} Start
 * @property {string} command
 * @property {string[]} args those before libFuzzer's
 * @property {NodeJS.ProcessEnv} [env]
 * @property {string} [seeds] a directory of seeds beside test/fuzz/corpus
 */

/** @type {Kind} */
const PROGRAM = {
  compilerArgs: () => ['-fsanitize=fuzzer,address,undefined'],
  start: (_node, binary) => ({ command: binary, args: [] }),
};

/** An addon, in which libFuzzer runs on Node's main thread: ASan must then be there before Node is. @type {Kind} */
const ADDON = {
  compilerArgs: (node) => [
    ...['-fsanitize=fuzzer-no-link,address,undefined', '-shared-libsan', '-shared', '-fPIC'],
    ...['-fno-rtti', '-fno-exceptions', '-isystem', nodeHeaders(node)],
    // ASan's runtime has empty functions under the names by which code reports its coverage to libFuzzer.
    ...[compilerRuntime('fuzzer_no_main', 'a'), '-Wl,-Bsymbolic'],
  ],
  start: (node, binary, directory) => {
    const seeds = path.join(directory, 'seeds');
    fs.rmSync(seeds, { recursive: true, force: true });
    fs.mkdirSync(seeds);
    return {
      command: node.execPath,
      args: [
        path.join(SOURCES, `${path.basename(binary)}_fuzz.js`),
        binary,
        seeds,
        '-detect_leaks=0',
      ],
      env: {
        ...process.env,
        LD_PRELOAD: compilerRuntime('asan', 'so'),
        ASAN_OPTIONS: 'detect_leaks=0', // it does not see what V8 holds, nor does libFuzzer
      },
      seeds,
    };
  },
};

/** @type {Readonly<Record<string, { kind: Kind, parts: string[] }>>} with what each is made of, beside itself */
const FUZZERS = Object.freeze({
  line_splitter: { kind: PROGRAM, parts: ['native/protocol/line_splitter.cc'] },
  log_buffer: { kind: PROGRAM, parts: ['native/core/log_buffer.cc'] },
  message_gate: { kind: PROGRAM, parts: ['native/protocol/message_gate.cc', 'simdjson.cpp'] },
  output_pipeline: {
    kind: PROGRAM,
    parts: [
      'native/output/compact_json.cc',
      'native/output/intent_filter.cc',
      'native/output/json_pointer.cc',
      'native/output/json_summary.cc',
      'native/output/output_pipeline.cc',
      'native/output/text_cut.cc',
      'native/output/truncation.cc',
      'native/output/words.cc',
      'simdjson.cpp',
    ],
  },
  frames: {
    kind: PROGRAM,
    parts: ['native/process/frames.cc', 'native/process/frame_stream.cc', 'native/process/ring.cc'],
  },
  module_path: { kind: PROGRAM, parts: ['native/core/module_path.cc'] },
  value_codec: {
    kind: ADDON,
    parts: [
      'test/fuzz/in_node.cc',
      'native/values/bulk_json.cc',
      'native/values/decode_clone.cc',
      'native/values/encode_clone.cc',
      'native/values/decode_json.cc',
      'native/values/encode_json.cc',
      'native/values/encode_support.cc',
      'native/values/text.cc',
      'native/values/typed_views.cc',
      'native/values/v8_api.cc',
    ],
  },
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
  '{"id":1,"name":"',
  '},{',
  '\n\n',
  '../',
  './',
  '\n',
  '\u00ef\u00bb\u00bf',
];

/** @param {string} character of one byte, as dictionaries of libFuzzer write it */
const hexOf = (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;

/**
 * @param {Runtime} node
 * @returns {string} the directory of its headers
 */
function nodeHeaders(node) {
  const { prefix } = findHeaders(node, process.env.npm_config_nodedir);
  if (prefix !== null) return path.join(prefix, 'include', 'node');
  throw new Error(
    `there are no headers beside Node ${node.version}: set npm's nodedir to where its include/node is`,
  );
}

/**
 * @param {string} name
 * @param {string} extension
 * @returns {string} a library that comes with the compiler
 */
function compilerRuntime(name, extension) {
  const architecture = process.arch === 'x64' ? 'x86_64' : 'aarch64';
  const names = [`libclang_rt.${name}-${architecture}`, `libclang_rt.${name}`];
  for (const file of names.map((stem) => `${stem}.${extension}`)) {
    const { stdout } = spawnSync(COMPILER, [`-print-file-name=${file}`], { encoding: 'utf8' });
    if (stdout && path.isAbsolute(stdout.trim())) return stdout.trim();
  }
  throw new Error(
    `${COMPILER} has no ${names[0]}.${extension}: on Debian, libclang-rt-<version>-dev has it`,
  );
}

/**
 * @param {string} name
 * @param {Runtime} node
 * @param {string} directory
 * @returns {string} the program or addon
 */
function build(name, node, directory) {
  const { kind, parts } = FUZZERS[name];
  const { simdjson } = fetchNativeDeps();
  const binary = path.join(directory, name);
  const args = [
    ...['-std=c++20', '-g', '-O1', '-fno-sanitize-recover=all'],
    '-Wno-ambiguous-reversed-operator', // simdjson's, under C++20
    ...['-I', root, '-isystem', simdjson],
    path.join(SOURCES, `${name}_fuzz.cc`),
    ...parts.map((part) => path.join(part === 'simdjson.cpp' ? simdjson : root, part)),
    ...kind.compilerArgs(node),
    ...['-o', binary],
  ];
  if (!run(COMPILER, args)) throw new Error(`${name} does not build with ${COMPILER}`);
  return binary;
}

/**
 * @param {string} name
 * @param {Runtime} node
 * @param {{ seconds: number, seed: number }} bounds a seed of 0 is another one each time
 * @returns {boolean}
 */
function fuzz(name, node, { seconds, seed }) {
  console.log(`\n== ${name}`);
  const directory = path.join(root, '.cache', 'fuzz', name);
  const learned = path.join(directory, 'corpus');
  fs.mkdirSync(learned, { recursive: true });
  const dictionary = path.join(directory, 'words');
  fs.writeFileSync(
    dictionary,
    DICTIONARY.map((word) => `"${word.replace(/[^a-z]/gi, hexOf)}"`).join('\n'),
  );
  const binary = build(name, node, directory);
  const { command, args, env, seeds } = FUZZERS[name].kind.start(node, binary, directory);
  const options = [
    learned,
    path.join(SOURCES, 'corpus', name),
    ...(seeds === undefined ? [] : [seeds]),
    `-max_total_time=${seconds}`,
    `-seed=${seed}`,
    '-max_len=4096',
    '-timeout=10',
    '-verbosity=0',
    '-print_final_stats=1',
    `-dict=${dictionary}`,
    `-artifact_prefix=${directory}${path.sep}`,
  ];
  return run(command, [...args, ...options], { env });
}

function main() {
  const { values, positionals } = parseArgs({
    options: {
      seconds: { type: 'string', default: '20' },
      seed: { type: 'string', default: '0' },
      node: { type: 'string' },
    },
    allowPositionals: true,
  });
  const seconds = Number(values.seconds);
  if (!Number.isInteger(seconds) || seconds < 1) {
    throw new Error('--seconds takes a whole number from 1');
  }
  const seed = Number(values.seed);
  if (!Number.isInteger(seed) || seed < 0) throw new Error('--seed takes a whole number');
  if (values.node !== undefined && !nodeMajors.includes(values.node)) {
    throw new Error(`--node takes one of ${nodeMajors.join(', ')}`);
  }
  const unknown = positionals.find((name) => !Object.hasOwn(FUZZERS, name));
  if (unknown !== undefined) {
    throw new Error(`there is no fuzzer ${unknown}; there are ${Object.keys(FUZZERS).join(', ')}`);
  }
  const names = positionals.length > 0 ? positionals : Object.keys(FUZZERS);
  const node = values.node === undefined ? runningNode() : fetchNode(values.node);
  const failed = names.filter((name) => !fuzz(name, node, { seconds, seed }));
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
