'use strict';

const fs = require('node:fs');

/**
 * @param {number} parent
 * @returns {number[]} the processes it has started that still run
 */
function childrenOf(parent) {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
        const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return Number(ppid) === parent && state !== 'Z';
      } catch {
        return false; // it ended meanwhile
      }
    })
    .map(Number);
}

/** @returns {() => number[]} the processes that this one starts from now on and that still run; other tests may leave some */
function watchChildren() {
  const before = new Set(childrenOf(process.pid));
  return () => childrenOf(process.pid).filter((pid) => !before.has(pid));
}

module.exports = { childrenOf, watchChildren };
