'use strict';
// A child process as a shell: whatever a guest does to V8, it does it there.

const { fork } = require('node:child_process');
const path = require('node:path');

const { native } = require('../native.js');
const { Shell } = require('./shell.js');

const ENTRY = path.join(__dirname, 'shell-process.js');

// The host's environment holds secrets; these are what a Node may need to start.
const PASSED_ON = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'SystemRoot', 'TMPDIR', 'TZ'];

function createProcessShell() {
  const env = Object.fromEntries(
    PASSED_ON.filter((name) => process.env[name] !== undefined).map((name) => [
      name,
      process.env[name],
    ]),
  );
  const child = native.withoutInheritance(() =>
    fork(ENTRY, [], {
      cwd: path.parse(ENTRY).root, // is always there, and says nothing of the host
      env,
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    }),
  );
  const shell = new Shell({
    send: (message) =>
      new Promise((resolve, reject) => {
        child.send(message, (error) => (error ? reject(error) : resolve(undefined)));
      }),
    hold() {
      child.ref();
      child.channel?.ref();
    },
    unhold() {
      child.unref();
      child.channel?.unref();
    },
    kill: () => void child.kill('SIGKILL'),
  });
  child.on('message', (message) => shell.receive(message));
  child.on('error', (error) => {
    // It could not be started; where it could, its exit says more.
    if (child.pid === undefined) {
      shell.end({ message: `The process did not start: ${error.message}` });
    }
  });
  child.on('exit', (code, signal) => {
    const how = signal === null ? `exit code ${code}` : signal;
    shell.end({ code, signal, message: `The process ended (${how})` });
  });
  return { shell, ready: shell.ready };
}

module.exports = { createProcessShell };
