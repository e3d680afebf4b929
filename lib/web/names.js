'use strict';
// The names that guests may be given, and the part of the guest library that has each.

/** What browsers and Node have in common. */
const WEB_GLOBALS = Object.freeze({
  AbortController: 'events',
  AbortSignal: 'events',
  ByteLengthQueuingStrategy: 'streams',
  CountQueuingStrategy: 'streams',
  CustomEvent: 'events',
  DOMException: 'errors',
  Event: 'events',
  EventTarget: 'events',
  Headers: 'fetch',
  ReadableStream: 'streams',
  Request: 'fetch',
  Response: 'fetch',
  TextDecoder: 'encoding',
  TextEncoder: 'encoding',
  TransformStream: 'streams',
  URL: 'url',
  URLSearchParams: 'url',
  WritableStream: 'streams',
  atob: 'base64',
  btoa: 'base64',
  clearInterval: 'timers',
  clearTimeout: 'timers',
  crypto: 'crypto',
  fetch: 'fetch',
  performance: 'timers',
  queueMicrotask: 'timers',
  setInterval: 'timers',
  setTimeout: 'timers',
  structuredClone: 'clone',
});

/** What only Node has. */
const NODE_GLOBALS = Object.freeze({
  Buffer: 'node-buffer',
  clearImmediate: 'timers',
  global: 'main',
  process: 'node-process',
  setImmediate: 'timers',
});

/** Modules of Node's, without their prefix; each part is the whole module. */
const NODE_MODULES = Object.freeze({
  assert: 'node-assert',
  'assert/strict': 'node-assert-strict',
  buffer: 'node-buffer',
  crypto: 'node-crypto',
  events: 'node-events',
  module: 'node-module',
  path: 'node-path',
  'path/posix': 'node-path',
  process: 'node-process',
  querystring: 'node-querystring',
  string_decoder: 'node-string-decoder',
  timers: 'timers',
  'timers/promises': 'node-timers-promises',
  url: 'node-url',
  util: 'node-util',
});

module.exports = { NODE_GLOBALS, NODE_MODULES, WEB_GLOBALS };
