'use strict';
// Starts the fuzzer of the value codec, with seeds that the codec itself makes of the values below:
// `node value_codec_fuzz.js <addon> <directory for the seeds> [libFuzzer's arguments]`.

const fs = require('node:fs');
const path = require('node:path');

const { buffer } = Uint8Array.from({ length: 16 }, (_, index) => index * 17);
const shared = { isShared: true };
const cycle = { list: /** @type {unknown[]} */ ([]), map: new Map() };
cycle.list.push(cycle);
cycle.map.set(cycle, cycle.list);

const rows = Array.from({ length: 40 }, (_, index) => [
  { index, half: index / 2, name: `row \u20ac ${index}`, none: index % 2 ? null : undefined },
  [[index, -index], shared, {}, '\u00e9', true][index % 5],
]);

const VALUES = {
  undefined,
  constants: [undefined, null, true, false],
  numbers: [0, -1, 2 ** 31 - 1, -(2 ** 31), 2 ** 32, 0.1, -0, 5e-324, 1.7e308, NaN, Infinity],
  bigints: [0n, -1n, 2n ** 64n, -(2n ** 130n)],
  strings: ['', 'plain', 'caf\u00e9', '\u20ac', '\u{1f600}', '\ud800', '"\\/\b\n\u0000\u007f'],
  objects: { a: { b: { c: {} } }, ['__proto__']: 1, 7: 'index', '': 'empty' },
  arrays: [[], [[1], [2, [3]]], ['x'.repeat(200)]],
  holes: Object.assign(Array(4), { 0: 'first', 2: undefined }),
  sparse: Object.assign(Array(2 ** 20), { 0: 'first', 9999: 'last' }),
  maps: new Map().set(1, new Map().set({}, [])).set(NaN, -0),
  sets: new Set([1, '1', new Set([[]])]),
  dates: [new Date(0), new Date(-8.64e15), new Date(NaN)],
  regexps: [/(?:)/, /[/]\/\n/gimsuy, /a(?<name>b)\k<name>/d, new RegExp('[\\p{L}--[a-z]]', 'v')],
  buffers: [buffer, new ArrayBuffer(0)],
  views: [
    ...[Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array],
    ...[Float32Array, Float64Array, BigInt64Array, BigUint64Array, DataView],
    ...[globalThis.Float16Array ?? []].flat(), // from Node 24 on
  ].map((View) => new View(buffer)),
  rows: rows.flat(),
  references: [shared, { shared }, new Map().set(shared, shared)],
  cycle,
  json: [{ name: 'read', arguments: { path: 'a/b', limit: 10, ratio: -1.5e-7 } }, [null, 'x\ty']],
};

const [file, directory, ...args] = process.argv.slice(2);
const addon = { exports: {} };
process.dlopen(addon, file);
for (const [name, value] of Object.entries(VALUES)) {
  for (const first of ['c', 'j']) {
    const input = addon.exports.encode(first, value);
    if (input) fs.writeFileSync(path.join(directory, `${name}-${first}`), input);
  }
}
addon.exports.run(file, ...args);
