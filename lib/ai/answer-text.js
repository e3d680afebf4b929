'use strict';
// What became of code, as text for the model that wrote it.

const { clipText } = require('../execution/clip-text.js');

/** @typedef {import('../../types/execbox.js').ExecuteResult} ExecuteResult */
/** @typedef {import('../../types/execbox.js').ExecuteError} ExecuteError */

/**
 * @param {ExecuteResult} result
 * @param {number} maxChars of the whole text
 */
function answerText(result, maxChars) {
  const console = result.logs.length > 0 ? `\n\nConsole:\n${result.logs.join('\n')}` : '';
  const text = result.ok ? describeResult(result) : describeError(result.error);
  return clipText(text + console, maxChars);
}

/** @param {Extract<ExecuteResult, { ok: true }>} success */
function describeResult({ result, hint }) {
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  return [text ?? 'The code ran and returned nothing.', ...(hint ? [`Hint: ${hint}`] : [])].join(
    '\n\n',
  );
}

/** @param {ExecuteError} error */
function describeError({ code, name, message, line, column, frame, hint }) {
  const place = line === undefined ? '' : ` (line ${line}, column ${column})`;
  const head = `${name ?? code}: ${message}${place}`;
  return [head, ...(frame ? [frame] : []), ...(hint ? [`Hint: ${hint}`] : [])].join('\n\n');
}

module.exports = { answerText };
