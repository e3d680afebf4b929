'use strict';
// Endpoints of a developer's own, under the path of each thread: `GET /reports/:id` is at `/threads/<thread>/reports/<id>`.

const { throwProblems } = require('./fields.js');

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** What lies under a thread's path already. */
const THREAD_SECTIONS = Object.freeze([
  'continue',
  'cost',
  'effects',
  'fs',
  'kv',
  'logs',
  'messages',
  'stop',
  'stream',
  'subagents',
  'terminate',
  'variables',
]);

/**
 * @typedef {object} Endpoint
 * @property {string} name
 * @property {string} method
 * @property {string[]} segments those with a colon in front stand for anything
 * @property {Function} execute
 */

/**
 * @param {string} name such as `GET /reports/:id`
 * @param {{ execute: Function }} definition
 * @returns {Endpoint}
 */
function readEndpoint(name, { execute }) {
  const [, method = '', path = ''] = /^([A-Z]+) \/(\S+)$/.exec(name) ?? [];
  const segments = path.split('/');
  const problems = [];
  if (!METHODS.includes(method) || !segments.every((one) => /^:?[\w-][\w.-]*$/.test(one))) {
    problems.push(`its name must be a method and a path, such as 'GET /reports/:id'`);
  } else if (segments[0].startsWith(':') || THREAD_SECTIONS.includes(segments[0])) {
    problems.push(
      `its path must begin with a word of its own; these are taken: ${THREAD_SECTIONS.join(', ')}`,
    );
  }
  throwProblems('endpoint', name, problems);
  return { name, method, segments, execute };
}

/**
 * @param {Iterable<Endpoint>} endpoints
 * @param {string[]} segments of a path
 * @returns {{ endpoint: Endpoint, params: Record<string, string> }[]} those at that path, words ahead of placeholders
 */
function endpointsAt(endpoints, segments) {
  const found = [];
  for (const endpoint of endpoints) {
    if (endpoint.segments.length !== segments.length) continue;
    /** @type {Record<string, string>} */
    const params = {};
    const isHere = endpoint.segments.every((one, index) => {
      if (!one.startsWith(':')) return one === segments[index];
      params[one.slice(1)] = segments[index];
      return true;
    });
    if (isHere) found.push({ endpoint, params });
  }
  return found.sort((a, b) => Object.keys(a.params).length - Object.keys(b.params).length);
}

module.exports = { THREAD_SECTIONS, endpointsAt, readEndpoint };
