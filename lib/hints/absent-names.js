'use strict';
// Names of browsers, Node and other languages that guests do not have, and what they can use instead.

const TIMERS =
  'Guests have no timers. Await the functions you call; there is nothing else to wait for.';
const NETWORK = 'Guests have no network. Call a function that the host gives you.';
const FILES =
  'Guests have no files and no modules of Node. Call a function that the host gives you.';
const PAGE = 'There is no web page here, and no browser.';
const BYTES = 'Use Uint8Array for bytes, and strings for text.';
const MODULES =
  'Guests cannot load modules. Use what ECMAScript has, and the functions that the host gives you.';
const RESULT = 'Return the result instead.';
const PRINT = 'Use console.log().';

/** @type {Readonly<Record<string, string>>} */
const ABSENT = Object.freeze({
  setTimeout: TIMERS,
  setInterval: TIMERS,
  setImmediate: TIMERS,
  clearTimeout: TIMERS,
  clearInterval: TIMERS,
  requestAnimationFrame: TIMERS,
  queueMicrotask: 'Use Promise.resolve().then().',
  fetch: NETWORK,
  XMLHttpRequest: NETWORK,
  WebSocket: NETWORK,
  axios: NETWORK,
  Request: NETWORK,
  Response: NETWORK,
  Headers: NETWORK,
  FormData: NETWORK,
  AbortController: 'Calls end with the run; there is nothing to abort.',
  require: MODULES,
  module: RESULT,
  exports: RESULT,
  process: 'Guests do not see the process, its environment or its arguments.',
  global: 'Use globalThis.',
  __dirname: FILES,
  __filename: FILES,
  fs: FILES,
  path: FILES,
  os: FILES,
  child_process: FILES,
  Deno: FILES,
  Bun: FILES,
  Buffer: BYTES,
  Blob: BYTES,
  TextEncoder: BYTES,
  TextDecoder: BYTES,
  atob: BYTES,
  btoa: BYTES,
  URL: 'Take URLs apart with string methods and regular expressions.',
  URLSearchParams: 'Build query strings with encodeURIComponent().',
  structuredClone: 'Copy plain data with JSON.parse(JSON.stringify(value)).',
  crypto: 'There is no crypto. Math.random() is there; for keys, call a function of the host.',
  performance: 'Use Date.now().',
  window: PAGE,
  document: PAGE,
  navigator: PAGE,
  location: PAGE,
  localStorage: `${PAGE} Nothing is kept between runs: return what you need later.`,
  sessionStorage: `${PAGE} Nothing is kept between runs: return what you need later.`,
  alert: PRINT,
  print: PRINT,
  prompt: 'Nobody can be asked. Return what you have.',
  confirm: 'Nobody can be asked. Return what you have.',
  _: 'lodash is not here. Use the methods of arrays and objects.',
  lodash: 'Use the methods of arrays and objects.',
  moment: 'Use Date.',
  dayjs: 'Use Date.',
  $: PAGE,
  jQuery: PAGE,
  WebAssembly: 'WebAssembly is turned off.',
  SharedArrayBuffer: 'Shared memory is turned off.',
  Atomics: 'Shared memory is turned off.',
  None: 'This is JavaScript: use null.',
  True: 'This is JavaScript: use true.',
  False: 'This is JavaScript: use false.',
  len: 'This is JavaScript: use .length.',
  range: 'This is JavaScript: use a for loop.',
  str: 'This is JavaScript: use String().',
});

module.exports = { ABSENT };
