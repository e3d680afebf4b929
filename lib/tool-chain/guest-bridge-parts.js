'use strict';
// What runs in guests before their code, each function from its own text: they use nothing from outside but the
// intrinsics, and no line comments. What guest code does to the intrinsics later does not reach them.

/** @typedef {{ host: string, names: string, interfaces: string }} Keys */
/** @typedef {ReturnType<typeof makeParts>} Parts */
/** @typedef {string | [name: string, safeName: string]} ToolNames one string where both are the same: there may be thousands */
/** @typedef {{ name: string, safeName: string, tools: ToolNames[], isGlobal: boolean, isListed: boolean }} GuestBackend */

/**
 * @param {number} maxChars of an input as JSON
 */
function makeParts(maxChars) {
  const { parse, stringify } = JSON;
  const caller =
    (/** @type {any} */ host, /** @type {string} */ backend, /** @type {string} */ tool) =>
    async (/** @type {unknown} */ input) => {
      const text = stringify(input) ?? '{}';
      if (text.length > maxChars) {
        throw new RangeError(
          `The input of ${backend}.${tool} is too large: ${text.length} characters`,
        );
      }
      return parse(await host.call([backend, tool, text]));
    };
  const bothNames = (/** @type {ToolNames} */ tool) =>
    typeof tool === 'string' ? [tool, tool] : tool;
  return {
    caller,
    bothNames,
    /** A function per tool, under each of its names; a name that a tool has itself counts more. */
    makeObject: (/** @type {any} */ host, /** @type {GuestBackend} */ backend) => {
      const object = Object.create(null);
      for (const tool of backend.tools) {
        const [name, safeName] = bothNames(tool);
        object[safeName] = caller(host, backend.name, name);
      }
      for (const tool of backend.tools) {
        if (typeof tool !== 'string') object[tool[0]] = object[tool[1]];
      }
      return object;
    },
    /** Its first character says whether the rest is the text of a string, or JSON. */
    runner: async (/** @type {() => unknown} */ main) => {
      const value = await main();
      return typeof value === 'string'
        ? 's' + value
        : 'j' + (stringify(value, undefined, 2) ?? 'null');
    },
  };
}

/**
 * The backends that the code names, and nothing else.
 *
 * @param {any} global
 * @param {Keys} keys
 * @param {Parts} parts
 */
function installBackends(global, keys, { makeObject, runner }) {
  const host = global[keys.host];
  for (const backend of JSON.parse(global[keys.names])) {
    global[backend.safeName] = makeObject(host, backend);
  }
  delete global[keys.host];
  delete global[keys.names];
  return runner;
}

/**
 * All of the bridge.
 *
 * @param {any} global
 * @param {Keys} keys
 * @param {Parts} parts
 * @param {typeof import('./find-tools.js').findTools} find
 */
function installAll(global, keys, { caller, bothNames, makeObject, runner }, find) {
  const { defineProperty } = Object;
  const { parse, stringify } = JSON;
  const host = global[keys.host];
  /** @type {GuestBackend[]} */
  const backends = parse(global[keys.names]);
  const interfacesText = global[keys.interfaces];
  for (const key of Object.values(keys)) delete global[key];

  const lazily = (
    /** @type {any} */ target,
    /** @type {string} */ name,
    /** @type {any} */ make,
  ) => {
    const set = (/** @type {unknown} */ value) => {
      defineProperty(target, name, { value, writable: true, configurable: true, enumerable: true });
      return value;
    };
    defineProperty(target, name, {
      get: () => set(make()),
      set,
      configurable: true,
      enumerable: target !== global,
    });
  };
  const makeBackend = (/** @type {GuestBackend} */ backend) => {
    const object = makeObject(host, backend);
    if (backend.isListed) return object;
    const get = (/** @type {any} */ target, /** @type {string | symbol} */ tool) =>
      typeof tool === 'symbol' || tool === 'then'
        ? undefined
        : (target[tool] ?? caller(host, backend.name, tool));
    return new Proxy(object, { get });
  };

  const all = Object.create(null);
  for (const backend of backends) {
    const { name, safeName, isGlobal } = backend;
    lazily(all, safeName, () => makeBackend(backend));
    if (name !== safeName && !(name in all)) lazily(all, name, () => all[safeName]);
    lazily(global, safeName, () => all[safeName]);
    if (name !== safeName && isGlobal && !(name in global)) {
      lazily(global, name, () => all[safeName]);
    }
  }
  const hidden = (/** @type {string} */ name, /** @type {unknown} */ value) =>
    defineProperty(global, name, { value, writable: true, configurable: true });
  let interfaces = /** @type {any} */ (undefined);
  const readInterfaces = () => (interfaces ??= parse(interfacesText));
  lazily(global, '__interfaces', readInterfaces);
  hidden('__backends', all);
  let named = /** @type {any} */ (undefined);
  const readNames = () =>
    (named ??= backends.map((backend) => ({
      ...backend,
      tools: backend.tools.map((tool) => {
        const [name, safeName] = bothNames(tool);
        return { name, safeName };
      }),
    })));
  hidden('__getToolInterface', (/** @type {unknown} */ name) => {
    const [found] = /** @type {any[]} */ (find(readNames(), String(name)));
    return found === undefined ? null : readInterfaces()[found.backend.safeName][found.tool.name];
  });
  hidden('__readResult', async (/** @type {unknown} */ id, /** @type {unknown} */ options) =>
    host.readResult(stringify([id, options ?? {}])),
  );
  hidden('require', (/** @type {unknown} */ name) => {
    const known = backends.map((one) => one.safeName).join(', ');
    throw new Error(
      `require(${stringify(String(name))}) is not available: code has the backends ${known} and no modules`,
    );
  });
  for (const name of ['process', 'module', 'exports', 'Buffer']) hidden(name, undefined);
  return runner;
}

module.exports = { installAll, installBackends, makeParts };
