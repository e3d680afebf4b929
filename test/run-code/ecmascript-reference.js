'use strict';
// What plain V8 of this Node makes of the conformance programs, in strict code without code generation: one JSON object on
// the standard output. A process of its own, because some programs leave rejections and exceptions behind.

const vm = require('node:vm');

const { listPrograms } = require('./ecmascript-programs.js');

process.on('unhandledRejection', () => {});
process.on('uncaughtException', () => {});

const ABSENT = ['console', 'SharedArrayBuffer', 'Atomics', 'WebAssembly'];

/** @param {{ setup: string, verdict: string }} program */
async function judge({ setup, verdict }) {
  const context = vm.createContext(
    { setTimeout },
    { codeGeneration: { strings: false, wasm: false } },
  );
  vm.runInContext(ABSENT.map((name) => `delete globalThis.${name};`).join(''), context);
  try {
    const source = `'use strict'; ${setup}; (async () => ${verdict})()`;
    const late = new Promise((resolve) => {
      setTimeout(resolve, 4000, 'never');
    });
    return await Promise.race([vm.runInContext(source, context), late]);
  } catch (error) {
    return `throws ${error?.name}`;
  }
}

async function main() {
  const programs = listPrograms();
  const verdicts = await Promise.all(programs.map(judge));
  const named = programs.map(({ name }, i) => [name, verdicts[i]]);
  process.stdout.write(JSON.stringify(named), () => process.exit(0));
}

main();
