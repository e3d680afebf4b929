'use strict';
// Mistakes that models make, and what each is told. `tools` has get_user({ id }), list_users() and send_mail().

/**
 * @typedef {object} Mistake
 * @property {string} code
 * @property {string} [error] the beginning of `name: message`
 * @property {[number, number]} [at] line and column in `code`
 * @property {string | RegExp} hint what the hint has in it
 * @property {string} [message] what the message has in it, where the advice is there
 */

/** @type {Record<string, Mistake>} */
const MISTAKES = {
  // What other platforms have.
  'a timer': {
    code: 'setTimeout(() => {}, 10)',
    error: 'ReferenceError: setTimeout',
    at: [1, 1],
    hint: 'absent on purpose. Guests have no timers',
  },
  'a sleep': {
    code: 'const a = 1;\nawait new Promise((r) => setTimeout(r, 100));',
    error: 'ReferenceError: setTimeout',
    at: [2, 26],
    hint: 'no timers',
  },
  'an interval': {
    code: 'const id = setInterval(() => {}, 1)',
    error: 'ReferenceError: setInterval',
    at: [1, 12],
    hint: 'no timers',
  },
  fetch: {
    code: 'const r = await fetch("https://example.com")',
    error: 'ReferenceError: fetch',
    at: [1, 17],
    hint: /no network.*tools \(get_user, list_users, send_mail\)/,
  },
  axios: {
    code: 'return (await axios.get("x")).data',
    error: 'ReferenceError: axios',
    hint: 'no network',
  },
  require: {
    code: 'const fs = require("fs")',
    error: 'ReferenceError: require',
    at: [1, 12],
    hint: 'cannot load modules',
  },
  'a file system': {
    code: 'return fs.readFileSync("/etc/passwd", "utf8")',
    error: 'ReferenceError: fs',
    at: [1, 8],
    hint: 'no files',
  },
  'the environment': {
    code: 'return process.env.HOME',
    error: 'ReferenceError: process',
    at: [1, 8],
    hint: 'do not see the process',
  },
  Buffer: {
    code: 'return Buffer.from("a").toString("base64")',
    error: 'ReferenceError: Buffer',
    at: [1, 8],
    hint: 'Use Uint8Array',
  },
  atob: { code: 'return atob("YQ==")', error: 'ReferenceError: atob', hint: 'Use Uint8Array' },
  URL: {
    code: 'return new URL("https://a.b/c").pathname',
    error: 'ReferenceError: URL',
    hint: 'string methods',
  },
  structuredClone: {
    code: 'return structuredClone({ a: 1 })',
    error: 'ReferenceError: structuredClone',
    hint: 'JSON.parse(JSON.stringify(value))',
  },
  'a random id': {
    code: 'return crypto.randomUUID()',
    error: 'ReferenceError: crypto',
    hint: 'Math.random()',
  },
  'the time of a page': {
    code: 'return performance.now()',
    error: 'ReferenceError: performance',
    hint: 'Use Date.now()',
  },
  'a page': {
    code: 'return document.title',
    error: 'ReferenceError: document',
    hint: 'no web page',
  },
  'a window': { code: 'window.result = 1', error: 'ReferenceError: window', hint: 'no web page' },
  storage: {
    code: 'localStorage.setItem("a", "1")',
    error: 'ReferenceError: localStorage',
    hint: 'Nothing is kept between runs',
  },
  'exports of CommonJS': {
    code: 'module.exports = { a: 1 }',
    error: 'ReferenceError: module',
    hint: 'Return the result',
  },
  'lodash without an import': {
    code: 'return _.groupBy([1], String)',
    error: 'ReferenceError: _',
    hint: 'methods of arrays',
  },
  alert: { code: 'alert("done")', error: 'ReferenceError: alert', hint: 'console.log()' },
  'print of Python': {
    code: 'print("done")',
    error: 'ReferenceError: print',
    hint: 'console.log()',
  },
  'None of Python': { code: 'return None', error: 'ReferenceError: None', hint: 'use null' },
  eval: {
    code: 'return eval("1 + 1")',
    error: 'EvalError: Code generation',
    hint: 'turned off on purpose',
  },
  'new Function': {
    code: 'return new Function("return 1")()',
    error: 'EvalError: Code generation',
    hint: 'turned off on purpose',
  },
  // Modules.
  'an import': {
    code: 'import _ from "lodash";\nreturn _.chunk([1, 2], 1);',
    error: 'SyntaxError: ',
    at: [1, 1],
    hint: /cannot be imported here.*tools \(get_user/,
  },
  'an import at run time': {
    code: 'const _ = await import("lodash");',
    error: 'Error: Not supported',
    at: [1, 11],
    hint: 'cannot be imported here',
  },
  // Names.
  'a tool in camelCase': {
    code: 'return await tools.getUser({ id: 1 })',
    error: 'TypeError: tools.getUser is not a function',
    at: [1, 20],
    hint: 'Did you mean get_user?',
  },
  'a misspelt tool': {
    code: 'return await tools.get_usr({ id: 1 })',
    error: 'TypeError: tools.get_usr',
    hint: 'Did you mean get_user?',
  },
  'a tool that is not there': {
    code: 'return await tools.delete_everything()',
    error: 'TypeError: tools.delete_everything',
    hint: 'It has get_user, list_users, send_mail',
  },
  'the original name of a tool': {
    code: 'return await tools["send-mail"]({})',
    error: 'TypeError: tools.send-mail',
    hint: 'Did you mean send_mail?',
  },
  'a tool without its namespace': {
    code: 'return await get_user({ id: 1 })',
    error: 'ReferenceError: get_user',
    at: [1, 14],
    hint: 'Write tools.get_user(...)',
  },
  'a misspelt namespace': {
    code: 'return await tool.get_user({ id: 1 })',
    error: 'ReferenceError: tool',
    hint: 'Did you mean tools?',
  },
  'a variable of an earlier run': {
    code: 'return users.length',
    error: 'ReferenceError: users',
    at: [1, 8],
    hint: 'nothing is left of earlier runs',
  },
  'a variable that hides the tools': {
    code: 'const tools = await tools.list_users(); return tools',
    error: "ReferenceError: Cannot access 'tools'",
    hint: 'Give the variable another name',
  },
  'a name before its declaration': {
    code: 'const a = b + 1; const b = 2; return a',
    error: "ReferenceError: Cannot access 'b'",
    hint: 'Move the declaration up',
  },
  // Promises.
  'a promise inside the result': {
    code: 'return { user: tools.get_user({ id: 1 }) }',
    message: 'value.user is a Promise',
    hint: 'write `await tools.get_user(...)`',
  },
  'a promise used as an object': {
    code: 'const user = tools.get_user({ id: 1 });\nreturn user.name;',
    hint: 'write `await tools.get_user(...)`. user comes from its promise',
  },
  'a promise used as an array': {
    code: 'const users = tools.list_users();\nreturn users.map((u) => u.name);',
    error: 'TypeError: users.map',
    at: [2, 14],
    hint: 'write `await tools.list_users(...)`',
  },
  'a promise in a loop': {
    code: 'for (const u of tools.list_users()) console.log(u)',
    error: 'TypeError: ',
    hint: 'write `await tools.list_users(...)`',
  },
  'a promise taken apart': {
    code: 'const { name } = tools.get_user({ id: 1 }); return name',
    hint: 'write `await tools.get_user(...)`',
  },
  'a promise in text': {
    code: 'return "Hello " + tools.get_user({ id: 1 })',
    hint: 'write `await tools.get_user(...)`',
  },
  'await at the wrong place': {
    code: 'return await tools.get_user({ id: 1 }).name',
    hint: 'write `await tools.get_user(...)`',
  },
  'a property of a promise': {
    code: 'return tools.get_user({ id: 1 }).name.toUpperCase()',
    error: 'TypeError: Cannot read',
    hint: 'write `await tools.get_user(...)`',
  },
  // Results.
  'no result': { code: 'const result = 1 + 1;', hint: 'End it with return' },
  'a function, and no result': {
    code: 'const double = (n) => { return n * 2 };\nconst result = double(4);',
    hint: 'End it with return',
  },
  NaN: {
    code: 'return { mean: 0 / 0 }',
    message: 'value.mean is not a finite number',
    hint: 'plain objects',
  },
  'a bigint': {
    code: 'return 2n ** 64n',
    message: 'value is a bigint: convert it with String()',
    hint: 'plain objects',
  },
  'an object of a class': {
    code: 'class Point { x = 1 }\nreturn new Point()',
    message: 'not a plain object or array: copy its fields',
    hint: 'plain objects',
  },
  'a Map': {
    code: 'return new Map([["a", 1]])',
    message: 'is a Map: convert it with Object.fromEntries()',
    hint: 'plain objects',
  },
  'a Set': {
    code: 'return { tags: new Set(["a"]) }',
    message: 'value.tags is a Set: convert it with Array.from()',
    hint: 'plain objects',
  },
  'a Date': {
    code: 'return new Date(0)',
    message: 'is a Date: convert it with toISOString()',
    hint: 'plain objects',
  },
  'a function as result': {
    code: 'return { run: () => 1 }',
    message: 'value.run is a function: call it',
    hint: 'plain objects',
  },
  'an Error as result': {
    code: 'return new Error("x")',
    message: 'is an Error: use its message',
    hint: 'plain objects',
  },
  'a cycle': {
    code: 'const a = {}; a.self = a; return a',
    message: 'value.self is part of a cycle',
    hint: 'plain objects',
  },
  // Errors of their own.
  'a thrown object': {
    code: 'throw { code: 5, reason: "x" }',
    message: 'with the keys code, reason',
    hint: 'throw new Error',
  },
  'thrown text': { code: 'throw "no user"', message: 'no user', hint: 'throw new Error' },
  'a missing property': {
    code: 'const user = await tools.get_user({ id: 1 });\nreturn user.address.city;',
    error: 'TypeError: Cannot read',
    at: [2, 21],
    hint: 'What should have the property city is undefined',
  },
  'a call of a property': {
    code: 'return [1].length()',
    error: 'TypeError: ',
    hint: 'length is a property',
  },
  'an object in a loop': {
    code: 'const o = { a: 1 }; for (const x of o) x',
    error: 'TypeError: o is not iterable',
    hint: 'Object.entries()',
  },
  'a const that changes': {
    code: 'const n = 0;\nn += 1;\nreturn n;',
    error: 'TypeError: Assignment to constant',
    at: [2, 3],
    hint: 'let instead of const',
  },
  'JSON that is an object already': {
    code: 'return JSON.parse(await tools.get_user({ id: 1 }))',
    error: 'SyntaxError: "[object Object]"',
    hint: 'without JSON.parse()',
  },
  'text that is no JSON': {
    code: 'return JSON.parse("{a: 1}")',
    error: 'SyntaxError: ',
    hint: 'The text is not JSON',
  },
  'endless recursion': {
    code: 'const f = () => f(); f()',
    error: 'RangeError: Maximum call stack',
    hint: 'Use a loop',
  },
  // Text that is no program.
  'an open bracket': {
    code: 'return JSON.stringify({a:1}',
    error: 'SyntaxError: Unexpected end of input',
    at: [1, 28],
    hint: 'not closed',
  },
  'an open function': {
    code: 'const f = () => {\n  return 1;\n',
    error: 'SyntaxError: Unexpected end of input',
    hint: 'not closed',
  },
  'a name declared twice': {
    code: 'const a = 1;\nconst a = 2;',
    error: "SyntaxError: Identifier 'a'",
    at: [2, 7],
    hint: 'Declare each name once',
  },
  Python: {
    code: 'def total(a):\n    return sum(a)',
    error: 'SyntaxError: ',
    at: [1, 5],
    hint: 'looks like Python',
  },
  markup: { code: '<div>{1}</div>', error: 'SyntaxError: ', hint: 'without markup' },
  // Limits.
  'an endless loop': { code: 'for (;;);', message: 'timed out', hint: 'its limit of 300 ms' },
  'too much memory': {
    code: 'const kept = []; for (;;) kept.push(new Array(1e5).fill(1.5))',
    hint: 'its limit of 16 MiB',
  },
};

module.exports = { MISTAKES };
