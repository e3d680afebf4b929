'use strict';
// All backends and their tools: by name, and as guests and models see them.

const { ToolCallError } = require('./backend-errors.js');
const { findTools } = require('./find-tools.js');
const { isGlobalName } = require('./tool-names.js');

/** @typedef {InstanceType<typeof import('./backend.js').Backend>} Backend */
/** @typedef {import('./backend.js').BackendTool} BackendTool */
/** @typedef {{ backend: Backend, tool: BackendTool }} Entry */

class Registry {
  /** @type {Backend[]} in the order of the configuration */
  backends = [];
  /** Another one whenever a catalogue has changed. */
  version = 0;
  /** @type {{ version: number, names: string, interfaces: string } | undefined} */
  #texts;
  /** @type {WeakMap<Backend, { tools: BackendTool[], byName: Map<string, BackendTool[]>, text: string }>} for the catalogues that backends have now */
  #names = new WeakMap();

  noteChange() {
    this.version++;
  }

  /**
   * @param {string} name of a backend, either of its two
   */
  findBackend(name) {
    return (
      this.backends.find((one) => one.name === name) ??
      this.backends.find((one) => one.safeName === name)
    );
  }

  /**
   * @param {[backend: string, tool: string]} path as guest code refers to them
   * @returns {Entry | undefined}
   */
  findCall([backendName, toolName]) {
    const backend = this.backends.find(
      (one) =>
        one.safeName === backendName || (one.name === backendName && !isGlobalName(one.name)),
    );
    const tool =
      backend?.tools.find((one) => one.name === toolName) ??
      backend?.tools.find((one) => one.safeName === toolName);
    return backend && tool && { backend, tool };
  }

  /**
   * @param {string} name with or without its backend
   * @returns {Entry}
   * @throws {ToolCallError} unless it stands for one tool
   */
  find(name) {
    const found = findTools(this.backends, name);
    if (found.length === 1) return found[0];
    if (found.length === 0) {
      const starting = this.backends.filter((one) => !one.isListed).map((one) => one.name);
      const perhaps = starting.length === 0 ? '' : ` Still starting: ${starting.join(', ')}.`;
      throw new ToolCallError(
        `tool '${name}' not found.${perhaps} Use search_tools to find tools by words.`,
      );
    }
    const choices = found.map(({ backend, tool }) => `${backend.name}.${tool.name}`).join(', ');
    throw new ToolCallError(`tool '${name}' is ambiguous: name one of ${choices}`);
  }

  /**
   * @param {string} name
   * @returns {object | null} the first backend's, where several have it
   */
  interfaceOf(name) {
    const [found] = findTools(this.backends, name);
    return found === undefined ? null : describeTool(found.tool);
  }

  /** @returns {Record<string, Record<string, object>>} by safe name of the backend and original name of the tool */
  interfaces() {
    return Object.fromEntries(
      this.backends.map(({ safeName, tools }) => [
        safeName,
        Object.fromEntries(tools.map((tool) => [tool.name, describeTool(tool)])),
      ]),
    );
  }

  /** What the whole bridge in a guest is made from, as JSON. */
  guestTexts() {
    if (this.#texts?.version !== this.version) {
      this.#texts = {
        version: this.version,
        names: `[${this.backends.map((backend) => this.guestNames(backend)).join()}]`,
        interfaces: JSON.stringify(this.interfaces()),
      };
    }
    return this.#texts;
  }

  /**
   * @param {Backend} backend
   * @param {Set<string>} [only] names of tools, either of theirs, of which no others are needed
   * @returns {string} its names and those of its tools, as JSON
   */
  guestNames(backend, only) {
    const { tools } = backend;
    let known = this.#names.get(backend);
    if (known?.tools !== tools) {
      known = { tools, byName: toolsByName(tools), text: namesText(backend, tools) };
      this.#names.set(backend, known);
    }
    if (only === undefined) return known.text;
    const needed = new Set([...only].flatMap((name) => known.byName.get(name) ?? []));
    return namesText(backend, [...needed]);
  }
}

/**
 * @param {BackendTool[]} tools
 * @returns {Map<string, BackendTool[]>} by each of their names
 */
function toolsByName(tools) {
  const byName = new Map();
  for (const tool of tools) {
    for (const name of new Set([tool.name, tool.safeName])) {
      byName.set(name, [...(byName.get(name) ?? []), tool]);
    }
  }
  return byName;
}

/**
 * @param {Backend} backend
 * @param {BackendTool[]} tools
 */
function namesText({ name, safeName, isListed }, tools) {
  return JSON.stringify({
    name,
    safeName,
    isGlobal: !isGlobalName(name),
    isListed,
    tools: tools.map((tool) =>
      tool.name === tool.safeName ? tool.name : [tool.name, tool.safeName],
    ),
  });
}

/** @param {BackendTool} tool */
function describeTool({ name, title, description = title ?? '', inputSchema, outputSchema }) {
  return {
    name,
    description,
    input_schema: inputSchema,
    ...(outputSchema !== undefined && { output_schema: outputSchema }),
  };
}

module.exports = { Registry, describeTool };
