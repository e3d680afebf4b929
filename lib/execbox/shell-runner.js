'use strict';
// The inside of a shell: a pool of one thread behind a protocol endpoint.

const { IsolatePool } = require('../pool.js');
const { attachProtocolEndpoint } = require('../protocol/endpoint.js');
const { PROBE, READY } = require('./shell.js');

/** @param {import('../../types/protocol.js').RunnerPort} port */
async function serveShell(port) {
  // A shell that nobody needs is ended as a whole; until then it stays warm.
  const pool = new IsolatePool({ threads: 1, warm: { target: 1, idleMs: 2 ** 31 } });
  const announce = () => port.send(/** @type {any} */ ({ type: READY }));
  attachProtocolEndpoint(port, { pool });
  port.onMessage(async (message) => {
    if (/** @type {any} */ (message)?.type === PROBE && (await isUnharmed(pool))) announce();
  });
  await pool.prewarm(1);
  announce();
}

/** @param {import('../../types/index.js').IsolatePool} pool runs guests on one thread: the next one gets it only when the last one has left it */
async function isUnharmed(pool) {
  const { ok } = await pool.run({ source: '' });
  return ok && pool.stats().stuck === 0;
}

module.exports = { serveShell };
