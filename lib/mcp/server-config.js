'use strict';
// The usual `mcpServers` form: which servers there are, and how they are reached.

const fs = require('node:fs');

const { isRecord } = require('../checks/options.js');

/**
 * @typedef {object} StdioServer
 * @property {string} name
 * @property {string} command
 * @property {string[]} args
 * @property {Record<string, string>} [env] beside the few variables every server gets
 * @property {string} [cwd]
 */

/**
 * @typedef {object} HttpServer
 * @property {string} name
 * @property {URL} url
 * @property {Record<string, string>} headers
 */

/** @typedef {StdioServer | HttpServer} ConfiguredServer */

const HTTP_TYPES = ['http', 'streamable-http', 'streamableHttp'];

/**
 * @param {string} file
 * @returns {ConfiguredServer[]} without those that are `disabled`
 * @throws {Error} with a message that names the file and the place in it
 */
function readServerConfig(file) {
  const { mcpServers } = readConfigFile(file);
  return Object.entries(mcpServers).map(([name, entry]) =>
    readServerEntry(name, entry, `${file}: mcpServers.${name}`),
  );
}

/**
 * @param {string} file
 * @returns {Record<string, any> & { mcpServers: Record<string, any> }} whose servers are those that are not `disabled`
 * @throws {Error} with a message that names the file and the place in it
 */
function readConfigFile(file) {
  const config = parse(read(file), file);
  if (!isRecord(config) || !isRecord(config.mcpServers)) {
    throw new Error(`${file} needs an object "mcpServers": { "mcpServers": { "name": { … } } }`);
  }
  const servers = Object.entries(config.mcpServers).filter(
    ([, entry]) => !isRecord(entry) || entry.disabled !== true,
  );
  if (servers.length === 0) throw new Error(`${file} has no servers in "mcpServers"`);
  return { ...config, mcpServers: Object.fromEntries(servers) };
}

/** @param {string} file */
function read(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`Cannot read ${file}: ${/** @type {Error} */ (error).message}`, {
      cause: error,
    });
  }
}

/**
 * @param {string} text
 * @param {string} file
 */
function parse(text, file) {
  try {
    // Editors of some systems put a byte order mark in front.
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new Error(`${file} is not JSON: ${/** @type {Error} */ (error).message}`, {
      cause: error,
    });
  }
}

/**
 * Names that only other clients know are let through.
 *
 * @param {string} name
 * @param {unknown} entry
 * @param {string} where
 * @returns {ConfiguredServer}
 */
function readServerEntry(name, entry, where) {
  if (!isRecord(entry)) throw new Error(`${where} must be an object`);
  const { type, command, url } = entry;
  if ((command === undefined) === (url === undefined)) {
    throw new Error(`${where} needs either a "command" or a "url"`);
  }
  if (command !== undefined) {
    if (type !== undefined && type !== 'stdio') {
      throw new Error(`${where} has a "command", so its "type" can only be "stdio"`);
    }
    return readStdioServer(name, entry, where);
  }
  if (type !== undefined && !HTTP_TYPES.includes(type)) {
    throw new Error(`${where} has a "url", which is reached by streamable HTTP: "type": "http"`);
  }
  return readHttpServer(name, entry, where);
}

/**
 * @param {string} name
 * @param {Record<string, unknown>} entry
 * @param {string} where
 * @returns {StdioServer}
 */
function readStdioServer(name, { command, args = [], env, cwd }, where) {
  if (typeof command !== 'string' || command === '') {
    throw new Error(`${where}.command must be the name of a program`);
  }
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string')) {
    throw new Error(`${where}.args must be an array of strings`);
  }
  if (cwd !== undefined) checkDirectory(cwd, `${where}.cwd`);
  return {
    name,
    command,
    args,
    ...(env !== undefined && { env: readStrings(env, `${where}.env`) }),
    ...(cwd !== undefined && { cwd: /** @type {string} */ (cwd) }),
  };
}

/**
 * @param {string} name
 * @param {Record<string, unknown>} entry
 * @param {string} where
 * @returns {HttpServer}
 */
function readHttpServer(name, { url, headers = {} }, where) {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new Error(`${where}.url must be an http or https address`);
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new Error(
      `${where}.url must have no user name and password: give an Authorization header in "headers"`,
    );
  }
  return { name, url: parsed, headers: readStrings(headers, `${where}.headers`) };
}

/**
 * A spawn would only say that the program was not found.
 *
 * @param {unknown} cwd
 * @param {string} where
 */
function checkDirectory(cwd, where) {
  if (typeof cwd !== 'string' || !fs.statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`${where} must be a directory that exists`);
  }
}

/**
 * @param {unknown} value
 * @param {string} where
 * @returns {Record<string, string>}
 */
function readStrings(value, where) {
  if (!isRecord(value) || !Object.values(value).every((one) => typeof one === 'string')) {
    throw new Error(`${where} must be an object of strings`);
  }
  return value;
}

module.exports = { readConfigFile, readServerConfig, readServerEntry };
