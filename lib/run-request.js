'use strict';
// A run's request: checked, and laid out flat for the native side.

const { installLibrary } = require('./guest-library.js');
const { LIMIT_NAMES, checkLimits } = require('./limits.js');
const { FIXED_GLOBALS, isBindableName } = require('./names.js');
const {
  checkBoolean,
  checkChoice,
  checkFunction,
  checkRecord,
  checkSignal,
  checkString,
  isRecord,
} = require('./checks/options.js');

/** @typedef {import('./limits.js').Limits} Limits */
/** @typedef {NonNullable<ReturnType<typeof import('./web/read-web.js').readWeb>>} Web */

// The native side's enumerations, by position.
const KINDS = /** @type {const} */ (['script', 'function', 'module']);
const PROFILES = /** @type {const} */ (['json', 'clone']);
const CONSOLE_MODES = /** @type {const} */ (['none', 'lines', 'entries']);
const SCOPES = /** @type {const} */ (['global', 'lexical']);

const REQUEST_KEYS = [
  'source',
  'kind',
  'filename',
  'values',
  'namespaces',
  'globals',
  'bindings',
  'console',
  'intrinsics',
  'module',
  'web',
  'limits',
  'signal',
  'onLog',
  'liveLogs',
];

// Names of the scripts the native side runs in every guest; they are left out of stacks.
const INTERNAL_PREFIX = 'isobox-internal:';

// V8's longest string; a longer source could not even be held.
const MAX_SOURCE_CHARS = 2 ** 28;

/**
 * @param {string} name
 * @param {string} where
 */
function checkGlobalName(name, where) {
  if (FIXED_GLOBALS.has(name)) {
    throw new TypeError(`${where}: '${name}' cannot be given another value`);
  }
}

/**
 * The table of host functions one run may call: what stands at a slot, and what it is called in reports.
 *
 * @typedef {object} HostTable
 * @property {unknown[]} list functions, and promises a guest waits for; the position is the slot
 * @property {Map<unknown, number>} index the slot of each that went to the guest inside a value
 * @property {string[]} names
 * @property {(string | undefined)[]} namespaces
 */

/**
 * @param {unknown} value
 * @param {HostTable} table
 */
function readNamespaces(value, table) {
  if (value === undefined) return [];
  if (!isRecord(value)) throw new TypeError('request.namespaces must be an object');
  return Object.entries(value).map(([name, members]) => {
    if (!isRecord(members)) throw new TypeError(`request.namespaces.${name} must be an object`);
    checkGlobalName(name, 'request.namespaces');
    const firstSlot = table.list.length;
    const names = Object.keys(members);
    for (const member of names) {
      checkFunction(members[member], `request.namespaces.${name}.${member}`);
      table.list.push(members[member]);
      table.names.push(member);
      table.namespaces.push(name);
    }
    return { name, firstSlot, members: names };
  });
}

/**
 * @param {unknown} value
 * @param {string} where
 * @param {typeof SCOPES[number]} scope
 */
function readBindings(value, where, scope) {
  if (value === undefined) return [];
  if (!isRecord(value)) throw new TypeError(`${where} must be an object`);
  return Object.entries(value).map(([name, bound]) => {
    if (scope === 'lexical' && !isBindableName(name)) {
      throw new TypeError(`${where}: '${name}' cannot be the name of a binding`);
    }
    checkGlobalName(name, where);
    return { name, value: bound, scope: SCOPES.indexOf(scope) };
  });
}

/** @param {unknown} value */
function readConsole(value) {
  if (value === undefined) return { mode: 'lines', scope: 'global' };
  if (typeof value === 'string') {
    return { mode: checkChoice(value, 'request.console', CONSOLE_MODES), scope: 'global' };
  }
  const { mode = 'lines', scope = 'global' } = checkRecord(value, 'request.console', [
    'mode',
    'scope',
  ]);
  return {
    mode: checkChoice(mode, 'request.console.mode', CONSOLE_MODES),
    scope: checkChoice(scope, 'request.console.scope', SCOPES),
  };
}

