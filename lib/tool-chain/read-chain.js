'use strict';
// Which way a request goes: the cheapest that gives the answer the code would give if it were run.

const { isRecord } = require('../checks/options.js');
const { stripFences } = require('../source/fences.js');
const { parseJavaScript } = require('../source/parse-javascript.js');
const { literalValue } = require('./literal-value.js');

/**
 * @typedef {{ kind: 'direct', tool: string, input: unknown }} DirectCall a call written as JSON
 * @typedef {{ kind: 'call', path: [backend: string, tool: string], input: unknown }} SingleCall code that is one call
 * @typedef {{ kind: 'interfaces' } | { kind: 'interface', name: string }} Introspection
 * @typedef {{ kind: 'code' }} Code all the rest
 * @typedef {DirectCall | SingleCall | Introspection | Code} Chain
 */

/** Longer code is not one call; parsing it would only take the loop's time. */
const MAX_CALL_CHARS = 8192;
const CODE = Object.freeze({ kind: 'code' });

/**
 * @param {string} code
 * @returns {Chain}
 */
function readChain(code) {
  return readDirectCall(code) ?? readStatements(code) ?? /** @type {Code} */ (CODE);
}

/** @param {string} code */
function readDirectCall(code) {
  const call =
    parseRecord(code) ?? (code.includes('```') ? parseRecord(stripFences(code).code) : undefined);
  if (typeof call?.tool !== 'string') return undefined;
  return /** @type {DirectCall} */ ({ kind: 'direct', tool: call.tool, input: call.arguments });
}

/** @param {string} text */
function parseRecord(text) {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const value = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} code
 * @returns {SingleCall | Introspection | undefined}
 */
function readStatements(code) {
  if (code.length > MAX_CALL_CHARS) return undefined;
  const { program } = parseJavaScript(stripFences(code).code, 'body');
  if (program === null) return undefined;
  const statements = /** @type {any[]} */ (program.statements).filter(
    (one) => one.type !== 'EmptyStatement',
  );
  const variable = statements.length === 2 ? readVariable(statements[0]) : undefined;
  if (variable !== undefined) {
    const result = withoutAwait(resultOf(statements[1]));
    if (result?.type !== 'Identifier' || result.name !== variable.name) return undefined;
    return readExpression(variable.init, variable.name);
  }
  return statements.length === 1 ? readExpression(resultOf(statements[0])) : undefined;
}

/** @param {any} statement */
function readVariable({ type, declarations }) {
  if (type !== 'VariableDeclaration' || declarations.length !== 1) return undefined;
  const [{ id, init }] = declarations;
  return id.type === 'Identifier' && init ? { name: id.name, init } : undefined;
}

/** @param {any} statement what its value is the result: a last expression as well as a return */
function resultOf(statement) {
  if (statement.type === 'ReturnStatement') return statement.argument;
  return statement.type === 'ExpressionStatement' ? statement.expression : null;
}

/** @param {any} node @returns {any} */
function withoutAwait(node) {
  return node?.type === 'AwaitExpression' ? withoutAwait(node.argument) : node;
}

/**
 * @param {any} expression
 * @param {string} [variable] what the code calls its result: it hides a backend of that name
 * @returns {SingleCall | Introspection | undefined}
 */
function readExpression(expression, variable) {
  const node = withoutAwait(expression);
  if (node?.type === 'Identifier' && node.name === '__interfaces') return { kind: 'interfaces' };
  if (node?.type !== 'CallExpression' || node.optional || node.arguments.length > 1) {
    return undefined;
  }
  const [argument] = node.arguments;
  const input = argument === undefined ? { value: undefined } : literalValue(argument);
  if (input === undefined) return undefined;
  const { callee } = node;
  if (callee.type === 'Identifier') {
    const isLookup = callee.name === '__getToolInterface' && typeof input.value === 'string';
    return isLookup ? { kind: 'interface', name: input.value } : undefined;
  }
  const steps = readPath(callee);
  if (steps === undefined || steps[0] === variable) return undefined;
  const path = ['globalThis', '__backends'].includes(steps[0]) ? steps.slice(1) : steps;
  if (path.length !== 2) return undefined;
  return { kind: 'call', path: [path[0], path[1]], input: input.value };
}

/**
 * @param {any} node `a.b.c`, also written `a["b"].c`
 * @returns {string[] | undefined}
 */
function readPath(node) {
  if (node.type === 'Identifier') return [node.name];
  if (node.type !== 'MemberExpression' || node.optional) return undefined;
  const { object, property, computed } = node;
  const step = computed ? literalValue(property)?.value : property.name;
  const before = typeof step === 'string' ? readPath(object) : undefined;
  return before && [...before, step];
}

module.exports = { readChain };
