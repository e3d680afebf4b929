'use strict';

const { limitWasmMemory } = require('../../lib/source/wasm-memory-limit.js');

const PAGE = 65_536;
const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const EXPORT_MEMORY = [7, 7, 1, 3, ...Buffer.from('mem'), 2, 0];

// The types of Node name it only where those of browsers are.
const { WebAssembly } = /** @type {any} */ (globalThis);

/** @param {number[]} memory the body of a memory section */
function instantiate(memory, maxBytes) {
  const section = [5, memory.length, ...memory];
  const bytes = Uint8Array.from([...HEADER, ...section, ...EXPORT_MEMORY]);
  const module = new WebAssembly.Module(limitWasmMemory(bytes, maxBytes));
  return new WebAssembly.Instance(module).exports.mem;
}

test.each([
  ['without a maximum of its own', [1, 0, 1]],
  ['with a higher maximum', [1, 1, 1, 200, 1]],
])('a memory %s grows to the ceiling and no further', (_, section) => {
  const memory = instantiate(section, 3 * PAGE);
  memory.grow(2);
  expect(() => memory.grow(1)).toThrow(RangeError);
  expect(memory.buffer.byteLength).toBe(3 * PAGE);
});

test('a memory that starts above the ceiling can still start', () => {
  const memory = instantiate([1, 0, 4], PAGE);
  expect(memory.buffer.byteLength).toBe(4 * PAGE);
  expect(() => memory.grow(1)).toThrow(RangeError);
});

test('a module without a memory is left alone', () => {
  const bytes = Uint8Array.from(HEADER);
  expect(limitWasmMemory(bytes, PAGE)).toBe(bytes);
});
