'use strict';

/**
 * What is wrong with a guest's source, before anything runs. The message of a TypeScript error
 * carries the line, as the `runCode` contract asks; that of a JavaScript error reads like V8's own.
 *
 * Codes: `ERR_SOURCE_SYNTAX` it does not parse, or uses syntax that is not offered;
 * `ERR_SOURCE_TOO_LARGE` more than `maxBytes`; `ERR_SOURCE_TOO_COMPLEX` nested too deeply, or too
 * much for the memory of the type eraser; `ERR_SOURCE_TIMEOUT` not done within `timeoutMs`;
 * `ERR_SOURCE_ENGINE` the type eraser broke down.
 *
 * @typedef {'ERR_SOURCE_SYNTAX' | 'ERR_SOURCE_TOO_LARGE' | 'ERR_SOURCE_TOO_COMPLEX' |
 *   'ERR_SOURCE_TIMEOUT' | 'ERR_SOURCE_ENGINE'} SourceErrorCode
 * @typedef {'TypeScriptTranspileError' | 'SyntaxError'} SourceErrorName
 * @typedef {{ name: SourceErrorName, code: SourceErrorCode, reason: string, filename: string,
 *   line?: number, column?: number }} SourceErrorData
 */

class SourceError extends Error {
  /** @param {SourceErrorData} data */
  constructor({ name, code, reason, filename, line, column }) {
    const located = line !== undefined && name === 'TypeScriptTranspileError';
    super(located ? `Line ${line} of ${filename}: ${reason}` : reason);
    this.name = name;
    /** @type {SourceErrorCode} */
    this.code = code;
    /** The message without a position. */
    this.reason = reason;
    this.filename = filename;
    this.line = line;
    this.column = column;
    // The host's own frames say nothing about the guest's source.
    this.stack =
      `${name}: ${this.message}` +
      (line === undefined ? '' : `\n    at ${filename}:${line}:${column}`);
  }

  /** @returns {SourceErrorData} */
  toJSON() {
    const { code, reason, filename, line, column } = this;
    return {
      name: /** @type {SourceErrorName} */ (this.name),
      code,
      reason,
      filename,
      line,
      column,
    };
  }

  /**
   * The same failure under another name, or at another place.
   *
   * @param {Partial<SourceErrorData>} changes
   */
  with(changes) {
    return new SourceError({ ...this.toJSON(), ...changes });
  }
}

/**
 * @param {'module' | 'body'} kind what the source was to become
 * @returns {SourceErrorName}
 */
function errorNameFor(kind) {
  return kind === 'module' ? 'TypeScriptTranspileError' : 'SyntaxError';
}

module.exports = { SourceError, errorNameFor };
