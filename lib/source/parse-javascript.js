'use strict';

/**
 * Guest source as a syntax tree, from acorn. A guest is either an ES module or the body of an async
 * function; a body is parsed between the very brackets that V8 will see, and must end where they
 * end: text that closes the function and goes on behind it is a syntax error, not a program.
 *
 * @typedef {'module' | 'body'} Goal
 * @typedef {{ statements: import('acorn').AnyNode[], offset: number }} Program
 *   `offset` is the place of the text's first character in the positions of the nodes.
 * @typedef {{ reason: string, offset: number, isTooDeep: boolean }} ParseFailure
 */

const { BoundedParser } = require('./bounded-parser.js');

const BODY_PREFIX = 'async()=>{';
const BODY_SUFFIX = '\n}';

/**
 * @param {string} text
 * @param {Goal} goal
 * @returns {{ program: Program, failure: null } | { program: null, failure: ParseFailure }}
 */
function parseJavaScript(text, goal) {
  try {
    return { program: goal === 'module' ? parseModule(text) : parseBody(text), failure: null };
  } catch (error) {
    return { program: null, failure: describeFailure(/** @type {any} */ (error), text, goal) };
  }
}

/**
 * @param {string} text a body between its brackets, after it was printed anew
 * @returns {{ inside: { start: number, end: number }, failure: null }
 *   | { inside: null, failure: ParseFailure }}
 */
function findBody(text) {
  try {
    return { inside: parseFunction(text), failure: null };
  } catch (error) {
    return { inside: null, failure: describeFailure(/** @type {any} */ (error), text, 'module') };
  }
}

/**
 * @param {string} text
 * @returns {Program}
 */
function parseModule(text) {
  const tree = BoundedParser.parse(text, { ecmaVersion: 'latest', sourceType: 'module' });
  return { statements: tree.body, offset: 0 };
}

/**
 * @param {string} text
 * @returns {Program}
 */
function parseBody(text) {
  const { statements } = parseFunction(BODY_PREFIX + text + BODY_SUFFIX);
  return { statements, offset: BODY_PREFIX.length };
}

/**
 * @param {string} text one async arrow function, as what was a body looks between its brackets
 * @returns {{ statements: import('acorn').AnyNode[], start: number, end: number }} its inside
 */
function parseFunction(text) {
  const tree = BoundedParser.parse(text, {
    ecmaVersion: 'latest',
    sourceType: 'script',
    // `export default` is a courtesy that the caller rewrites; V8 refuses all that is left.
    allowImportExportEverywhere: true,
  });
  const [first] = tree.body;
  const whole = first?.type === 'ExpressionStatement' ? first.expression : null;
  const body = whole?.type === 'ArrowFunctionExpression' ? whole.body : null;
  if (body?.type !== 'BlockStatement' || tree.body.length > 1) throw endsEarly(tree);
  return { statements: body.body, start: body.start + 1, end: body.end - 1 };
}

/**
 * @param {import('acorn').Program} tree
 * @returns {SyntaxError} at the bracket that closes the first function before the text ends
 */
function endsEarly(tree) {
  let end = 1;
  for (const { node } of eachNode(tree.body)) {
    if (node.start === 0 && node.type === 'ArrowFunctionExpression') end = node.end;
  }
  return Object.assign(new SyntaxError('Unexpected token'), { pos: end - 1 });
}

/**
 * The object literal that a text consists of, if it does.
 *
 * @param {string} text
 * @returns {import('acorn').AnyNode | null} with positions in the text
 */
function parseLoneObject(text) {
  const start = text.search(/\S/);
  if (text[start] !== '{') return null;
  try {
    const options = /** @type {const} */ ({
      ecmaVersion: 'latest',
      allowAwaitOutsideFunction: true,
    });
    const node = BoundedParser.parseExpressionAt(text, start, options);
    if (node.type !== 'ObjectExpression') return null;
    const rest = BoundedParser.parse(text.slice(node.end), options);
    return rest.body.every((statement) => statement.type === 'EmptyStatement') ? node : null;
  } catch {
    return null;
  }
}

/**
 * @param {{ name?: string, message: string, pos?: number }} error from acorn, or a RangeError of
 *   the stack
 * @param {string} text
 * @param {Goal} goal
 * @returns {ParseFailure}
 */
function describeFailure(error, text, goal) {
  const isTooDeep = error.pos === undefined || error.message.startsWith('Not enough stack');
  const position = (error.pos ?? 0) - (goal === 'body' ? BODY_PREFIX.length : 0);
  const offset = Math.min(Math.max(position, 0), text.length);
  const reason = error.message.replace(/ \(\d+:\d+\)$/, '');
  return {
    reason: reason === 'Unexpected token' ? nameToken(text, offset) : reason,
    isTooDeep,
    offset,
  };
}

/**
 * @param {string} text
 * @param {number} offset
 * @returns {string} what V8 says about a token that cannot stand where it stands
 */
function nameToken(text, offset) {
  const token = /[\p{ID_Continue}$]+|\S/uy;
  token.lastIndex = offset;
  const found = token.exec(text)?.[0];
  return found === undefined ? 'Unexpected end of input' : `Unexpected token '${found}'`;
}

/**
 * Every node of a syntax tree, parents first. Iterative: an expression may be nested deeper than
 * the stack is.
 *
 * @param {import('acorn').AnyNode[]} roots
 * @returns {Generator<{ node: any, parent: any, key: string }>}
 */
function* eachNode(roots) {
  const pending = roots.map((node) => ({
    node: /** @type {any} */ (node),
    parent: /** @type {any} */ (null),
    key: '',
  }));
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    yield next;
    const { node } = next;
    for (const key of Object.keys(node)) {
      const value = node[key];
      for (const child of Array.isArray(value) ? value : [value]) {
        if (typeof child?.type === 'string') pending.push({ node: child, parent: node, key });
      }
    }
  }
}

module.exports = { parseJavaScript, findBody, parseLoneObject, eachNode, BODY_PREFIX, BODY_SUFFIX };
