'use strict';
// What the author of a guest can do about how it ended. Hints are for models: they name what is there instead of what was
// tried. They are made from what V8 says and from the request, never from errors of the host.

const { ABSENT } = require('./absent-names.js');
const { findForgottenAwait } = require('./forgotten-await.js');
const { nearestNames } = require('./nearest-names.js');

/**
 * @typedef {object} Scene what a guest had before it
 * @property {string} source
 * @property {'script' | 'function' | 'module'} kind
 * @property {ReadonlyMap<string, readonly string[]>} namespaces names of functions by namespace
 * @property {readonly string[]} names other names that the host gave it
 * @property {readonly string[]} modules what it could import
 * @property {{ wallMs: number, cpuMs: number, memoryBytes: number, resultBytes: number }} limits
 */
/** @typedef {{ name?: string, message: string, isObject?: boolean, hostCode?: string, specifier?: string }} Failure */
/** @typedef {(found: RegExpExecArray, scene: Scene) => string | undefined} HintMaker */

const MAX_LISTED = 10;
const MAX_MESSAGE_CHARS = 1000;
const MAX_END_CHARS = 2000;
const ENDS_IN_DECLARATION = /(?:^|[;\n}])[ \t]*(?:const|let|var)\s+[\w$]+\s*=[^;\n]*;?$/;
const PLAIN_DATA =
  'A result is made of plain objects, arrays, strings, finite numbers, booleans and null.';

const ENDED_BY_CALLER = 'The caller ended the run. The code itself may be right.';

/** What each stop says. @type {Readonly<Record<string, (scene: Scene) => string>>} */
const STOPS = Object.freeze({
  deadline: ({ limits }) => tooSlow(limits.wallMs),
  cpu: ({ limits }) => tooSlow(limits.cpuMs),
  memory: ({ limits }) =>
    `The code held more than its limit of ${Math.round(limits.memoryBytes / 2 ** 20)} MiB. Work on the data in parts, and keep only what you need.`,
  terminated: () => ENDED_BY_CALLER,
  calls: () => 'Make fewer calls, or wait for some before you make more.',
  output: ({ limits }) =>
    `A result has at most ${limits.resultBytes} bytes. Return less: filter, count or summarize in the code.`,
});

/** What V8 says about mistakes, and the hint for each. The first that fits counts. @type {[RegExp, HintMaker][]} */
const MISTAKES = [
  [/^ReferenceError: ([\w$]+) is not defined/, ([, name], scene) => hintForName(name, scene)],
  [
    /^ReferenceError: Cannot access '([\w$]+)' before initialization/,
    ([, name], { namespaces }) =>
      namespaces.has(name)
        ? `A variable named ${name} hides the functions of ${name}. Give the variable another name.`
        : `${name} is used above the line that declares it. Move the declaration up.`,
  ],
  [
    /^TypeError: ([\w$]+)\.([\w$-]+) is not a function/,
    ([, space, name], scene) => hintForFunction(space, name, scene),
  ],
  [/ is not (?:a function|iterable)|Cannot (?:read|set) properties of undefined/, hintForPromise],
  [
    /\.(length|size) is not a function/,
    ([, name]) => `${name} is a property: write it without ().`,
  ],
  [
    /Cannot (?:read|set) properties of (undefined|null) \((?:reading|setting) '([^']*)'\)/,
    ([, what, name]) =>
      `What should have the property ${name} is ${what}. Look at it with console.log(), or use ?. where it may be missing.`,
  ],
  [
    / is not iterable/,
    () => 'Only arrays, strings, Maps and Sets can be iterated. Use Object.entries() for objects.',
  ],
  [/^TypeError: Assignment to constant variable/, () => 'Declare it with let instead of const.'],
  [
    /^EvalError: Code generation from strings/,
    () => 'eval() and new Function() are turned off on purpose. Write the code itself.',
  ],
  [
    /^RangeError: Maximum call stack size/,
    () => 'A function calls itself without an end, or too deeply. Use a loop.',
  ],
  [
    /^SyntaxError: "\[object Object\]" is not valid JSON/,
    () => 'This is an object already: use it without JSON.parse().',
  ],
  [
    /^SyntaxError: .* in JSON at position|is not valid JSON/,
    () => 'The text is not JSON. Functions of the host give values, which need no JSON.parse().',
  ],
  [/^\w*Error: Not supported$/, (_found, scene) => hintForImport(scene)],
  [/^Error: \[object Object\]/, () => 'Throw an error with a message: throw new Error("...").'],
];

/**
 * @param {string} cause
 * @param {Failure} error
 * @param {Scene} scene
 * @returns {string | undefined}
 */
function hintForFailure(cause, error, scene) {
  if (error.hostCode !== undefined) return undefined;
  if (cause === 'link_error') return hintForLink(error, scene);
  if (cause === 'serialization') return hintForResultKind(error, scene);
  if (cause !== 'guest_error') return STOPS[cause]?.(scene);
  if (error.isObject === false) return 'Throw an error instead: throw new Error("...").';
  const text = `${error.name}: ${error.message}`.slice(0, MAX_MESSAGE_CHARS);
  for (const [pattern, make] of MISTAKES) {
    const found = pattern.exec(text);
    const hint = found && make(found, scene);
    if (hint) return hint;
  }
  return undefined;
}

/**
 * @param {string} name
 * @param {string} message about source that cannot become a guest
 * @param {Pick<Scene, 'source' | 'namespaces'>} known
 */
