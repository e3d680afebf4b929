'use strict';
// Evaluates ES modules given as JSON on stdin, each in a context of its own; needs
// --experimental-vm-modules. Prints what the default export is, or where and how it failed.

const vm = require('node:vm');

/** Every module may import these. */
const LIBRARY = { rows: { load: 7, default: 8 }, 'react/jsx-runtime': { jsx: 1 } };

/** @param {string} code */
async function evaluate(code) {
  const context = vm.createContext({});
  const link = async (/** @type {string} */ specifier) => {
    const exports = LIBRARY[specifier];
    if (exports === undefined) throw new Error(`no module ${specifier}`);
    return new vm.SyntheticModule(
      Object.keys(exports),
      function initialize() {
        for (const [name, value] of Object.entries(exports)) this.setExport(name, value);
      },
      { context },
    );
  };
  try {
    const module = new vm.SourceTextModule(code, { context, identifier: 'guest.js' });
    await module.link(link);
    await module.evaluate();
    return { value: /** @type {any} */ (module.namespace).default };
  } catch (error) {
    const place = /guest\.js:(\d+)(?::(\d+))?/.exec(String(error?.stack));
    return {
      error: String(error?.message ?? error),
      line: place && Number(place[1]),
      column: place && Number(place[2]),
    };
  }
}

async function main() {
  let input = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) input += chunk;
  const results = [];
  for (const code of JSON.parse(input)) results.push(await evaluate(code));
  process.stdout.write(JSON.stringify(results));
}

void main();
