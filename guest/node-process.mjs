// What of Node's process a guest has: the variables of its request, and facts that are true for all guests.

import { EventEmitter } from 'part:node-events';
import { performance, queueMicrotask } from 'part:timers';

const process = Object.assign(new EventEmitter(), {
  title: 'isobox',
  browser: false,
  platform: 'linux',
  arch: 'x64',
  pid: 1,
  version: settings.nodeVersion,
  versions: { node: settings.nodeVersion.slice(1) },
  env: settings.env,
  argv: ['node', 'guest'],
  execArgv: [],
  execPath: '/node',
  release: { name: 'node' },
  exitCode: undefined,
  stdout: undefined,
  stderr: undefined,
  cwd: () => '/',
  nextTick: (callback, ...args) => queueMicrotask(() => callback(...args)),
  uptime: () => performance.now() / 1000,
  hrtime: Object.assign(
    (since = [0, 0]) => {
      const now = host.now();
      let seconds = Math.floor(now / 1000) - since[0];
      let nanos = Math.floor((now % 1000) * 1e6) - since[1];
      if (nanos < 0) {
        seconds -= 1;
        nanos += 1e9;
      }
      return [seconds, nanos];
    },
    { bigint: () => BigInt(Math.floor(host.now() * 1e6)) },
  ),
  memoryUsage: () => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 }),
  emitWarning: (warning) => globalThis.console?.warn(String(warning?.message ?? warning)),
  exit(code) {
    throw new Error(`process.exit(${code ?? ''}) is not there for guests: return instead`);
  },
});

export { process, process as default };
