'use strict';
// The guest library of this process: read and compiled when a run first asks for it.

const fs = require('node:fs');
const vm = require('node:vm');

const { native } = require('../native.js');
const { LIBRARY_FILE } = require('./library-file.js');
const { NODE_GLOBALS, NODE_MODULES, WEB_GLOBALS } = require('./names.js');

let isInstalled = false;

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

/** Has guests find the library. Throws when there is none. */
function installLibrary() {
  if (isInstalled) return;
  const parts = readParts();
  const scripts = new Map(
    parts.map(({ name, source }) => [
      name,
      new vm.Script(source, { filename: `isobox-internal:${name}` }),
    ]),
  );
  rehearse(scripts);
  native.installLibrary(
    parts.map(({ name, source }) => {
      const cache = /** @type {vm.Script} */ (scripts.get(name)).createCachedData();
      return { name, source, cache };
    }),
  );
  isInstalled = true;
}

/** For a process that cannot know whether its guests will ask for it. */
function installLibraryIfThere() {
  if (fs.existsSync(LIBRARY_FILE)) installLibrary();
}

module.exports = { installLibrary, installLibraryIfThere };
