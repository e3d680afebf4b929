'use strict';
// What `doctor` found, for people.

const path = require('node:path');

const { createColors } = require('picocolors');

const { formatSize } = require('./sizes.js');
const { isColourful } = require('./terminal.js');

/** @typedef {import('./doctor-checks.js').Health} Health */

/** @param {Health} health */
function describeHealth(health) {
  const colours = createColors(isColourful(process.stdout));
  const paint = { ok: colours.green, warning: colours.yellow, failed: colours.red };
  const { isobox, node, v8, binary, machine, checks } = health;
  const width = Math.max(...checks.map(({ name }) => name.length));
  const row = (/** @type {string} */ name, /** @type {string} */ text) =>
    `${colours.bold(name.padEnd(8))} ${text}`;
  const counts = (/** @type {string} */ wanted) =>
    checks.filter(({ status }) => status === wanted).length;
  return [
    row('isobox', isobox),
    row('Node', `${node.version} (ABI ${node.abi}, ${node.platform}) ${node.execPath}`),
    ...(node.flags.length > 0 ? [row('', `flags: ${node.flags.join(' ')}`)] : []),
    row('V8', `${v8.version}, heap of this process up to ${formatSize(v8.heapLimitBytes)}`),
    row('binary', binary.isLoaded ? `${binary.origin}, ${shorten(binary.file ?? '')}` : 'none'),
    ...binary.attempts.map(({ origin, file, reason }) =>
      row('', colours.dim(`${origin} ${shorten(file)}: ${reason}`)),
    ),
    row('machine', describeMachine(machine)),
    '',
    ...checks.map(
      ({ name, status, detail }) =>
        `${paint[status](status.padEnd(8))} ${name.padEnd(width)}  ${indent(detail, width + 11)}`,
    ),
    '',
    health.ok
      ? `${checks.length} checks, ${counts('warning')} warnings: isobox works here.`
      : `${counts('failed')} of ${checks.length} checks failed.`,
  ].join('\n');
}

/** @param {Health['machine']} machine */
function describeMachine({ kernel, cpu, cores, cpuQuota, totalMemoryBytes, memoryLimitBytes }) {
  const quota = cpuQuota === null ? '' : `, quota of ${cpuQuota}`;
  const limit = memoryLimitBytes === null ? '' : `, limit of ${formatSize(memoryLimitBytes)}`;
  return `${cores} cores${quota} (${cpu}), ${formatSize(totalMemoryBytes)}${limit}, ${kernel}`;
}

/** @param {string} file relative where that is shorter */
function shorten(file) {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith('..') ? file : relative;
}

/**
 * @param {string} text
 * @param {number} columns
 */
function indent(text, columns) {
  return text.replaceAll('\n', `\n${' '.repeat(columns)}`);
}

module.exports = { describeHealth };
