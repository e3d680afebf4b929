'use strict';
// What the driver beside a package answers. The package may have written it instead: it is checked like any other input.

const { isRecord } = require('../../checks/options.js');
const { Failure, KINDS_OF_TOOLS } = require('../base/failures.js');

/**
 * @param {unknown} answer
 * @param {number} maxBytes
 * @returns {{ text: string, value: unknown }} JSON text, and what it says
 * @throws {Failure}
 */
function readAnswer(answer, maxBytes) {
  if (!isRecord(answer)) throw new Failure('threw', 'The tool gave no answer');
  if (answer.ok === true) return readOutput(answer.text, maxBytes);
  const kind = KINDS_OF_TOOLS.find((one) => one === answer.kind) ?? 'threw';
  throw new Failure(kind, String(answer.message));
}

/**
 * @param {unknown} text
 * @param {number} maxBytes
 */
function readOutput(text, maxBytes) {
  if (typeof text !== 'string') throw new Failure('threw', 'The tool gave no answer');
  if (text.length > maxBytes) {
    throw new Failure('threw', `The tool's output has more than ${maxBytes} bytes`);
  }
  try {
    return { text, value: JSON.parse(text) };
  } catch {
    throw new Failure('threw', "The tool's output is no JSON");
  }
}

module.exports = { readAnswer, readOutput };
