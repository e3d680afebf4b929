// The part that is called first: finds the part that has a name, and starts parts once each.

import { NODE_GLOBALS, NODE_MODULES, WEB_GLOBALS } from '../lib/web/names.js';

const NODE_PREFIX = 'node:';
const homes = { __proto__: null, ...WEB_GLOBALS, ...NODE_GLOBALS };

// What parts see as the global object: packages must not find, and so start, what is being made of them.
const bareGlobal = { __proto__: globalThis };
for (const name in homes) bareGlobal[name] = undefined;

// Stands in for a constructor that guests do not have; nothing is an instance of it.
class SharedArrayBuffer {
  get byteLength() {
    throw new TypeError('not a SharedArrayBuffer');
  }

  get growable() {
    throw new TypeError('not a SharedArrayBuffer');
  }
}

const started = { __proto__: null, main: { global: globalThis } };

function start(part) {
  if (started[part] === undefined) {
    const module = { exports: {} };
    started[part] = module.exports;
    load(part)(
      startRequired,
      module,
      module.exports,
      host,
      settings,
      bareGlobal,
      SharedArrayBuffer,
    );
    started[part] = module.exports;
  }
  return started[part];
}

/** What a part is by itself, or else all that it exports. */
function whole(part) {
  const exported = start(part);
  return exported.default ?? exported;
}

// For our own code `part:<name>`, for packages that want a module of Node's `whole:<name>`.
function startRequired(specifier) {
  const [kind, part] = specifier.split(':');
  return kind === 'part' ? start(part) : whole(part);
}

host.require = (specifier) => {
  const name = specifier.startsWith(NODE_PREFIX) ? specifier.slice(NODE_PREFIX.length) : specifier;
  return whole(NODE_MODULES[name]);
};

/** What a callback threw that nobody waits for: shown, and no end of the run. */
host.report = (error) => {
  globalThis.console?.error(String(error?.stack ?? error));
};

/** @param {string} name of a global, or a module's as it is imported */
export default function provide(name, isModule) {
  return isModule ? host.require(name) : start(homes[name])[name];
}
