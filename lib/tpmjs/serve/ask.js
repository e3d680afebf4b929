'use strict';
// What a request asks for, checked.

const npa = require('npm-package-arg');

const { isRecord } = require('../../checks/options.js');
const { Failure } = require('../base/failures.js');

/**
 * @typedef {object} ToolAsk
 * @property {string} packageName
 * @property {string} spec a version, a range or a tag
 * @property {boolean} isExact
 * @property {string} name '' for a whole package
 * @property {Record<string, unknown>} params
 * @property {Record<string, string>} env
 */

/**
 * @param {Record<string, any>} body
 * @param {('name' | 'version')[]} needed beside packageName
 * @returns {ToolAsk}
 */
function readAsk(body, needed) {
  const required = ['packageName', ...needed];
  const missing = required.filter((field) => body[field] === undefined || body[field] === '');
  if (missing.length > 0) {
    throw new Failure('badRequest', `Missing required fields: ${missing.join(', ')}`);
  }
  const { packageName, version = 'latest', name = '', params = {}, env = {} } = body;
  for (const [field, value] of Object.entries({ packageName, version, name })) {
    if (typeof value !== 'string') throw new Failure('badRequest', `${field} must be a string`);
  }
  if (!isRecord(params)) throw new Failure('badRequest', 'params must be an object');
  if (!isRecord(env) || Object.values(env).some((value) => typeof value !== 'string')) {
    throw new Failure('badRequest', 'env must be an object of strings');
  }
  return { packageName, name, params, env, ...readSpec(packageName, version) };
}

/**
 * @param {string} packageName
 * @param {string} version
 */
function readSpec(packageName, version) {
  let parsed;
  try {
    parsed = npa.resolve(packageName, version.trim() || 'latest');
  } catch {
    throw new Failure('badRequest', `${packageName}@${version} is no package of a registry`);
  }
  if (!['version', 'range', 'tag'].includes(parsed.type) || parsed.name !== packageName) {
    throw new Failure('badRequest', `${packageName}@${version} is no package of a registry`);
  }
  const spec = String(parsed.fetchSpec);
  return { spec, isExact: parsed.type === 'version' };
}

module.exports = { readAsk };
