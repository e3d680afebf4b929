'use strict';
// A guest that has taken over its process: locks this process in as a guest process is, and tries to get out.
// `node drill.js <attempt> <detail>` prints how it fared, unless the kernel ends it first.

const childProcess = require('node:child_process');
const dgram = require('node:dgram');
const fs = require('node:fs');
const net = require('node:net');

const { native } = require('../../lib/native.js');

// What was open before it was locked in.
const host = process.ppid;
fs.openSync(__filename, 'r');

const locks = native.lockDown();

/** @param {net.Socket} socket */
const connected = (socket) =>
  new Promise((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject);
  });

function refuse() {
  throw Object.assign(new Error('it did not work'), { code: 'REFUSED' });
}

/** @type {Record<string, () => unknown>} each returns, or resolves, when it got its way */
const ATTEMPTS = {
  'read a file': () => fs.readFileSync('/etc/passwd'),
  'read its own program': () => fs.readFileSync(__filename),
  'read what was open before': () => {
    const buffer = Buffer.alloc(1);
    for (let descriptor = 3; descriptor < 64; descriptor++) {
      try {
        if (fs.readSync(descriptor, buffer, 0, 1, 0) > 0) return descriptor;
      } catch {
        // It is closed, or cannot be read like that.
      }
    }
    return refuse();
  },
  'write a file': () => fs.writeFileSync('/tmp/isobox-drill', 'x'),
  'make a directory': () => fs.mkdirSync('/tmp/isobox-drill-directory'),
  'remove a file': () => fs.rmSync(__filename),
  'rename a file': () => fs.renameSync(__filename, `${__filename}.old`),
  'link a file': () => fs.linkSync(__filename, '/tmp/isobox-drill-link'),
  'list a directory': () => fs.readdirSync('/'),
  'look at a file': () => fs.statSync('/etc/passwd'),
  'change the rights of a file': () => fs.chmodSync(__filename, 0o777),
  "read the host's memory": () => fs.openSync(`/proc/${host}/mem`, 'r+'),
  "read the host's variables": () => fs.readFileSync(`/proc/${host}/environ`),
  'read its own mappings': () => fs.readFileSync('/proc/self/maps'),
  'open a terminal': () => fs.openSync('/dev/tty', 'r+'),
  'change its directory': () => process.chdir('/tmp'),
  'change its user': () => process.setuid?.(12345),
  'lower the priority of the host': () => require('node:os').setPriority(host, 19),
  'start a program': () => childProcess.execFileSync('/bin/true'),
  'start itself again': () =>
    childProcess.spawnSync(process.execPath, ['-e', '0']).status === 0 || refuse(),
  'signal the host': () => process.kill(host, 0),
  'end the host': () => process.kill(host, 'SIGTERM'),
  'signal every process': () => process.kill(-1, 0),
  'connect to a port': () => connected(net.connect(80, '127.0.0.1')),
  'listen on a port': () => net.createServer().listen(0),
  'connect to a socket of the system': () => connected(net.connect('/run/dbus/system_bus_socket')),
  'send a datagram': () =>
    new Promise((resolve, reject) => {
      const socket = dgram.createSocket('udp4');
      socket.once('error', reject);
      socket.send('x', 53, '127.0.0.1', (error) => (error ? reject(error) : resolve(undefined)));
    }),
  'look up a name': () => require('node:dns').promises.resolve4('localhost'),
  'make a pipe with a name': () =>
    childProcess.spawnSync('/usr/bin/mkfifo', ['/tmp/isobox-drill-fifo']).status === 0 || refuse(),
  'load a library': () => process.dlopen({ exports: {} }, '/lib/x86_64-linux-gnu/libm.so.6'),
  'watch a file': () => fs.watch('/etc/passwd'),
};

async function main() {
  const [, , name] = process.argv;
  if (!name) return { locks, attempts: Object.keys(ATTEMPTS) };
  try {
    await ATTEMPTS[name]();
    return { escaped: true };
  } catch (error) {
    return { escaped: false, code: error.code };
  }
}

// A pipe is what the process has kept.
main().then((fate) => {
  /** @type {any} */ (process)._rawDebug(JSON.stringify(fate));
  process.abort(); // Node cannot leave in order: it looks at its descriptors once more
});
