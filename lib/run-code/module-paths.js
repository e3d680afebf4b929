'use strict';
// Specifiers and paths of the module graph. Its root is the root of `modules`; nothing is above it.

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** @param {string} specifier */
function isRelativeSpecifier(specifier) {
  return specifier.startsWith('./') || specifier.startsWith('../');
}

/** @param {string} specifier */
function isBareSpecifier(specifier) {
  return (
    specifier !== '' &&
    !isRelativeSpecifier(specifier) &&
    !specifier.startsWith('/') &&
    !SCHEME.test(specifier)
  );
}

/**
 * @param {string} path
 * @returns {string | null} the path from the root of the graph, '' for the root itself, null for one above it
 */
function normalizePath(path) {
  /** @type {string[]} */
  const segments = [];
  for (const segment of path.replaceAll('\\', '/').split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') {
      segments.push(segment);
    } else if (segments.pop() === undefined) {
      return null;
    }
  }
  return segments.join('/');
}

module.exports = { isBareSpecifier, isRelativeSpecifier, normalizePath };
