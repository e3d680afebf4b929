'use strict';
// The parts of the guest library, as `npm run compile` made them.

const fs = require('node:fs');
const vm = require('node:vm');

const { LIBRARY_FILE } = require('./library-file.js');
const { NODE_GLOBALS, NODE_MODULES, WEB_GLOBALS } = require('./names.js');

/** @returns {{ name: string, source: string }[]} */
function readParts() {
  try {
    return JSON.parse(fs.readFileSync(LIBRARY_FILE, 'utf8')).parts;
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    throw new Error(
      `The guest library, which 'web' needs, cannot be read: ${message}. In a checkout, run: npm run compile`,
      { cause: error },
    );
  }
}

/**
 * Runs all parts in a realm of their own, so that what they compile while they start is in their code caches.
 *
 * @param {Map<string, vm.Script>} scripts
 */
function rehearse(scripts) {
  const context = vm.createContext(Object.create(null), {
    codeGeneration: { strings: false, wasm: false },
  });
  const load = (/** @type {string} */ name) => scripts.get(name)?.runInContext(context);
  const never = () => new Promise(() => {});
  const host = { now: () => 0, random: () => {}, setTimer: never, fetch: never };
  const provide = load('main')(load, host, { env: {}, nodeVersion: process.version });
  const globals = /** @type {Record<string, any>} */ ({});
  for (const name of Object.keys({ ...WEB_GLOBALS, ...NODE_GLOBALS })) {
    globals[name] = provide(name, false);
  }
  for (const name of Object.keys(NODE_MODULES)) provide(name, true);
  const { Headers, Request, Response, TextDecoder, TextEncoder, URL } = globals;
  // What most guests do first.
  const url = new URL('https://user:key@www.example.com:8080/a/../b?c=d&e=%20#f');
  url.searchParams.append('g', url.href);
  new TextDecoder().decode(new TextEncoder().encode('a\u00e9\u20ac'));
  new Headers({ accept: '*/*' }).get('accept');
  new Request(url.href, { method: 'POST', body: '{}' });
  new Response('{}').json();
  new globals.AbortController().abort();
  globals.clearTimeout(globals.setTimeout(() => {}, 1));
  globals.structuredClone({ a: [1, new Date(0)] });
  globals.atob(globals.btoa('ab'));
  globals.crypto.randomUUID();
  globals.Buffer.from('ab').toString('base64');
  provide('crypto', true).createHash('sha256').update('a').digest('hex');
}

/** @returns {{ name: string, source: string, cache: Buffer }[]} the parts with their code caches; throws when there are none */
function compileParts() {
  const parts = readParts();
  const scripts = new Map(
    parts.map(({ name, source }) => [
      name,
      new vm.Script(source, { filename: `isobox-internal:${name}` }),
    ]),
  );
  rehearse(scripts);
  return parts.map(({ name, source }) => {
    const cache = /** @type {vm.Script} */ (scripts.get(name)).createCachedData();
    return { name, source, cache };
  });
}

/** @returns {{ name: string, source: string }[]} the parts alone; none where they were not made */
const readPartsIfThere = () => (fs.existsSync(LIBRARY_FILE) ? readParts() : []);

module.exports = { compileParts, readPartsIfThere };
