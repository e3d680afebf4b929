'use strict';
// Processors that isobox can be built for on a machine with another one, by Node's names: with the tools that Debian has for
// them, and with QEMU to run what comes of it.

/** @type {Readonly<Record<string, { processor: string, tools: string, package: string, emulator: string[] }>>} */
const crossTargets = Object.freeze({
  arm64: {
    processor: 'aarch64',
    tools: 'aarch64-linux-gnu-',
    package: 'g++-aarch64-linux-gnu',
    emulator: ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu'],
  },
});

module.exports = { crossTargets };
