'use strict';
// Entry of process shells. They live as long as the channel to their host.

const { serveShell } = require('./shell-runner.js');

const host = /** @type {Required<Pick<NodeJS.Process, 'send'>>} */ (process);

process.on('disconnect', () => process.exit());
// A terminal sends these to the whole group; when to end is the host's to say.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

void serveShell({
  onMessage: (handler) => void process.on('message', handler),
  send: (message) => void host.send(message),
});
