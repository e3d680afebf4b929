'use strict';
// The packages that only threads need. They are optional peers: loaded when something needs them, with a message that
// says what to install.

/**
 * @template T
 * @param {string} name
 * @param {string} need
 * @param {() => T} load
 * @returns {T}
 */
function loadPeer(name, need, load) {
  try {
    return load();
  } catch (error) {
    const [reason] = String(/** @type {any} */ (error)?.message).split('\n');
    throw new Error(
      `${need} needs the package ${name}. Install it with: npm install ${name} (${reason})`,
      {
        cause: error,
      },
    );
  }
}

module.exports = {
  loadLmdb: () => loadPeer('lmdb', 'A store in a directory', () => require('lmdb')),
  loadPg: () => loadPeer('pg', 'A store in PostgreSQL', () => require('pg')),
  loadWs: () => loadPeer('ws', 'Streaming threads over WebSockets', () => require('ws')),
};
