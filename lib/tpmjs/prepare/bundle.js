'use strict';
// One package as one file for an isolate, or the reasons why only a process can run it. Both are found in its module graph.

const fs = require('node:fs');
const path = require('node:path');

const { IN_ISOLATES, NODE_NAMES, builtinName } = require('./builtins.js');
const { markPure } = require('./pure-marks.js');

const DRIVER = path.join(__dirname, '..', 'guest', 'driver.js');
/** What such names are called in the bundle, where only uses of them are left. */
const NODE_NAME = 'isobox_only_in_node_';
const MAX_REASONS = 10;

/** @typedef {{ way: 'isolate', code: string } | { way: 'process', reasons: string[] }} Prepared */

/** @type {import('esbuild').Plugin} */
const forGuests = {
  name: 'isobox',
  setup(build) {
    build.onResolve({ filter: /.*/ }, async ({ path: specifier, pluginData, ...from }) => {
      if (pluginData?.isAsked) return undefined;
      if (specifier === 'isobox:request') return { path: specifier, external: true };
      const builtin = builtinName(specifier);
      if (builtin !== undefined) {
        return { path: `node:${builtin}`, external: true, sideEffects: false };
      }
      const { importer, resolveDir, kind, namespace } = from;
      const asked = { importer, resolveDir, kind, namespace, pluginData: { isAsked: true } };
      const found = await build.resolve(specifier, asked);
      // What cannot be found may be optional: the bundler knows.
      if (found.errors.length > 0) return undefined;
      const { path: file, external, sideEffects, suffix } = found;
      const marks = { isFree: !sideEffects };
      return {
        path: file,
        external,
        sideEffects,
        suffix,
        namespace: found.namespace,
        pluginData: marks,
      };
    });
    build.onLoad({ filter: /\.node$/ }, ({ path: file }) => ({
      contents: `import ${JSON.stringify(`node:${path.basename(file)}`)};`,
    }));
    build.onLoad({ filter: /\.m?js$/ }, async ({ path: file, pluginData }) => {
      if (!pluginData?.isFree) return undefined;
      return { contents: markPure(await fs.promises.readFile(file, 'utf8')), loader: 'js' };
    });
  },
};

/**
 * @param {typeof import('esbuild')} esbuild
 * @param {string} folder where the package is installed
 * @param {string} name
 * @returns {Promise<Prepared>}
 */
async function bundlePackage(esbuild, folder, name) {
  const entry = [
    // First, so that a package finds what it has changed in nothing that the driver uses.
    `import { drive } from ${JSON.stringify(DRIVER)};`,
    `import { ask, emit } from 'isobox:request';`,
    `import * as pkg from ${JSON.stringify(name)};`,
    'export default () => drive(pkg, ask, emit);',
  ];
  try {
    const built = await esbuild.build({
      stdin: { contents: entry.join('\n'), resolveDir: folder, sourcefile: 'isobox-entry.js' },
      absWorkingDir: folder,
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'neutral',
      mainFields: ['module', 'main'],
      conditions: ['node', 'import', 'module'],
      target: `node${process.versions.node}`,
      minifyWhitespace: true,
      minifySyntax: true,
      keepNames: false,
      logLevel: 'silent',
      define: Object.fromEntries(NODE_NAMES.map((one) => [one, NODE_NAME + one])),
      plugins: [forGuests],
    });
    const code = built.outputFiles[0].text;
    const reasons = reasonsIn(built.metafile, code);
    if (reasons.length > 0) return { way: 'process', reasons };
    return { way: 'isolate', code: requireFor(built.metafile) + code };
  } catch (error) {
    const [first] = /** @type {import('esbuild').BuildFailure} */ (error).errors ?? [];
    if (first === undefined) throw error;
    return { way: 'process', reasons: [`It cannot be bundled: ${first.text}`] };
  }
}

/**
 * @param {import('esbuild').Metafile} metafile
 * @returns {string} what comes before a bundle whose CommonJS modules require modules of Node
 */
function requireFor(metafile) {
  const [output] = Object.values(metafile.outputs);
  const required = output.imports.filter(({ kind }) => kind === 'require-call');
  const names = [...new Set(required.map(({ path: specifier }) => specifier))];
  if (names.length === 0) return '';
  const imports = names.map((name, i) => `import isoboxNode${i} from ${JSON.stringify(name)};`);
  const members = names.map((name, i) => `${JSON.stringify(name)}:isoboxNode${i}`);
  return `${imports.join('')}const require=(name)=>({${members.join()}})[name];\n`;
}

/**
 * @param {import('esbuild').Metafile} metafile
 * @param {string} code
 * @returns {string[]} why an isolate cannot run it; none when it can
 */
function reasonsIn(metafile, code) {
  const [output] = Object.values(metafile.outputs);
  const reasons = new Set();
  for (const { path: specifier } of output.imports) {
    const name = builtinName(specifier);
    if (name === undefined || IN_ISOLATES.includes(name)) continue;
    reasons.add(name.endsWith('.node') ? `It has native code: ${name}` : `It needs node:${name}`);
  }
  for (const name of NODE_NAMES) {
    if (code.includes(NODE_NAME + name)) reasons.add(`It uses ${name}`);
  }
  return [...reasons].slice(0, MAX_REASONS);
}

module.exports = { bundlePackage };
