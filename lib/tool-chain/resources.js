'use strict';
// What can be read about a tool chain, by address.

const { ToolCallError } = require('./backend-errors.js');
const { readResult } = require('./read-result.js');
const { backendView, briefView } = require('./tool-views.js');

/** @typedef {{ uri: string, name: string, description: string, mimeType: string }} Resource */

const TEMPLATES = Object.freeze([
  {
    uriTemplate: 'isobox://backend/{name}',
    name: 'backend',
    description: 'State and tools of one backend.',
    mimeType: 'application/json',
  },
  {
    uriTemplate: 'isobox://results/{id}{?offset,limit,pointer,search}',
    name: 'result',
    description:
      'The whole output of a call of which parts were left out: a range of bytes, the part that a JSON pointer names, ' +
      'or the places where a text occurs.',
    mimeType: 'text/plain',
  },
]);

class Resources {
  #registry;
  #results;
  #stats;

  /**
   * @param {object} parts
   * @param {InstanceType<typeof import('./registry.js').Registry>} parts.registry
   * @param {InstanceType<typeof import('./results-store.js').ResultsStore>} parts.results
   * @param {InstanceType<typeof import('./chain-stats.js').ChainStats>} parts.stats
   */
  constructor({ registry, results, stats }) {
    this.#registry = registry;
    this.#results = results;
    this.#stats = stats;
  }

  /** @returns {Resource[]} */
  list() {
    const json = 'application/json';
    return [
      { uri: 'isobox://backends', name: 'backends', description: 'All backends.', mimeType: json },
      {
        uri: 'isobox://stats',
        name: 'stats',
        description: 'Requests so far, and how much of their outputs was shown.',
        mimeType: json,
      },
      ...this.#registry.backends.map(({ name }) => ({
        uri: `isobox://backend/${encodeURIComponent(name)}`,
        name: `backend ${name}`,
        description: `State and tools of ${name}.`,
        mimeType: json,
      })),
      ...this.#results.list().map(({ id, bytes }) => ({
        uri: `isobox://results/${id}`,
        name: `result ${id}`,
        description: `The whole output of a call, ${bytes} bytes.`,
        mimeType: 'text/plain',
      })),
    ];
  }

  /**
   * @param {string} uri
   * @returns {Promise<{ uri: string, mimeType: string, text: string }>}
   * @throws {ToolCallError} for what is not there
   */
  async read(uri) {
    const url = URL.canParse(uri) ? new URL(uri) : undefined;
    if (url?.protocol === 'isobox:') {
      const name = decodeName(url.pathname.slice(1));
      if (url.host === 'backends') return jsonOf(uri, this.#registry.backends.map(backendView));
      if (url.host === 'stats') return jsonOf(uri, this.#stats.view());
      if (url.host === 'backend') return jsonOf(uri, this.#describeBackend(name));
      if (url.host === 'results') {
        const text = await readResult(this.#results.get(name), optionsOf(url.searchParams));
        return { uri, mimeType: 'text/plain', text };
      }
    }
    throw new ToolCallError(
      `There is no resource ${uri}. There are isobox://backends, isobox://backend/{name}, isobox://results/{id} and ` +
        'isobox://stats',
    );
  }

  /** @param {string} name */
  #describeBackend(name) {
    const backend = this.#registry.findBackend(name);
    if (backend === undefined) throw new ToolCallError(`There is no backend '${name}'`);
    const tools = backend.tools.map((tool) => briefView({ backend, tool }));
    return { ...backendView(backend), tools };
  }
}

/** @param {string} text */
function decodeName(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param {URLSearchParams} parameters */
function optionsOf(parameters) {
  const numbers = ['offset', 'limit'];
  return Object.fromEntries(
    [...parameters].map(([name, value]) => [name, numbers.includes(name) ? Number(value) : value]),
  );
}

/**
 * @param {string} uri
 * @param {object} value
 */
function jsonOf(uri, value) {
  return { uri, mimeType: 'application/json', text: JSON.stringify(value, null, 2) };
}

module.exports = { Resources, TEMPLATES };
