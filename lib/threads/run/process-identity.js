'use strict';
// Names a runtime so that others on the same machine can tell whether its process still lives. Elsewhere only the lease
// tells.

const { randomUUID } = require('node:crypto');
const fs = require('node:fs');

/** The runtimes of this process that have not been closed. @type {Set<string>} */
const living = new Set();

/** @param {number | 'self'} pid */
function startOf(pid) {
  // The name of the program stands in brackets and may hold anything; what follows it is numbers.
  const fields =
    fs.readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
  return fields[19];
}

/** What processes have in common that see each other's ids. */
function machine() {
  const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  return `${boot}.${fs.readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')}`;
}

/** @returns {string} */
function newOwner() {
  let place = 'unknown';
  try {
    place = `${machine()}:${process.pid}:${startOf('self')}`;
  } catch {
    // Without /proc only the lease tells.
  }
  const owner = `${place}:${randomUUID()}`;
  living.add(owner);
  return owner;
}

/** @param {string} owner */
const retireOwner = (owner) => void living.delete(owner);

/**
 * @param {string} owner
 * @returns {boolean} true only when it is certain that the runtime is gone
 */
function isGone(owner) {
  try {
    const [place, pid, start] = owner.split(':');
    if (place !== machine()) return false;
    if (Number(pid) === process.pid && start === startOf('self')) return !living.has(owner);
    return !fs.existsSync(`/proc/${Number(pid)}`) || startOf(Number(pid)) !== start;
  } catch {
    return false;
  }
}

module.exports = { isGone, newOwner, retireOwner };
