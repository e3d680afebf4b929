'use strict';
// Which addresses a guest may reach by default: those that are public.

const { BlockList, isIPv6 } = require('node:net');

/** @type {[string, number][]} */
const PRIVATE_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];
/** Of the global unicast addresses: those that stand for others, or for nobody. */
const SPECIAL_IPV6 = /** @type {[string, number][]} */ ([
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]);

const privateIpv4 = new BlockList();
for (const [net, prefix] of PRIVATE_IPV4) privateIpv4.addSubnet(net, prefix, 'ipv4');
const globalIpv6 = new BlockList();
globalIpv6.addSubnet('2000::', 3, 'ipv6');
const specialIpv6 = new BlockList();
for (const [net, prefix] of SPECIAL_IPV6) specialIpv6.addSubnet(net, prefix, 'ipv6');

/** @param {string} address an IP address; one of IPv6 that holds one of IPv4 is not public */
function isPublicAddress(address) {
  if (!isIPv6(address)) return !privateIpv4.check(address, 'ipv4');
  return globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

module.exports = { isPublicAddress };
