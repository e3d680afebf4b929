'use strict';

/**
 * From TypeScript to JavaScript, with neither cache nor bounds: what runs on the loop for small
 * sources, and on a worker for the rest.
 *
 * 1. Source that is JavaScript already, as much of what models write is, stays as it is.
 * 2. Types become blanks. Every position stays exact.
 * 3. Where blanks are not enough (enums, namespaces, parameter properties, old type assertions), or
 *    where they are known to be wrong, the program is printed anew and carries a source map.
 * 4. JSX goes through a second engine, which knows it.
 *
 * @typedef {import('./parse-javascript.js').Goal} Goal
 * @typedef {{ filename: string, jsx: boolean, goal: Goal }} EraseOptions
 * @typedef {{ code: string, map: import('./position-map.js').PositionMap }} Erased
 * @typedef {{ goal: Goal, prefix: string, suffix: string, isModule: boolean }} Unit
 *   How a text is presented to the engine.
 */

const { hasGenericCalls } = require('./generic-calls.js');
const { transformJsx } = require('./jsx-engine.js');
const { BODY_PREFIX, BODY_SUFFIX, findBody, parseJavaScript } = require('./parse-javascript.js');
const { composeMaps, identityMap, shiftMap, sourceMap } = require('./position-map.js');
const { SourceError } = require('./source-error.js');
const { escapeLoneSurrogates, isBlankingUnsafe, restoreCharacters } = require('./stripped-code.js');
const { locateDiagnostic } = require('./swc-diagnostics.js');
const { stripTypes, SwcTrap, transformTypes } = require('./swc-engine.js');
const { positionAt } = require('./text-lines.js');
const { blankTypeImports } = require('./type-imports.js');

/** @type {Unit} */
const MODULE = { goal: 'module', prefix: '', suffix: '', isModule: true };
/** @type {Unit} */
const BODY = { goal: 'body', prefix: BODY_PREFIX, suffix: BODY_SUFFIX, isModule: false };

/**
 * @param {string} source
 * @param {EraseOptions} options
 * @returns {Erased}
 * @throws {SourceError}
 */
function erase(source, options) {
  return eraseJavaScript(source, options) ?? eraseTypeScript(source, options);
}

/**
 * The cheap first step alone, fit for the loop thread: linear but for many declarations in one
 * scope.
 *
 * @param {string} source
 * @param {{ goal: Goal }} options
 * @returns {Erased | null} null for source that needs the TypeScript engine
 */
function eraseJavaScript(source, { goal }) {
  const { program } = parseJavaScript(source, goal);
  if (program === null || hasGenericCalls(program, source)) return null;
  return { code: source, map: identityMap };
}

/**
 * @param {string} source
 * @param {EraseOptions} options
 * @returns {Erased}
 */
function eraseTypeScript(source, options) {
  // A byte order mark is white space to V8, and counts as a column; the engine would drop it.
  const text = source.replace(/^\uFEFF/, ' ');
  try {
    return options.goal === 'module' ? eraseUnit(text, MODULE, options) : eraseBody(text, options);
  } catch (error) {
    if (!(error instanceof SwcTrap) && !(error instanceof RangeError)) throw error;
    throw tooComplex(options);
  }
}

/**
 * A function body is read inside an async function. One with an `export default`, which no function
 * may hold, is read as a module.
 *
 * @param {string} text
 * @param {EraseOptions} options
 * @returns {Erased}
 */
function eraseBody(text, options) {
  if (!/\bexport\b/.test(text)) return eraseUnit(text, BODY, options);
  try {
    return eraseUnit(text, MODULE, options);
  } catch (asModule) {
    try {
      return eraseUnit(text, BODY, options);
    } catch (asBody) {
      throw laterOf(asModule, asBody);
    }
  }
}

/**
 * @param {any} first
 * @param {any} second
 * @returns {unknown} the failure of the reading that got further into the text
 */
function laterOf(first, second) {
  if (first.line === second.line) return second.column > first.column ? second : first;
  return second.line > first.line ? second : first;
}

/**
 * @param {string} text
 * @param {Unit} unit
 * @param {EraseOptions} options
 * @returns {Erased}
 */
function eraseUnit(text, unit, options) {
  const { goal, prefix, suffix, isModule } = unit;
  const wrapped = prefix + text + suffix;
  const { output, diagnostic } = stripTypes(wrapped, { isModule });
  if (output?.code.length === wrapped.length) {
    const inside = output.code.slice(prefix.length, wrapped.length - suffix.length);
    const code = restoreCharacters(text, inside);
    const { program, failure } = parseJavaScript(code, goal);
    if (program !== null && !isBlankingUnsafe(text, code)) {
      return { code: blankTypeImports(code, program, text), map: identityMap };
    }
    if (failure !== null) refuseDecorators(code, failure.offset, identityMap, options);
  }
  if (options.jsx && goal === 'module') return eraseJsx(text, options);
  if (diagnostic?.code === 'InvalidSyntax') throw syntaxError(wrapped, diagnostic, unit, options);
  return printUnit(wrapped, unit, options);
}

