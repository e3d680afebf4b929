'use strict';

/**
 * TypeScript with JSX, by sucrase: elements become `React.createElement(…)` calls, or what the
 * pragmas of the source say: `@jsx` and `@jsxFrag`, or `@jsxRuntime automatic` and
 * `@jsxImportSource`. Line breaks stay, columns come back through a source map. Two things that
 * sucrase does not get right are refused instead.
 *
 * @typedef {{ reason: string, line: number, column: number }} JsxDiagnostic
 * @typedef {{ output: { code: string, map: string }, diagnostic: null }
 *   | { output: null, diagnostic: JsxDiagnostic }} JsxResult
 */

const { positionAt } = require('./text-lines.js');

/**
 * Sucrase goes one level deeper with a token at most, and takes up to 1.3 KB of stack for it: with
 * so many tokens it stays far from the end of a worker's stack, where a regular expression that is
 * compiled ends the process.
 */
const MAX_TOKENS = 20_000;
/** Declares something at run time, which sucrase drops silently. */
const NAMESPACE = /^[ \t]*(?:export[ \t]+)?(?:namespace|module)[ \t]+[\w$.]+\s*\{/m;
/** What begins a statement, and continues that of the line before if it has no semicolon. */
const CONTINUATION = '([`+-/';

/**
 * Only for threads with a large stack.
 *
 * @param {string} source
 * @param {{ filename: string }} options
 * @returns {JsxResult}
 */
function transformJsx(source, { filename }) {
  const namespace = NAMESPACE.exec(source);
  if (namespace !== null) {
    return refuse(source, namespace.index, 'Namespaces are not supported in files with JSX');
  }
  if ((source.match(/\w+|[^\s\w]/g) ?? []).length > MAX_TOKENS) {
    return refuse(source, 0, `Files with JSX are limited to ${MAX_TOKENS} tokens`);
  }
  const transform = loadSucrase();
  if (transform === undefined) {
    return refuse(source, 0, 'Files with JSX need the package sucrase: npm install sucrase');
  }
  let result;
  try {
    result = transform(source, {
      transforms: ['typescript', 'jsx'],
      disableESTransforms: true,
      production: true,
      ...readPragmas(source),
      filePath: filename,
      sourceMapOptions: { compiledFilename: filename },
    });
  } catch (error) {
    return readError(/** @type {any} */ (error));
  }
  const merged = findMergedStatement(source, result.code);
  if (merged !== null) {
    const reason =
      'Ambiguous without a semicolon: end the statement before the erased type with one';
    return { output: null, diagnostic: { reason, ...merged } };
  }
  return {
    output: { code: result.code, map: JSON.stringify(result.sourceMap) },
    diagnostic: null,
  };
}

/** @returns {typeof import('sucrase').transform | undefined} undefined when this optional package is not installed */
function loadSucrase() {
  try {
    return require('sucrase').transform;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'MODULE_NOT_FOUND') throw error;
    return undefined;
  }
}

/**
 * @param {string} source
 * @returns {Partial<import('sucrase').Options>} what its comments say about the code for elements
 */
function readPragmas(source) {
  const read = (/** @type {string} */ name) =>
    new RegExp(`@${name}[ \\t]+([\\w$./@-]+)`).exec(source)?.[1];
  const importSource = read('jsxImportSource');
  if (importSource !== undefined || read('jsxRuntime') === 'automatic') {
    return { jsxRuntime: 'automatic', jsxImportSource: importSource ?? 'react' };
  }
  const factory = read('jsx') ?? 'React.createElement';
  return { jsxPragma: factory, jsxFragmentPragma: read('jsxFrag') ?? 'React.Fragment' };
}

/**
 * @param {string} source
 * @param {number} offset
 * @param {string} reason
 * @returns {JsxResult}
 */
function refuse(source, offset, reason) {
  return { output: null, diagnostic: { reason, ...positionAt(source, offset) } };
}

/**
 * @param {{ message: string, loc?: { line: number, column: number } }} error
 * @returns {JsxResult}
 */
function readError(error) {
  if (error.loc === undefined) throw error;
  const reason = error.message
    .replace(/^Error transforming .*?: /s, '')
    .replace(/ \(\d+:\d+\)$/, '');
  return { output: null, diagnostic: { reason, line: error.loc.line, column: error.loc.column } };
}

/**
 * The first line that sucrase made part of the statement before it, by erasing a declaration in
 * between together with its semicolon.
 *
 * @param {string} source
 * @param {string} code with the same lines
 * @returns {{ line: number, column: number } | null}
 */
function findMergedStatement(source, code) {
  const sourceLines = source.split('\n');
  let isEnded = true;
  let wasErased = false;
  for (const [index, text] of code.split('\n').entries()) {
    const bare = text.trim();
    const sourceBare = sourceLines[index]?.trim() ?? '';
    if (bare === '' || bare.startsWith('//')) {
      wasErased ||= bare === '' && sourceBare !== '';
      continue;
    }
    const isChanged = wasErased || sourceBare[0] !== bare[0];
    if (isChanged && CONTINUATION.includes(bare[0]) && !isEnded) {
      return { line: index + 1, column: text.indexOf(bare) + 1 };
    }
    isEnded = /[;{}]\s*(?:\/\/.*)?$/.test(bare);
    wasErased = false;
  }
  return null;
}

module.exports = { transformJsx };
