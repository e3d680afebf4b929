'use strict';
// Which modules of Node a package may import in an isolate, and what else keeps it from running in one.

const { builtinModules } = require('node:module');

const { NODE_MODULES } = require('../../web/names.js');

/** What guests have, by name without `node:`. */
const IN_ISOLATES = Object.freeze(Object.keys(NODE_MODULES));

/** Names that stand for things only a real Node has. A graph that uses one runs in a process. */
const NODE_NAMES = Object.freeze(['__dirname', '__filename', 'WebAssembly', 'Worker']);

const all = new Set(builtinModules);

/** @param {string} specifier @returns {string | undefined} the name of a module of Node, without `node:` */
function builtinName(specifier) {
  const name = specifier.replace(/^node:/, '');
  return specifier !== name || all.has(name) ? name : undefined;
}

module.exports = { IN_ISOLATES, NODE_NAMES, builtinName };
