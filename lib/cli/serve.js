'use strict';
// What commands that serve over HTTP have in common.

const { EXIT } = require('./exit-codes.js');

/**
 * @param {import('node:http').Server} server
 * @param {number} port
 * @param {string} host
 * @returns {Promise<string>} its address
 */
async function listen(server, port, host) {
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(undefined));
  });
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${shown}:${address.port}`;
}

/** @returns {Promise<number>} the exit code; a second signal of the same kind ends the process at once */
function untilSignal() {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve(EXIT.terminated));
    process.once('SIGINT', () => resolve(EXIT.interrupted));
  });
}

module.exports = { listen, untilSignal };
