'use strict';
// `web` of a request: which names a guest is given, checked, and the host's side of them.

const { checkBoolean, checkRecord, checkString, isRecord } = require('../checks/options.js');
const { readFetchRules } = require('./fetch-rules.js');
const { NODE_GLOBALS, NODE_MODULES, WEB_GLOBALS } = require('./names.js');
const { WebHost } = require('./web-host.js');

const WEB_KEYS = ['names', 'fetch', 'node', 'env'];
/** All that needs nothing of the host's network. */
const PURE_NAMES = Object.freeze(Object.keys(WEB_GLOBALS).filter((name) => name !== 'fetch'));
const MODULE_NAMES = Object.keys(NODE_MODULES).flatMap((name) => [name, `node:${name}`]);
const MAX_ENV_NAMES = 10_000;

/**
 * @param {unknown} value
 * @param {string} where
 */
function readNames(value, where) {
  if (!Array.isArray(value)) throw new TypeError(`${where} must be true or an array of names`);
  return value.map((name, i) => {
    if (name === 'fetch') {
      throw new TypeError(
        `${where}: 'fetch' needs to know where it may go: web: { names: [...], fetch: { origins: ['https://api.example.com'] } }`,
      );
    }
    if (!PURE_NAMES.includes(checkString(name, `${where}[${i}]`))) {
      throw new TypeError(`${where}[${i}]: '${name}' is none of ${PURE_NAMES.join(', ')}`);
    }
    return /** @type {string} */ (name);
  });
}

/**
 * @param {unknown} value
 * @param {string} where
 */
function readEnv(value, where) {
  if (value === undefined) return {};
  if (!isRecord(value)) throw new TypeError(`${where} must be an object of strings`);
  const entries = Object.entries(value);
  if (entries.length > MAX_ENV_NAMES) throw new RangeError(`${where} has too many names`);
  return Object.fromEntries(
    entries.map(([name, text]) => [name, checkString(text, `${where}.${name}`)]),
  );
}

/**
 * @param {unknown} value
 * @param {string} [where]
 * @returns {{ globals: string[], modules: string[], settings: object, host: InstanceType<typeof WebHost> } | undefined}
 */
function readWeb(value, where = 'request.web') {
  if (value === undefined || value === false) return undefined;
  const options = isRecord(value)
    ? checkRecord(value, where, WEB_KEYS)
    : { names: value === true ? undefined : value };
  const { node = false, env } = options;
  const hasNode = checkBoolean(node, `${where}.node`);
  if (env !== undefined && !hasNode) throw new TypeError(`${where}.env needs ${where}.node: true`);
  const names =
    options.names === undefined
      ? PURE_NAMES
      : readNames(options.names, isRecord(value) ? `${where}.names` : where);
  const rules =
    options.fetch === undefined ? undefined : readFetchRules(options.fetch, `${where}.fetch`);
  return {
    globals: [
      ...names,
      ...(rules === undefined ? [] : ['fetch']),
      ...(hasNode ? Object.keys(NODE_GLOBALS) : []),
    ],
    modules: hasNode ? MODULE_NAMES : [],
    settings: { env: readEnv(env, `${where}.env`), nodeVersion: process.version },
    host: new WebHost(rules),
  };
}

module.exports = { readWeb };
