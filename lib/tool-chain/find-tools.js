'use strict';
// The tools a name stands for. Also runs in guests, from its own text: it uses nothing from outside, and no line comments.

/** @typedef {{ name: string, safeName: string }} NamedTool its server's name for it, and the guest's */

/**
 * @template {{ name: string, safeName: string, tools: NamedTool[] }} B
 * @param {B[]} backends
 * @param {string} name `backend.tool`, each under either of its names, or a tool's name alone
 * @returns {{ backend: B, tool: B['tools'][number] }[]} several for a name alone that several backends have
 */
function findTools(backends, name) {
  for (const key of /** @type {const} */ (['name', 'safeName'])) {
    for (const backend of backends) {
      for (const prefix of [backend.name + '.', backend.safeName + '.']) {
        const rest = name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
        const tool = backend.tools.find((one) => one[key] === rest);
        if (tool !== undefined) return [{ backend, tool }];
      }
    }
  }
  for (const key of /** @type {const} */ (['name', 'safeName'])) {
    const found = backends.flatMap((backend) =>
      backend.tools.filter((one) => one[key] === name).map((tool) => ({ backend, tool })),
    );
    if (found.length > 0) return found;
  }
  return [];
}

module.exports = { findTools };
