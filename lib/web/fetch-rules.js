'use strict';
// What a guest's fetch may do: where to, how much, how long.

const dns = require('node:dns');
const { isIP } = require('node:net');

const { checkBoolean, checkFunction, checkNumber, checkRecord } = require('../checks/options.js');
const { isPublicAddress } = require('./addresses.js');

const MiB = 2 ** 20;
const FETCH_KEYS = [
  'origins',
  'allowPrivate',
  'timeoutMs',
  'maxBodyBytes',
  'maxRequestBytes',
  'maxInFlight',
  'lookup',
];

/**
 * @param {unknown} value
 * @param {string} where
 * @returns {(url: URL) => boolean} whether a URL is of one of the origins
 */
function readOrigins(value, where) {
  if (!Array.isArray(value)) {
    throw new TypeError(
      `${where} must be an array of origins, such as 'https://api.example.com', or ['*'] for all`,
    );
  }
  if (value.includes('*')) return () => true;
  const origins = new Set(
    value.map((entry, i) => {
      const url = typeof entry === 'string' && URL.canParse(entry) ? new URL(entry) : undefined;
      if (!url || !['http:', 'https:'].includes(url.protocol) || url.href !== `${url.origin}/`) {
        throw new TypeError(`${where}[${i}] must be an origin, such as 'https://api.example.com'`);
      }
      return url.origin;
    }),
  );
  return (url) => origins.has(url.origin);
}

/**
 * @param {unknown} value
 * @param {string} where
 */
function readFetchRules(value, where) {
  const options = checkRecord(value, where, FETCH_KEYS);
  const { allowPrivate = false, timeoutMs = 30_000, maxBodyBytes = 8 * MiB } = options;
  const { maxRequestBytes = MiB, maxInFlight = 16, lookup = dns.lookup } = options;
  const amount = { min: 0, max: Number.MAX_SAFE_INTEGER };
  return {
    isAllowedOrigin: readOrigins(options.origins, `${where}.origins`),
    allowPrivate: checkBoolean(allowPrivate, `${where}.allowPrivate`),
    timeoutMs: checkNumber(timeoutMs, `${where}.timeoutMs`, { min: 1, max: 2 ** 31 - 1 }),
    maxBodyBytes: checkNumber(maxBodyBytes, `${where}.maxBodyBytes`, amount),
    maxRequestBytes: checkNumber(maxRequestBytes, `${where}.maxRequestBytes`, amount),
    maxInFlight: checkNumber(maxInFlight, `${where}.maxInFlight`, { min: 1, max: 10_000 }),
    lookup: /** @type {typeof dns.lookup} */ (checkFunction(lookup, `${where}.lookup`)),
  };
}

/** @typedef {ReturnType<typeof readFetchRules>} FetchRules */

/**
 * @param {string} message
 * @param {string} code
 */
const refusal = (message, code) => Object.assign(new Error(message), { code });

/**
 * @param {string} address
 * @param {string} hostname
 */
const privateAddress = (address, hostname) =>
  refusal(
    address === hostname
      ? `${address} is not a public address`
      : `'${hostname}' leads to ${address}, which is not a public address`,
    'ERR_ISOBOX_FETCH_ADDRESS',
  );

/**
 * Throws unless a guest may ask for this. A name is looked at again when it is resolved.
 *
 * @param {URL} url
 * @param {FetchRules} rules
 */
function checkUrl(url, rules) {
  if (!['http:', 'https:'].includes(url.protocol)) {
    throw refusal(`'${url.protocol}' is neither http: nor https:`, 'ERR_ISOBOX_FETCH_ORIGIN');
  }
  if (!rules.isAllowedOrigin(url)) {
    throw refusal(`the origin ${url.origin} is not allowed`, 'ERR_ISOBOX_FETCH_ORIGIN');
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!rules.allowPrivate && isIP(host) && !isPublicAddress(host)) {
    throw privateAddress(host, host);
  }
}

/**
 * A lookup for sockets: they connect to the very addresses that were looked at here.
 *
 * @param {FetchRules} rules
 * @returns {import('node:net').LookupFunction}
 */
const guardedLookup = (rules) => (hostname, options, callback) => {
  const all = /** @type {import('node:dns').LookupAllOptions} */ ({ ...options, all: true });
  rules.lookup(hostname, all, (error, addresses) => {
    if (error) return callback(error, '', 0);
    const hidden = addresses.find(
      ({ address }) => !rules.allowPrivate && !isPublicAddress(address),
    );
    if (hidden !== undefined) return callback(privateAddress(hidden.address, hostname), '', 0);
    if (addresses.length === 0) {
      return callback(refusal(`'${hostname}' has no address`, 'ENOTFOUND'), '', 0);
    }
    if (options.all) return callback(null, addresses);
    return callback(null, addresses[0].address, addresses[0].family);
  });
};

module.exports = { checkUrl, guardedLookup, readFetchRules, refusal };