function hintForSource(name, message, { source, namespaces }) {
  const limits = { wallMs: 0, cpuMs: 0, memoryBytes: 0, resultBytes: 0 };
  const scene = { source, namespaces, limits, kind: /** @type {const} */ ('function') };
  return hintForLink({ name, message }, { ...scene, names: [], modules: [] });
}

/**
 * @param {unknown} value what a guest returned
 * @param {Scene} scene
 * @returns {string | undefined} where it was probably not meant
 */
function hintForResult(value, scene) {
  if (value !== undefined) {
    const isPromise = typeof value === 'string' && value.includes('[object Promise]');
    return isPromise ? awaitHint(findForgottenAwait(scene.source, scene.namespaces)) : undefined;
  }
  if (scene.kind === 'module') return undefined;
  const forgotten = findForgottenAwait(scene.source, scene.namespaces);
  if (forgotten !== undefined) return awaitHint(forgotten);
  const end = scene.source.slice(-MAX_END_CHARS).trimEnd();
  const mayReturn = scene.source.length > MAX_END_CHARS || /\breturn\b/.test(end);
  if (end === '' || (mayReturn && !ENDS_IN_DECLARATION.test(end))) return undefined;
  return 'The code returned nothing. End it with return and the result.';
}

/**
 * @param {Failure} error of source that does not parse
 * @param {Scene} scene
 * @returns {string | undefined}
 */
function hintForLink({ message, specifier, name }, scene) {
  if (name === 'MissingExportError') {
    return 'Write `export default` before the result or the function.';
  }
  if (specifier || /import|export/.test(message)) return hintForImport(scene);
  if (/^\s*</.test(scene.source)) return 'Write JavaScript or TypeScript, without markup.';
  if (/Unexpected end of input|Unterminated|[Uu]nclosed/.test(message)) {
    return 'The code ends too early: a bracket, a quote or a template is not closed.';
  }
  if (/already been declared|has already been declared/.test(message)) {
    return 'Declare each name once: leave out the second const, let or var.';
  }
  if (/^\s*(?:def |import \w+\s*$|from \w+ import|print\()/m.test(scene.source.slice(0, 2000))) {
    return 'This looks like Python. Write JavaScript or TypeScript.';
  }
  return undefined;
}

/** @param {Failure} error @param {Scene} scene */
function hintForResultKind({ message }, { source, namespaces }) {
  if (message.includes('await it first')) return awaitHint(findForgottenAwait(source, namespaces));
  return PLAIN_DATA;
}

/** @param {{ call: string, name: string | undefined } | undefined} forgotten */
function awaitHint(forgotten) {
  if (forgotten === undefined) return 'A promise is used as a value. Write `await` before it.';
  const { call, name } = forgotten;
  const holds = name === undefined ? '' : ` ${name} comes from its promise, not from its result.`;
  return `${call}() returns a promise: write \`await ${call}(...)\`.${holds}`;
}

/** @type {HintMaker} */
function hintForPromise(_found, { source, namespaces }) {
  const forgotten = findForgottenAwait(source, namespaces);
  return forgotten && awaitHint(forgotten);
}

/** @param {string} name @param {Scene} scene */
function hintForName(name, scene) {
  const { namespaces, names } = scene;
  if (Object.hasOwn(ABSENT, name)) {
    return `${name} is absent on purpose. ${ABSENT[name]} ${describeScene(scene)}`;
  }
  for (const [space, members] of namespaces) {
    const [close] = nearestNames(name, members);
    if (close !== undefined) return `Write ${space}.${close}(...): it is a function of ${space}.`;
  }
  const [close] = nearestNames(name, [...namespaces.keys(), ...names, 'console']);
  if (close !== undefined) return `Did you mean ${close}?`;
  return `${name} is not declared in this code, and nothing is left of earlier runs. ${describeScene(scene)}`;
}

/** @param {string} space @param {string} name @param {Scene} scene */
function hintForFunction(space, name, { namespaces }) {
  const members = namespaces.get(space);
  if (members === undefined || members.includes(name)) return undefined;
  const close = nearestNames(name, members);
  if (close.length > 0) return `${space} has no ${name}. Did you mean ${list(close)}?`;
  return `${space} has no ${name}. It has ${list(members)}.`;
}

/** @param {Scene} scene */
function hintForImport(scene) {
  const { modules, kind } = scene;
  if (kind === 'module' && modules.length > 0) return `There are these modules: ${list(modules)}.`;
  return `Modules cannot be imported here. ${describeScene(scene)}`;
}

/** @param {Scene} scene */
function describeScene({ namespaces, names }) {
  const functions = [...namespaces].map(([space, members]) => `${space} (${list(members)})`);
  return `There are the objects of ECMAScript, ${[...names, 'console', ...functions].join(', ')}.`;
}

/** @param {readonly string[]} names */
function list(names) {
  const more = names.length - MAX_LISTED;
  return names.slice(0, MAX_LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/**
 * @param {'deadline' | 'terminated'} cause
 * @param {number} [ms] the limit
 */
function hintForStop(cause, ms = 0) {
  return cause === 'deadline' ? tooSlow(ms) : ENDED_BY_CALLER;
}

/** @param {number} ms */
function tooSlow(ms) {
  return `The code reached its limit of ${ms} ms. Do less in one run, make calls that do not depend on each other at once with Promise.all, and look for loops without an end.`;
}

module.exports = { hintForFailure, hintForResult, hintForSource, hintForStop };
