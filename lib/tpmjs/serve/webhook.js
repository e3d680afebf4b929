'use strict';
// Tells whoever asked for it what an execution came to.

const http = require('node:http');
const https = require('node:https');
const { setTimeout: sleep } = require('node:timers/promises');

const { checkUrl, guardedLookup, readFetchRules } = require('../../web/fetch-rules.js');
const { Failure } = require('../base/failures.js');

const ATTEMPTS = 3;
const ATTEMPT_MS = 10_000;
const PAUSE_MS = 500;

/**
 * @param {unknown} given
 * @param {boolean} allowPrivate
 * @returns {URL}
 */
function readWebhook(given, allowPrivate) {
  if (typeof given !== 'string' || given === '') {
    throw new Failure('badRequest', 'Missing required fields: webhookUrl');
  }
  let url;
  try {
    url = new URL(given);
    checkUrl(url, rulesOf(allowPrivate));
  } catch (error) {
    throw new Failure('badRequest', `webhookUrl: ${/** @type {Error} */ (error).message}`);
  }
  return url;
}

/** @param {boolean} allowPrivate the rules of a guest's own fetch */
function rulesOf(allowPrivate) {
  return readFetchRules({ origins: ['*'], allowPrivate }, 'fetch');
}

/**
 * @param {URL} url
 * @param {string} text JSON
 * @param {{ allowPrivate: boolean, version: string }} how
 * @returns {Promise<boolean>} whether it was accepted; never rejects
 */
async function callWebhook(url, text, how) {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const status = await post(url, text, how).catch(() => 0);
    if (status >= 200 && status < 300) return true;
    // It was understood and refused: the same again changes nothing.
    if (status >= 300 && status < 500 && status !== 429) return false;
    if (attempt < ATTEMPTS) await sleep(PAUSE_MS * attempt);
  }
  return false;
}

/**
 * @param {URL} url
 * @param {string} text
 * @param {{ allowPrivate: boolean, version: string }} how
 * @returns {Promise<number>} the status; redirects are not followed
 */
function post(url, text, { allowPrivate, version }) {
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
        'x-tpmjs-protocol-version': version,
      },
      signal: AbortSignal.timeout(ATTEMPT_MS),
      lookup: guardedLookup(rulesOf(allowPrivate)),
    });
    sent.once('error', reject);
    sent.once('response', (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    sent.end(text);
  });
}

module.exports = { callWebhook, readWebhook };
