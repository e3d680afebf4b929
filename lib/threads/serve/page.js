'use strict';
// The page that shows threads in a browser. It holds nothing of them: its script asks for a token, and reads them with it.

const fs = require('node:fs');
const path = require('node:path');

const FOLDER = path.join(__dirname, '..', 'page');
/** @type {Record<string, string>} */
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};
const HEADERS = {
  'cache-control': 'no-cache',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Files of the page, by the path they are served at. @type {Map<string, string> | undefined} */
let files;

function listFiles() {
  const names = fs.readdirSync(FOLDER).filter((name) => name !== 'index.html');
  return new Map([
    ['/', 'index.html'],
    ...names.map((name) => /** @type {const} */ ([`/page/${name}`, name])),
  ]);
}

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 * @returns {boolean} false when it is no part of the page that is asked for
 */
function servePage(request, response) {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  files ??= listFiles();
  const name = files.get(new URL(request.url ?? '/', 'http://localhost').pathname);
  if (name === undefined) return false;
  const bytes = fs.readFileSync(path.join(FOLDER, name));
  response.writeHead(200, {
    ...HEADERS,
    'content-type': TYPES[path.extname(name)],
    'content-length': bytes.length,
  });
  response.end(request.method === 'HEAD' ? undefined : bytes);
  return true;
}

module.exports = { servePage };
