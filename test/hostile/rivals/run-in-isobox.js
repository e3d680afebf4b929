'use strict';

const { IsolatePool } = require('../../../lib/index.js');

/** @type {import('isobox').IsolatePool | undefined} */
let pool;

/** @type {import('./subject.js').Runner} */
async function run(source, { wallMs, memoryMiB }, host) {
  pool ??= new IsolatePool();
  const { ok, value, cause, error } = /** @type {any} */ (
    await pool.run({
      source,
      namespaces: { host: /** @type {any} */ (host) },
      limits: { wallMs, memoryBytes: memoryMiB * 2 ** 20 },
    })
  );
  if (ok) return { end: 'value', value };
  const end = cause === 'guest_error' || cause === 'link_error' ? 'error' : 'stopped';
  return { end, text: `${cause}: ${error.message}` };
}

module.exports = { run };
