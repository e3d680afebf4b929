'use strict';
// Bundles what guests may get of Web and Node APIs (guest/) into build/guest-library.json: `npm run compile` does it.
//
// Each part becomes one script; parts refer to each other by `part:<name>`. Packages are bundled here, once, so that
// those who install isobox need none of them.

const fs = require('node:fs');
const path = require('node:path');

const { LIBRARY_FILE } = require('../lib/web/library-file.js');
const { NODE_GLOBALS, NODE_MODULES, WEB_GLOBALS } = require('../lib/web/names.js');

const sources = path.join(__dirname, '..', 'guest');
/** Parts that only other parts ask for. */
const INNER_PARTS = ['hashes', 'idna'];
const PARTS = [
  ...new Set([
    'main',
    ...[WEB_GLOBALS, NODE_GLOBALS, NODE_MODULES].flatMap((names) => Object.values(names)),
    ...INNER_PARTS,
  ]),
];

const PARAMETERS = 'require,module,exports,host,settings,globalThis,SharedArrayBuffer';

/**
 * @param {string} part
 * @param {string} code a CommonJS module
 * @returns {string} a script whose value is a function
 */
function wrap(part, code) {
  if (part !== 'main') return `(function(${PARAMETERS}){${code}\n})`;
  return `(function(load,host,settings){const module={exports:{}};${code}\nreturn module.exports.default})`;
}

/**
 * Has packages for Node find the parts that stand in for its modules.
 *
 * @param {string} part
 * @returns {import('esbuild').Plugin}
 */
const partsPlugin = (part) => ({
  name: 'parts',
  setup(build) {
    build.onResolve({ filter: /^part:/ }, ({ path: name }) => ({ path: name, external: true }));
    // Legacy encodings of many bytes would be most of it, and few guests meet one.
    build.onResolve({ filter: /^@exodus\/bytes\/encoding\.js$/ }, () => ({
      path: require.resolve('@exodus/bytes/encoding-lite.js'),
    }));
    build.onResolve({ filter: /^tr46$/ }, ({ importer }) =>
      importer.includes('whatwg-url') ? { path: path.join(sources, 'tr46.mjs') } : undefined,
    );
    build.onResolve({ filter: /^(node:)?[a-z_]+\/?$/ }, ({ path: name, importer }) => {
      const home = /** @type {Record<string, string>} */ (NODE_MODULES)[
        name.replace(/^node:|\/$/g, '')
      ];
      if (home === undefined || home === part || !importer.includes('node_modules')) {
        return undefined;
      }
      return { path: `whole:${home}`, external: true };
    });
  },
});

/** @param {string} part */
async function bundle(part) {
  const esbuild = require('esbuild');
  const isNodePart = part.startsWith('node-') && !/^node-(buffer|events|process)$/.test(part);
  const injected =
    part === 'url' ? 'text-globals.mjs' : isNodePart ? 'node-globals.mjs' : undefined;
  const result = await esbuild.build({
    entryPoints: [path.join(sources, `${part}.mjs`)],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'neutral',
    target: 'es2022',
    charset: 'ascii',
    minify: true,
    keepNames: true,
    legalComments: 'none',
    metafile: true,
    mainFields: ['browser', 'module', 'main'],
    // @exodus/bytes is whole by itself where it expects no TextDecoder of the platform's.
    conditions: ['react-native'],
    define: { global: 'globalThis', 'process.env.NODE_ENV': '"production"' },
    inject: injected === undefined ? [] : [path.join(sources, injected)],
    plugins: [partsPlugin(part)],
    logLevel: 'error',
  });
  return {
    part: { name: part, source: wrap(part, result.outputFiles[0].text) },
    inputs: Object.keys(result.metafile.inputs),
  };
}

/**
 * @param {string[]} inputs files that were bundled
 * @returns {{ name: string, version: string, licence: string }[]} the packages they are of
 */
function packagesOf(inputs) {
  const roots = new Set(
    inputs.flatMap((file) => /^(node_modules\/.*?(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []),
  );
  return [...roots].sort().map((root) => {
    const directory = path.resolve(root);
    const { name, version } = JSON.parse(
      fs.readFileSync(path.join(directory, 'package.json'), 'utf8'),
    );
    const file = fs.readdirSync(directory).find((entry) => /^licen[cs]e/i.test(entry));
    const licence = file === undefined ? '' : fs.readFileSync(path.join(directory, file), 'utf8');
    return { name, version, licence };
  });
}

/** @returns {Promise<string>} the file */
async function buildGuestLibrary() {
  const bundles = await Promise.all(PARTS.map(bundle));
  const packages = packagesOf(bundles.flatMap(({ inputs }) => inputs));
  const library = { parts: bundles.map(({ part }) => part), packages };
  fs.mkdirSync(path.dirname(LIBRARY_FILE), { recursive: true });
  // Renamed into place: another process may be reading it.
  const passing = `${LIBRARY_FILE}.${process.pid}`;
  fs.writeFileSync(passing, JSON.stringify(library));
  fs.renameSync(passing, LIBRARY_FILE);
  return LIBRARY_FILE;
}

module.exports = { buildGuestLibrary };
