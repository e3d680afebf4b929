// Lets bundles call `require` for the modules that there are.

import { NODE_MODULES } from '../lib/web/names.js';

const builtinModules = Object.keys(NODE_MODULES);
const isBuiltin = (name) => Object.hasOwn(NODE_MODULES, String(name).replace(/^node:/, ''));

function createRequire() {
  return function require(name) {
    if (isBuiltin(name)) return host.require(name);
    throw Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' });
  };
}

export default { builtinModules, createRequire, isBuiltin };