/**
 * @param {Web} web
 * @param {HostTable} table
 * @returns {object} what the native side is told of the guest library
 */
function addLibrary({ globals, modules, settings, host }, table) {
  const firstSlot = table.list.length;
  const { functions } = host;
  for (const [name, act] of Object.entries(functions)) {
    table.list.push(act);
    table.names.push(name);
    table.namespaces.push('web');
  }
  return { globals, modules, settings, firstSlot, functions: Object.keys(functions) };
}

/**
 * @param {Record<string, any>} request
 * @param {HostTable} table
 * @param {Web | undefined} web
 */
function readRealm(request, table, web) {
  const intrinsics = checkRecord(request.intrinsics, 'request.intrinsics', [
    'codeGeneration',
    'webAssembly',
    'sharedMemory',
    'queueMicrotask',
  ]);
  const flag = (/** @type {string} */ name) =>
    intrinsics[name] !== undefined && checkBoolean(intrinsics[name], `request.intrinsics.${name}`);
  const console = readConsole(request.console);
  const bindings = readBindings(request.bindings, 'request.bindings', 'lexical');
  const hasLexicalConsole = console.mode !== 'none' && console.scope === 'lexical';
  for (const { name } of bindings) {
    if ((name === 'console' && hasLexicalConsole) || (name === 'queueMicrotask' && flag(name))) {
      throw new TypeError(
        `request.bindings: '${name}' is bound already, as the request asks for it`,
      );
    }
  }
  const namespaces = readNamespaces(request.namespaces, table);
  const globals = readBindings(request.globals, 'request.globals', 'global');
  for (const { name } of globals) {
    if (namespaces.some((namespace) => namespace.name === name)) {
      throw new TypeError(
        `request.globals: '${name}' is in request.namespaces too; give it in one of them`,
      );
    }
  }
  const names = {
    namespaces,
    bindings: [...globals, ...bindings],
    library: web === undefined ? undefined : addLibrary(web, table),
  };
  const hasNames = namespaces.length + names.bindings.length > 0 || web !== undefined;
  return {
    codeGeneration: flag('codeGeneration'),
    webAssembly: flag('webAssembly'),
    sharedMemory: flag('sharedMemory'),
    queueMicrotask: flag('queueMicrotask'),
    console: CONSOLE_MODES.indexOf(/** @type {any} */ (console.mode)),
    consoleScope: SCOPES.indexOf(/** @type {any} */ (console.scope)),
    names: hasNames ? names : undefined,
  };
}

/**
 * @param {string} path a key of `module.sources`
 * @returns {string} the same; imports lead to normalized paths, so any other would never be found
 */
function checkSourcePath(path) {
  const segments = path.split('/');
  if (!segments.some((segment) => ['', '.', '..'].includes(segment))) return path;
  const plain = segments.filter((segment) => !['', '.'].includes(segment)).join('/');
  const advice = plain === '' || segments.includes('..') ? '' : `: write '${plain}'`;
  throw new TypeError(
    `request.module.sources: '${path}' is not a path from the root without '.', '..' and empty parts${advice}`,
  );
}

/** @param {unknown} value */
function readModule(value) {
  const module = checkRecord(value, 'request.module', [
    'entryPath',
    'metaUrlPrefix',
    'exportName',
    'arguments',
    'suffixes',
    'sources',
    'imports',
  ]);
  const { entryPath = '', metaUrlPrefix = 'isobox:', exportName = 'default' } = module;
  const { sources = {}, imports = {}, suffixes = [''], arguments: args = [] } = module;
  if (!isRecord(sources)) throw new TypeError('request.module.sources must be an object');
  if (!isRecord(imports)) throw new TypeError('request.module.imports must be an object');
  if (!Array.isArray(args)) throw new TypeError('request.module.arguments must be an array');
  if (!Array.isArray(suffixes)) throw new TypeError('request.module.suffixes must be an array');
  return {
    entryPath: checkString(entryPath, 'request.module.entryPath'),
    metaUrlPrefix: checkString(metaUrlPrefix, 'request.module.metaUrlPrefix'),
    exportName: checkString(exportName, 'request.module.exportName'),
    arguments: args,
    suffixes: suffixes.map((suffix, i) => checkString(suffix, `request.module.suffixes[${i}]`)),
    sources: Object.entries(sources).map(([path, source]) => ({
      path: checkSourcePath(path),
      source: checkString(source, `request.module.sources['${path}']`),
    })),
    synthetic: Object.entries(imports).map(([specifier, exports]) => {
      if (typeof exports !== 'object' || exports === null) {
        throw new TypeError(`request.module.imports['${specifier}'] must be an object`);
      }
      return { specifier, names: Object.keys(exports), values: Object.values(exports) };
    }),
  };
}

