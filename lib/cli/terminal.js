'use strict';
// What terminals get that files and pipes do not: colours, and protection from what guests write.

/**
 * Colours are for terminals, and only for those who want them: NO_COLOR turns them off, FORCE_COLOR on.
 *
 * @param {{ isTTY?: boolean }} stream
 * @returns {boolean}
 */
function isColourful(stream) {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return stream.isTTY === true && TERM !== 'dumb';
}

/**
 * A guest's text as a stream may get it. Terminals obey control characters, so they see them spelt out; a file gets the
 * text as it is.
 *
 * @param {string} text
 * @param {{ isTTY?: boolean }} stream
 * @returns {string}
 */
function printable(text, stream) {
  if (stream.isTTY !== true) return text;
  return text.replace(
    // eslint-disable-next-line no-control-regex
    /[\0-\x08\x0b-\x1f\x7f-\x9f]/g,
    (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

module.exports = { isColourful, printable };
