'use strict';
// The bridge as guests have it: backends as objects of async functions, and what tells about them.

const { findTools } = require('./find-tools.js');
const { installAll, installBackends, makeParts } = require('./guest-bridge-parts.js');

/** @typedef {InstanceType<typeof import('./registry.js').Registry>} Registry */
/** @typedef {{ call: (input: any) => Promise<string>, readResult: (input: any) => Promise<string> }} BridgeHost */

/**
 * @typedef {object} Bridge
 * @property {Pick<import('../../types/index.js').RunRequest, 'source' | 'namespaces' | 'globals'>} request for the pool
 * @property {(at: { line: number, column: number }) => { line: number, column: number } | undefined} place in the
 *   guest's own code, for one in the source that runs; undefined for a place in the bridge
 */

/** Names on a guest's global object that are gone before its code runs. */
const KEYS = Object.freeze({
  host: 'isobox:host',
  names: 'isobox:names',
  interfaces: 'isobox:interfaces',
});
/** Of a call's input as JSON. It is rebuilt on the loop. */
const MAX_INPUT_CHARS = 4 * 2 ** 20;

/** @param {Function} part @returns {string} its text in one line, so that no line of the guest's moves */
const inOneLine = (part) =>
  String(part)
    .replace(/\/\*\*[^]*?\*\/\s*/g, '')
    .replace(/\s*\n\s*/g, ' ');

const PARTS = `(${inOneLine(makeParts)})(${MAX_INPUT_CHARS})`;
const FULL_PREFIX =
  `return(${inOneLine(installAll)})(globalThis,${JSON.stringify(KEYS)},${PARTS},` +
  `${inOneLine(findTools)})(async()=>{`;
const SMALL_PREFIX = `return(${inOneLine(installBackends)})(globalThis,${JSON.stringify(KEYS)},${PARTS})(async()=>{`;
const SUFFIX = '\n})';

/**
 * Code that can name anything else of the bridge than a backend, or reach the global object. Code cannot be made from
 * text, so all that it refers to is written in it.
 */
const NEEDS_ALL = /__|\\u|globalThis|this|require|process|module|exports|Buffer/;

/** A member's whole name, if it is ASCII. */
const MEMBER = /^\s*(?:\?\.|\.)\s*([\w$]+)(?![\w$]|[^\0-\x7f])/;
/** Of these, code that can reach what tells about tools: their schemas are long. */
const NEEDS_INTERFACES = /__interfaces|__getToolInterface|\\u|globalThis|this/;

/**
 * Most code names a backend or two and nothing else: a fresh isolate starts noticeably sooner with those alone.
 *
 * @param {string} body of the async function that is the guest's program
 * @param {Registry} registry
 * @param {BridgeHost} host
 * @returns {Bridge}
 */
function bridge(body, registry, host) {
  const named = registry.backends.filter(({ safeName }) => body.includes(safeName));
  if (NEEDS_ALL.test(body) || named.some(({ isListed }) => !isListed)) {
    const { names, interfaces } = registry.guestTexts();
    return makeBridge(FULL_PREFIX, body, host, {
      [KEYS.names]: names,
      [KEYS.interfaces]: NEEDS_INTERFACES.test(body) ? interfaces : '{}',
    });
  }
  const names = named.map((backend) =>
    registry.guestNames(backend, membersOf(body, backend.safeName)),
  );
  return makeBridge(SMALL_PREFIX, body, host, { [KEYS.names]: `[${names.join()}]` });
}

/**
 * @param {string} body
 * @param {string} name an identifier
 * @returns {Set<string> | undefined} what follows it behind a dot; undefined where it stands in any other way
 */
function membersOf(body, name) {
  const [, ...behind] = body.split(
    new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`),
  );
  /** @type {Set<string>} */
  const members = new Set();
  for (const text of behind) {
    const member = MEMBER.exec(text)?.[1];
    if (member === undefined) return undefined;
    members.add(member);
  }
  return members;
}

/**
 * @param {string} prefix
 * @param {string} body
 * @param {BridgeHost} host
 * @param {Record<string, string>} globals
 * @returns {Bridge}
 */
function makeBridge(prefix, body, host, globals) {
  return {
    request: {
      source: prefix + body + SUFFIX,
      namespaces: { [KEYS.host]: host },
      globals,
    },
    place({ line, column }) {
      if (line !== 1) return { line, column };
      return column > prefix.length ? { line, column: column - prefix.length } : undefined;
    },
  };
}

module.exports = { bridge };
