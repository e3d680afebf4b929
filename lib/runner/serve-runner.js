'use strict';
// A runner as a process: executions for the host at the other end of its standard streams.

const { once } = require('node:events');
const { setTimeout: sleep } = require('node:timers/promises');

const { IsolatePool } = require('../pool.js');
const { ProtocolEndpoint } = require('../protocol/endpoint.js');
const { StreamPort } = require('./stream-port.js');

// For the last words to a host that may not listen any more.
const LEAVE_MS = 500;

/**
 * @param {object} options
 * @param {import('node:stream').Readable} options.input
 * @param {import('node:stream').Writable} options.output
 * @param {'thread' | 'process'} options.host
 * @param {number} options.maxLineBytes
 * @param {(line: number, reason: string) => void} options.onRefusal told of lines that are ignored
 * @returns {Promise<'input' | 'output' | 'SIGINT' | 'SIGTERM'>} what ended it; nothing runs any more
 */
async function serveRunner({ input, output, host, maxLineBytes, onRefusal }) {
  const pool = new IsolatePool({ host, threads: 1, warm: { target: 1, idleMs: 2 ** 31 } });
  const port = new StreamPort(input, output, { maxLineBytes, onRefusal });
  const signalled = Promise.race(
    /** @type {const} */ (['SIGINT', 'SIGTERM']).map((name) =>
      once(process, name).then(() => name),
    ),
  );
  // The port has checked its messages, so nobody does it again.
  const endpoint = new ProtocolEndpoint(port, pool);
  void pool.prewarm(1);
  const end = await Promise.race([port.serve(), signalled]);
  await Promise.race([port.close(), sleep(LEAVE_MS)]);
  await endpoint.dispose();
  await pool.dispose();
  return end;
}

module.exports = { serveRunner };
