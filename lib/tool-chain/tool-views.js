'use strict';
// Tools and backends as models read about them.

const { declareNamespace } = require('../execbox/type-declarations.js');
const { describeTool } = require('./registry.js');

/** @typedef {import('./registry.js').Entry} Entry */

const BRIEF_CHARS = 200;

/** @param {Entry} entry */
function briefView({ backend, tool }) {
  const { description } = describeTool(tool);
  const [line] = description.trim().split('\n', 1);
  return {
    name: `${backend.name}.${tool.name}`,
    call: `${backend.safeName}.${tool.safeName}(input)`,
    description: line.length > BRIEF_CHARS ? `${line.slice(0, BRIEF_CHARS - 1)}…` : line,
  };
}

/** @param {Entry} entry */
function fullView({ backend, tool }) {
  const { name: _name, ...described } = describeTool(tool);
  const { annotations, safeName } = tool;
  return {
    ...briefView({ backend, tool }),
    ...described,
    ...(annotations !== undefined && { annotations }),
    types: declareNamespace(backend.safeName, { [safeName]: tool }),
  };
}

/** @param {import('./registry.js').Entry['backend']} backend */
function backendView({ name, safeName, state, tools, isListed, restarts, lastError }) {
  return {
    name,
    object: safeName,
    state,
    tools: isListed || tools.length > 0 ? tools.length : null,
    ...(!isListed && tools.length > 0 && { cached: true }),
    restarts,
    ...(lastError !== undefined && { last_error: lastError }),
  };
}

module.exports = { backendView, briefView, fullView };
