'use strict';
// What to do about the mistakes that models make most.

const { isClose } = require('../hints/nearest-names.js');
const { findTools } = require('./find-tools.js');

/** @typedef {InstanceType<typeof import('./registry.js').Registry>} Registry */

const META_TOOLS = [
  'isobox',
  'gatemini',
  'call_tool_chain',
  'search_tools',
  'tool_info',
  'list_tools_meta',
];

/**
 * @param {string} message with the error's name
 * @param {Registry} registry
 * @returns {string} the message, with a hint behind it where there is one
 */
function withHint(message, registry) {
  const hint = hintFor(message, registry);
  return hint === undefined ? message : `${message}\n\nHINT: ${hint}`;
}

/**
 * @param {string} message
 * @param {Registry} registry
 * @returns {string | undefined}
 */
function hintFor(message, registry) {
  const shadowed = /Cannot access '([^']+)' before initialization/.exec(message)?.[1];
  if (shadowed !== undefined && registry.findBackend(shadowed) !== undefined) {
    return (
      `\`${shadowed}\` is a backend name, so a variable of the same name hides it. ` +
      `Use a different one: const ${shadowed}Result = await ${shadowed}.tool(...)`
    );
  }
  const unavailable = /Backend '([^']+)'[^\n]* is not available/.exec(message)?.[1];
  if (unavailable !== undefined) {
    return (
      `Load @isobox://backend/${encodeURIComponent(unavailable)} to check its status, ` +
      'or @isobox://backends to see all backends.'
    );
  }
  const missing = /^ReferenceError: (.+?) is not defined/.exec(message)?.[1];
  if (missing !== undefined) return hintForName(missing, registry);
  const called = /^TypeError: ([\w$]+)\.([\w$]+) is not a function/.exec(message);
  return called === null ? undefined : hintForTool(called[1], called[2], registry);
}

/**
 * @param {string} name
 * @param {Registry} registry
 */
function hintForName(name, registry) {
  if (META_TOOLS.includes(name)) {
    return (
      `\`${name}\` is a meta-tool. Meta-tools cannot be called inside call_tool_chain: ` +
      'use them as separate MCP tool calls.'
    );
  }
  const similar = registry.backends
    .filter((one) => isClose(name, one.safeName) || isClose(name, one.name))
    .map((one) => one.safeName);
  if (similar.length > 0) {
    return `Did you mean \`${similar[0]}\`? Available backends with similar names: ${similar.join(', ')}`;
  }
  const owners = findTools(registry.backends, name).map(({ backend }) => backend.safeName);
  const where = owners.length === 0 ? 'backend_name' : owners[0];
  return (
    `If \`${name}\` is a tool, call it as \`${where}.${name}({args})\`. ` +
    'Use search_tools to find the backend of a tool.'
  );
}

/**
 * @param {string} backendName
 * @param {string} toolName
 * @param {Registry} registry
 */
function hintForTool(backendName, toolName, registry) {
  const backend = registry.findBackend(backendName);
  if (backend === undefined) return undefined;
  const names = backend.tools.map((tool) => tool.safeName);
  const similar = names.filter((one) => isClose(toolName, one));
  const some = similar.length > 0 ? similar : names.slice(0, 10);
  const more = similar.length === 0 && names.length > some.length ? ', …' : '';
  return `Backend \`${backendName}\` has no tool \`${toolName}\`. It has: ${some.join(', ')}${more}`;
}

module.exports = { withHint };
