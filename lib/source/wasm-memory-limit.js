'use strict';

/**
 * Puts a ceiling on the memory that a WebAssembly module defines for itself, by rewriting the
 * maximum in its memory section. A module that reaches the ceiling fails to grow and traps, where
 * it would otherwise take up to 4 GiB of the host's memory.
 */

const MEMORY_SECTION = 5;
const HEADER_BYTES = 8;
const PAGE_BYTES = 65_536;

/**
 * @param {Uint8Array} bytes a module with at most one memory of its own
 * @param {number} maxBytes
 * @returns {Uint8Array} the module with the ceiling; unchanged when it defines no memory
 */
function limitWasmMemory(bytes, maxBytes) {
  const section = findSection(bytes, MEMORY_SECTION);
  if (section === null) return bytes;
  const [count, flagsAt] = readVarUint(bytes, section.bodyStart);
  const [flags, minAt] = readVarUint(bytes, flagsAt);
  const [minPages, minEnd] = readVarUint(bytes, minAt);
  // Shared and 64-bit memories have further flags; none of the engines here uses them.
  if (count !== 1 || flags > 1) return bytes;
  const maxPages = Math.max(Math.floor(maxBytes / PAGE_BYTES), minPages);
  const rest = flags === 1 ? readVarUint(bytes, minEnd)[1] : minEnd;
  const body = [
    1,
    1,
    ...varUint(minPages),
    ...varUint(maxPages),
    ...bytes.subarray(rest, section.end),
  ];
  return Buffer.concat([
    bytes.subarray(0, section.start),
    Uint8Array.from([MEMORY_SECTION, ...varUint(body.length), ...body]),
    bytes.subarray(section.end),
  ]);
}

/**
 * @param {Uint8Array} bytes
 * @param {number} id
 * @returns {{ start: number, bodyStart: number, end: number } | null}
 */
function findSection(bytes, id) {
  for (let start = HEADER_BYTES; start < bytes.length;) {
    const [size, bodyStart] = readVarUint(bytes, start + 1);
    const end = bodyStart + size;
    if (bytes[start] === id) return { start, bodyStart, end };
    start = end;
  }
  return null;
}

/**
 * @param {Uint8Array} bytes
 * @param {number} offset
 * @returns {[value: number, end: number]}
 */
function readVarUint(bytes, offset) {
  let value = 0;
  for (let scale = 1; ; scale *= 128) {
    const byte = bytes[offset++];
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return [value, offset];
  }
}

/**
 * @param {number} value
 * @returns {number[]}
 */
function varUint(value) {
  const bytes = [];
  for (; value >= 0x80; value = Math.floor(value / 128)) bytes.push((value % 128) | 0x80);
  return [...bytes, value];
}

module.exports = { limitWasmMemory };