/**
 * @param {string} wrapped
 * @param {Unit} unit
 * @param {EraseOptions} options
 * @returns {Erased}
 */
function printUnit(wrapped, unit, options) {
  const { isModule, prefix } = unit;
  const { filename } = options;
  const text = escapeLoneSurrogates(wrapped);
  const { output, diagnostic } = transformTypes(text, { isModule, filename });
  if (output === null) throw syntaxError(wrapped, diagnostic, unit, options);
  const printed = sourceMap(output.map ?? '');
  const { code, map } =
    prefix === '' ? { code: output.code, map: printed } : unwrap(output.code, printed, options);
  const { failure } = parseJavaScript(code, unit.goal);
  if (failure !== null) refuseDecorators(code, failure.offset, map, options);
  return { code, map };
}

/**
 * The inside of a function body that was printed with its wrapping.
 *
 * @param {string} code
 * @param {import('./position-map.js').PositionMap} printed
 * @param {EraseOptions} options
 * @returns {Erased}
 */
function unwrap(code, printed, options) {
  const wrapping = shiftMap([[1, 1, 0, BODY_PREFIX.length]]);
  const { inside, failure } = findBody(code);
  if (inside === null) {
    const map = composeMaps(wrapping, printed);
    refuseDecorators(code, failure.offset, map, options);
    const { line, column } = positionAt(code, failure.offset);
    throw typeScriptError(failure.reason, map.original(line, column), options);
  }
  const { start, end } = inside;
  // The opening bracket is on the first line: nothing precedes the function.
  const map = composeMaps(wrapping, printed, shiftMap([[1, 1, start, 0]]));
  return { code: code.slice(start, end), map };
}

/**
 * @param {string} text
 * @param {EraseOptions} options
 * @returns {Erased}
 */
function eraseJsx(text, options) {
  const { output, diagnostic } = transformJsx(text, options);
  if (output === null) {
    const { reason, ...at } = diagnostic;
    throw typeScriptError(reason, at, options);
  }
  const map = sourceMap(output.map);
  const { failure } = parseJavaScript(output.code, 'module');
  if (failure !== null) refuseDecorators(output.code, failure.offset, map, options);
  return { code: output.code, map };
}

/**
 * V8 has no decorators yet, and says no more about them than "Invalid or unexpected token".
 *
 * @param {string} code
 * @param {number} offset where the JavaScript parser gave up
 * @param {import('./position-map.js').PositionMap} map
 * @param {EraseOptions} options
 */
function refuseDecorators(code, offset, map, options) {
  const isAccessor = /\baccessor\s+$/.test(code.slice(Math.max(offset - 40, 0), offset));
  if (code[offset] !== '@' && !isAccessor) return;
  const { line, column } = positionAt(code, offset);
  const what = isAccessor ? 'The accessor keyword is' : 'Decorators are';
  throw typeScriptError(`${what} not supported`, map.original(line, column), options);
}

/**
 * @param {string} wrapped what the engine was given
 * @param {import('./swc-engine.js').SwcDiagnostic} diagnostic
 * @param {Unit} unit
 * @param {EraseOptions} options
 */
function syntaxError(wrapped, diagnostic, { prefix, suffix, isModule }, options) {
  const text = wrapped.slice(prefix.length, wrapped.length - suffix.length);
  const offset = locateDiagnostic(wrapped, diagnostic, { isModule }) - prefix.length;
  const at = positionAt(text, Math.min(Math.max(offset, 0), text.length));
  // The engine names the bracket that was put behind the text, which its author has not written.
  const isBehind = suffix !== '' && offset >= text.length;
  return typeScriptError(isBehind ? 'Unexpected end of input' : diagnostic.message, at, options);
}

/**
 * @param {string} reason
 * @param {{ line: number, column: number }} at
 * @param {EraseOptions} options
 */
function typeScriptError(reason, at, { filename }) {
  const name = 'TypeScriptTranspileError';
  return new SourceError({ name, code: 'ERR_SOURCE_SYNTAX', reason, filename, ...at });
}

/** @param {EraseOptions} options */
function tooComplex({ filename }) {
  const reason = 'The source is nested too deeply, or needs more memory than the type eraser has';
  return new SourceError({
    name: 'TypeScriptTranspileError',
    code: 'ERR_SOURCE_TOO_COMPLEX',
    reason,
    filename,
  });
}

module.exports = { erase, eraseJavaScript, eraseTypeScript };