/** @param {unknown} value */
function checkFilename(value) {
  const filename = checkString(value, 'request.filename');
  if (filename.startsWith(INTERNAL_PREFIX)) {
    throw new TypeError(`request.filename must not start with '${INTERNAL_PREFIX}'`);
  }
  return filename;
}

/**
 * @param {unknown} value what the caller passed to `run`
 * @param {number} id
 * @param {Readonly<Limits>} defaultLimits
 */
function readRequest(value, id, defaultLimits) {
  if (value === undefined) throw new TypeError('run needs a request: { source: "..." }');
  const request = checkRecord(value, 'request', REQUEST_KEYS);
  const source = checkString(request.source, 'request.source');
  if (source.length > MAX_SOURCE_CHARS) {
    throw new RangeError(`request.source is longer than ${MAX_SOURCE_CHARS} characters`);
  }
  const { filename = '<guest>', signal, onLog, liveLogs = onLog !== undefined } = request;
  const { kind: givenKind = 'function', values = 'json' } = request;
  const kind = checkChoice(givenKind, 'request.kind', KINDS);
  const profile = checkChoice(values, 'request.values', PROFILES);
  const hasLiveLogs = checkBoolean(liveLogs, 'request.liveLogs');
  if (onLog !== undefined) checkFunction(onLog, 'request.onLog');
  if (request.module !== undefined && kind !== 'module') {
    throw new TypeError("request.module needs request.kind to be 'module'");
  }
  // Loaded by those who use it.
  const web =
    request.web === undefined ? undefined : require('./web/read-web.js').readWeb(request.web);
  if (web !== undefined) installLibrary();
  const table = /** @type {HostTable} */ ({
    list: [],
    index: new Map(),
    names: [],
    namespaces: [],
  });
  return {
    table,
    profile,
    hasLiveLogs,
    web: web?.host,
    signal: checkSignal(signal, 'request.signal'),
    onLog: /** @type {((entry: object) => void) | undefined} */ (onLog),
    native: {
      id,
      source,
      filename: checkFilename(filename),
      kind: KINDS.indexOf(kind),
      profile: PROFILES.indexOf(profile),
      wantsLiveLogs: hasLiveLogs || onLog !== undefined,
      limits: checkLimits(request.limits, 'request.limits', defaultLimits),
      realm: readRealm(request, table, web),
      module: kind === 'module' ? readModule(request.module) : undefined,
    },
  };
}

// Read by the native side before anything else can write it again.
const numbers = new Float64Array(10 + LIMIT_NAMES.length);

/**
 * @param {ReturnType<typeof readRequest>['native']} request
 * @returns {Float64Array} everything in it that is a number or a choice, in the native side's order
 */
function numbersOf({ id, kind, profile, wantsLiveLogs, realm, limits }) {
  numbers[0] = id;
  numbers[1] = kind;
  numbers[2] = profile;
  numbers[3] = Number(wantsLiveLogs);
  numbers[4] = realm.console;
  numbers[5] = realm.consoleScope;
  numbers[6] = Number(realm.codeGeneration);
  numbers[7] = Number(realm.webAssembly);
  numbers[8] = Number(realm.sharedMemory);
  numbers[9] = Number(realm.queueMicrotask);
  for (let i = 0; i < LIMIT_NAMES.length; i++) numbers[10 + i] = limits[LIMIT_NAMES[i]];
  return numbers;
}

module.exports = { numbersOf, readRequest };
