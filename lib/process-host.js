'use strict';
// Where guests run, and what a pool needs to know to give them processes of their own.

const path = require('node:path');

const { native } = require('./native.js');
const { checkChoice, checkNumber } = require('./checks/options.js');

const PROGRAM = path.join(__dirname, 'guest-process.js');
const HOSTS = /** @type {const} */ (['thread', 'process']);
const SANDBOXES = /** @type {const} */ (['require', 'best', 'off']);
/** What `sandbox: 'require'` asks for. */
const ALL_LOCKS = ['no-new-privileges', 'descriptors', 'limits', 'landlock', 'seccomp'];
/** Of the host's variables: what a program may need to start, and what guests see of the host's language. */
const PASSED_ON = ['LD_LIBRARY_PATH', 'LC_ALL', 'LC_MESSAGES', 'LANG'];
/** Options of a pool that only its processes have a use for. */
const PROCESS_KEYS = ['processes', 'runsPerProcess', 'zygote', 'sandbox'];
/** Options of everybody who makes a pool of its own; the pool checks them. */
const HOST_KEYS = ['host', ...PROCESS_KEYS];

/** @param {readonly string[]} locks those that are there */
const missingLocks = (locks) => ALL_LOCKS.filter((lock) => !locks.includes(lock));

/**
 * @param {string} message
 * @param {string} code
 */
const unsupported = (message, code) => Object.assign(new Error(message), { code });

/**
 * @param {unknown} value
 * @param {string} where
 * @returns {'thread' | 'process'}
 */
function checkHost(value, where) {
  const host = checkChoice(value, where, HOSTS);
  if (host === 'process' && native.sandboxes === null) {
    throw unsupported(
      `${where}: 'process' needs Linux; leave it out, and guests run on threads`,
      'ERR_ISOBOX_NO_PROCESSES',
    );
  }
  return host;
}

/**
 * @param {Record<string, unknown>} options of a pool whose host is `process`
 * @returns {object} for the native pool
 */
function readProcessOptions({
  processes = 1,
  zygote = 0,
  runsPerProcess = zygote === 0 ? Infinity : zygote,
  sandbox = 'best',
}) {
  const isolates = checkNumber(zygote, 'options.zygote', { min: 0, max: 256 });
  const count = checkNumber(processes, 'options.processes', { min: 1, max: 256 });
  const runs = checkNumber(runsPerProcess, 'options.runsPerProcess', {
    min: 1,
    max: 2 ** 31,
    unlimited: true,
  });
  const wanted = checkChoice(sandbox, 'options.sandbox', SANDBOXES);
  const missing = missingLocks(native.sandboxes ?? []);
  if (wanted === 'require' && missing.length > 0) {
    throw unsupported(
      `options.sandbox: 'require' needs what this kernel does not offer: ${missing.join(', ')}. ` +
        "With 'best' guests run with the rest of it",
      'ERR_ISOBOX_SANDBOX',
    );
  }
  return {
    program: process.execPath,
    // Only the thread that forks is in the new process: V8 must not need others.
    arguments:
      isolates === 0
        ? [PROGRAM, String(process.pid), wanted]
        : ['--single-threaded', PROGRAM, String(process.pid), wanted, String(isolates)],
    isZygote: isolates > 0,
    environment: [
      ...PASSED_ON.filter((name) => process.env[name] !== undefined).map(
        (name) => `${name}=${process.env[name]}`,
      ),
      `TZ=${Intl.DateTimeFormat().resolvedOptions().timeZone}`, // which it could not look up once it is locked
      'UV_USE_IO_URING=0', // a ring would be a way around the filter of system calls
    ],
    count,
    runsPerProcess: runs === Infinity ? undefined : runs,
  };
}

module.exports = { HOST_KEYS, PROCESS_KEYS, checkHost, missingLocks, readProcessOptions };
