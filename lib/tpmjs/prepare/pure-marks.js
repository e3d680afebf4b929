'use strict';
// Tells the bundler which variables of a module it may leave out when nobody uses them. Packages that say of themselves that
// loading them has no side effects mean just that, but a bundler believes it for whole modules only: it keeps every schema and
// table that a large library builds when it loads, and a fresh isolate would build them for every call.

const acorn = require('acorn');

/** What has to be computed; functions and literals are left out by themselves. */
const BUILT = new Set([
  'ArrayExpression',
  'BinaryExpression',
  'CallExpression',
  'ClassExpression',
  'ConditionalExpression',
  'LogicalExpression',
  'MemberExpression',
  'NewExpression',
  'ObjectExpression',
  'TaggedTemplateExpression',
  'TemplateLiteral',
]);

/**
 * @param {string} source of an ES module in a package without side effects
 * @returns {string} the same program, with the values of its variables marked
 */
function markPure(source) {
  /** @type {acorn.Program} */
  let program;
  try {
    program = acorn.parse(source, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      allowHashBang: true,
    });
  } catch {
    // The bundler says what is wrong with it.
    return source;
  }
  /** @type {Edit[]} */
  const edits = [];
  const members = functionsOfClasses(program);
  for (const statement of program.body) {
    const declared =
      statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declared?.type === 'ClassDeclaration') {
      const { name } = declared.id;
      const moved = members.get(name) ?? [];
      const texts = moved.map(({ start, end }) => `${source.slice(start, end)};`);
      edits.push([declared.start, declared.start, `let ${name} = /* @__PURE__ */ (() => { `]);
      edits.push([declared.end, declared.end, ` ${texts.join(' ')} return ${name}; })();`]);
      for (const { start, end } of moved) edits.push([start, end, '']);
    }
    if (declared?.type !== 'VariableDeclaration') continue;
    for (const { id, init } of declared.declarations) {
      if (id.type !== 'Identifier' || !init || !BUILT.has(init.type)) continue;
      const text = source.slice(init.start, init.end);
      if (/\bawait\b/.test(text) && !isSynchronous(text)) continue;
      // A class without a name takes that of its variable.
      const isUnnamed = init.type === 'ClassExpression' && !init.id;
      const [begin, end] = isUnnamed
        ? [`{ let ${id.name} = `, `; return ${id.name}; }`]
        : ['(', ')'];
      edits.push([init.start, init.start, `/* @__PURE__ */ (() => ${begin}`]);
      edits.push([init.end, init.end, `${end})()`]);
    }
  }
  return replaceAll(source, edits);
}

/**
 * @param {acorn.Program} program
 * @returns {Map<string, acorn.ExpressionStatement[]>} `Name.member = () => …;` behind a class `Name`: functions that the class
 *   is given later, which would keep it, and which may as well be given at once
 */
function functionsOfClasses(program) {
  /** @type {Map<string, acorn.ExpressionStatement[]>} */
  const found = new Map();
  const hoisted = new Set(
    program.body.map((one) => (one.type === 'FunctionDeclaration' ? one.id.name : undefined)),
  );
  for (const statement of program.body) {
    const declared =
      statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declared?.type === 'ClassDeclaration') found.set(declared.id.name, []);
    if (statement.type !== 'ExpressionStatement') continue;
    const { expression } = statement;
    if (expression.type !== 'AssignmentExpression' || expression.operator !== '=') continue;
    const { left, right } = expression;
    const isMember =
      left.type === 'MemberExpression' && !left.computed && left.object.type === 'Identifier';
    const isFunction =
      ['ArrowFunctionExpression', 'FunctionExpression'].includes(right.type) ||
      (right.type === 'Identifier' && hoisted.has(right.name));
    if (isMember && isFunction) {
      found.get(/** @type {acorn.Identifier} */ (left.object).name)?.push(statement);
    }
  }
  return found;
}

/** @typedef {[start: number, end: number, text: string]} Edit */

/**
 * @param {string} source
 * @param {Edit[]} edits not overlapping
 */
function replaceAll(source, edits) {
  const pieces = [];
  let done = 0;
  for (const [start, end, text] of [...edits].sort(([a], [b]) => a - b)) {
    pieces.push(source.slice(done, start), text);
    done = end;
  }
  return pieces.join('') + source.slice(done);
}

/** @param {string} expression whether it awaits only in functions of its own */
function isSynchronous(expression) {
  try {
    acorn.parse(`(() => (${expression}))`, { ecmaVersion: 'latest', sourceType: 'module' });
    return true;
  } catch {
    return false;
  }
}

module.exports = { markPure };
