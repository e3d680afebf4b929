'use strict';
// What a pool needs to know to give its guests processes of their own.

const path = require('node:path');

const { native } = require('./native.js');
const { checkChoice, checkNumber } = require('./options.js');

const PROGRAM = path.join(__dirname, 'guest-process.js');
const SANDBOXES = /** @type {const} */ (['require', 'best', 'off']);
/** What `sandbox: 'require'` asks for. */
const ALL_LOCKS = ['no-new-privileges', 'descriptors', 'limits', 'landlock', 'seccomp'];
/** Of the host's variables: what a program may need to start, and what guests see of the host's language. */
const PASSED_ON = ['LD_LIBRARY_PATH', 'LC_ALL', 'LC_MESSAGES', 'LANG'];
/** Options of a pool that only its processes have a use for. */
const PROCESS_KEYS = ['processes', 'sandbox'];

/** @param {readonly string[]} locks those that are there */
const missingLocks = (locks) => ALL_LOCKS.filter((lock) => !locks.includes(lock));

/**
 * @param {string} message
 * @param {string} code
 */
const unsupported = (message, code) => Object.assign(new Error(message), { code });

/**
 * @param {Record<string, unknown>} options of a pool whose host is `process`
 * @returns {object} for the native pool
 */
function readProcessOptions({ processes = 1, sandbox = 'best' }) {
  const count = checkNumber(processes, 'options.processes', { min: 1, max: 256 });
  const wanted = checkChoice(sandbox, 'options.sandbox', SANDBOXES);
  const { sandboxes } = native;
  if (sandboxes === null) {
    throw unsupported(
      "options.host: 'process' needs Linux; leave it out, and guests run on threads",
      'ERR_ISOBOX_NO_PROCESSES',
    );
  }
  const missing = missingLocks(sandboxes);
  if (wanted === 'require' && missing.length > 0) {
    throw unsupported(
      `options.sandbox: 'require' needs what this kernel does not offer: ${missing.join(', ')}. ` +
        "With 'best' guests run with the rest of it",
      'ERR_ISOBOX_SANDBOX',
    );
  }
  return {
    program: process.execPath,
    arguments: [PROGRAM, String(process.pid), wanted],
    environment: [
      ...PASSED_ON.filter((name) => process.env[name] !== undefined).map(
        (name) => `${name}=${process.env[name]}`,
      ),
      `TZ=${Intl.DateTimeFormat().resolvedOptions().timeZone}`, // which it could not look up once it is locked
      'UV_USE_IO_URING=0', // a ring would be a way around the filter of system calls
    ],
    count,
  };
}

module.exports = { PROCESS_KEYS, missingLocks, readProcessOptions };
