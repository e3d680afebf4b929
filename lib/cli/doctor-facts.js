'use strict';
// What `doctor` finds without running anything. None of it needs the native binary.

const fs = require('node:fs');
const os = require('node:os');
const v8 = require('node:v8');

const { version } = require('../../package.json');
const { platformTag } = require('../addon-paths.js');

/**
 * @typedef {object} BinaryFacts
 * @property {boolean} isLoaded
 * @property {string} [origin]
 * @property {string} [file]
 * @property {{ origin: string, file: string, reason: string }[]} attempts what was tried before without success
 * @property {string} [message] what to do, when none was loaded
 */

function readFacts() {
  const { node, modules } = process.versions;
  return {
    isobox: version,
    node: {
      version: node,
      abi: modules,
      platform: platformTag(),
      execPath: process.execPath,
      flags: [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(/\s+/)].filter(
        Boolean,
      ),
    },
    v8: {
      version: process.versions.v8,
      heapLimitBytes: v8.getHeapStatistics().heap_size_limit,
    },
    binary: readBinary(),
    machine: readMachine(),
  };
}

/** @returns {BinaryFacts} */
function readBinary() {
  try {
    const { origin, file, attempts } = require('../native.js').loaded;
    return { isLoaded: true, origin, file, attempts: attempts.map(plain) };
  } catch (error) {
    const { code, message, attempts } = /** @type {any} */ (error);
    if (code !== 'ERR_ISOBOX_NATIVE_LOAD') throw error;
    return { isLoaded: false, message, attempts: attempts.map(plain) };
  }
}

/** @param {{ origin: string, file: string, reason: string }} attempt */
function plain({ origin, file, reason }) {
  return { origin, file, reason };
}

function readMachine() {
  const constrained = process.constrainedMemory();
  const totalMemoryBytes = os.totalmem();
  return {
    kernel: `${os.type()} ${os.release()}`,
    cpu: os.cpus()[0]?.model ?? 'unknown',
    cores: os.availableParallelism(),
    // What a container is given; null where nothing bounds it.
    cpuQuota: readCpuQuota(),
    totalMemoryBytes,
    memoryLimitBytes:
      constrained !== undefined && constrained > 0 && constrained < totalMemoryBytes
        ? constrained
        : null,
  };
}

/** @returns {number | null} cores that the cgroup allows */
function readCpuQuota() {
  const files = [
    ['/sys/fs/cgroup/cpu.max'],
    ['/sys/fs/cgroup/cpu/cpu.cfs_quota_us', '/sys/fs/cgroup/cpu/cpu.cfs_period_us'],
  ];
  for (const names of files) {
    try {
      const [quota, period] = names
        .map((name) => fs.readFileSync(name, 'utf8'))
        .join(' ')
        .trim()
        .split(/\s+/)
        .map(Number);
      return quota > 0 && period > 0 ? quota / period : null;
    } catch {
      // The other version of cgroups, or none.
    }
  }
  return null;
}

module.exports = { readFacts };
