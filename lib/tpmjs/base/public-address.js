'use strict';
// Which addresses a request on behalf of somebody else may go to: those of the public internet.

const dns = require('node:dns');
const net = require('node:net');

/** What IANA's registries of special-purpose addresses list, as far as it is not globally reachable, and multicast. */
const SPECIAL = /** @type {const} */ ([
  [
    'ipv4',
    '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
  ],
  [
    'ipv6',
    '::/128 ::1/128 ::ffff:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8',
  ],
]);

const special = new net.BlockList();
for (const [family, subnets] of SPECIAL) {
  for (const subnet of subnets.split(' ')) {
    const [address, prefix] = subnet.split('/');
    special.addSubnet(address, Number(prefix), family);
  }
}

/** @param {string} address */
function isPublicAddress(address) {
  const family = net.isIP(address);
  return family !== 0 && !special.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/**
 * For the option `lookup` of a connection: what a name stands for is checked when it is used, so that it cannot change in
 * between.
 *
 * @param {string} hostname
 * @param {import('node:dns').LookupOptions} options
 * @param {(error: Error | null, ...found: any[]) => void} callback
 */
function lookupPublic(hostname, options, callback) {
  dns.lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error) {
      callback(error);
      return;
    }
    const hidden = found.find(({ address }) => !isPublicAddress(address));
    if (hidden !== undefined || found.length === 0) callback(notPublic(hostname));
    else if (options.all) callback(null, found);
    else callback(null, found[0].address, found[0].family);
  });
}

/** @param {string} hostname */
function notPublic(hostname) {
  return Object.assign(new Error(`${hostname} is no address of the public internet`), {
    code: 'ERR_ISOBOX_PRIVATE_ADDRESS',
  });
}

/**
 * @param {URL} url
 * @throws {Error} for an address in the URL itself, which is never looked up
 */
function checkUrlAddress({ hostname }) {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (net.isIP(address) !== 0 && !isPublicAddress(address)) throw notPublic(address);
}

module.exports = { checkUrlAddress, lookupPublic };
