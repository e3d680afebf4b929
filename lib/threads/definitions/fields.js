'use strict';
// Reads the fields of a definition and collects everything that is wrong with them, each with its path.

const { isRecord } = require('../../checks/options.js');
const { ThreadError } = require('../base/errors.js');

/** @typedef {(value: any) => string | undefined} Rule says what a field must be when it is not */

const NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** @type {Record<string, Rule>} */
const rules = {
  text: (value) => (typeof value === 'string' ? undefined : 'must be a string'),
  filledText: (value) =>
    typeof value === 'string' && value.trim() !== '' ? undefined : 'must be a string with text',
  name: (value) =>
    typeof value === 'string' && NAME.test(value)
      ? undefined
      : 'must be a name of letters, digits, _ and -, such as support_agent',
  flag: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  count: (value) =>
    Number.isInteger(value) && value >= 1 ? undefined : 'must be a whole number of at least 1',
  amount: (value) =>
    typeof value === 'number' && value >= 0 ? undefined : 'must be a number of at least 0',
  action: (value) => (typeof value === 'function' ? undefined : 'must be a function'),
  record: (value) => (isRecord(value) ? undefined : 'must be an object'),
  texts: (value) =>
    Array.isArray(value) && value.every((one) => typeof one === 'string')
      ? undefined
      : 'must be an array of strings',
  textRecord: (value) =>
    isRecord(value) && Object.values(value).every((one) => typeof one === 'string')
      ? undefined
      : 'must be an object of strings',
};

/** @param {string[]} choices */
const oneOf = (choices) => (/** @type {any} */ value) =>
  choices.includes(value)
    ? undefined
    : `must be one of ${choices.map((one) => `'${one}'`).join(', ')}`;

class Fields {
  #problems;
  #value;
  #path;

  /**
   * @param {any} value
   * @param {string} path of the value, empty at the top
   * @param {string[]} problems where to put what is wrong
   */
  constructor(value, path, problems) {
    this.#value = isRecord(value) ? value : {};
    this.#path = path;
    this.#problems = problems;
    if (!isRecord(value)) this.problem('', 'must be an object');
  }

  /** @param {string} name */
  get(name) {
    return this.#value[name];
  }

  /**
   * @param {string} name of the field, empty for the value itself
   * @param {string} text
   */
  problem(name, text) {
    const path = [this.#path, name].filter((part) => part !== '').join('.');
    this.#problems.push(path === '' ? text : `${path} ${text}`);
  }

  /** @param {Record<string, Rule>} required */
  required(required) {
    for (const [name, rule] of Object.entries(required)) {
      const fault = rule(this.#value[name]);
      const text = this.#value[name] === undefined ? 'is missing' : fault;
      if (fault !== undefined) {
        this.problem(name, text === 'is missing' ? `is missing; it ${fault}` : fault);
      }
    }
    return this;
  }

  /** @param {Record<string, Rule>} optional */
  optional(optional) {
    for (const [name, rule] of Object.entries(optional)) {
      if (this.#value[name] === undefined) continue;
      const fault = rule(this.#value[name]);
      if (fault !== undefined) this.problem(name, fault);
    }
    return this;
  }

  /** @param {string[]} known */
  only(known) {
    for (const name of Object.keys(this.#value)) {
      if (!known.includes(name)) {
        this.problem(name, `is not known here; there are ${known.join(', ')}`);
      }
    }
    return this;
  }

  /** @param {string} name */
  inside(name) {
    const path = this.#path === '' ? name : `${this.#path}.${name}`;
    return new Fields(this.#value[name], path, this.#problems);
  }

  /**
   * @param {string} name
   * @param {(entry: any, fields: (value: any) => Fields, index: number) => void} read
   */
  each(name, read) {
    const list = this.#value[name];
    if (list === undefined) return;
    if (!Array.isArray(list)) {
      this.problem(name, 'must be an array');
      return;
    }
    list.forEach((entry, index) => {
      const path = `${this.#path === '' ? '' : `${this.#path}.`}${name}[${index}]`;
      read(entry, (value) => new Fields(value, path, this.#problems), index);
    });
  }
}

/**
 * @param {string} kind
 * @param {any} value
 * @param {(fields: Fields) => void} read
 */
function checkDefinition(kind, value, read) {
  /** @type {string[]} */
  const problems = [];
  read(new Fields(value, '', problems));
  throwProblems(kind, isRecord(value) ? (value.name ?? value.id) : undefined, problems);
}

/**
 * @param {string} kind
 * @param {unknown} name
 * @param {string[]} problems
 */
function throwProblems(kind, name, problems) {
  if (problems.length === 0) return;
  const called = typeof name === 'string' && name !== '' ? `${kind} '${name}'` : kind;
  throw new ThreadError(
    'ERR_ISOBOX_THREAD_DEFINITION',
    `The definition of ${called} is not valid:\n${problems.map((one) => `  - ${one}`).join('\n')}`,
  );
}

module.exports = { Fields, checkDefinition, oneOf, rules, throwProblems };
