'use strict';
// lib/ as a graph: folders depend on each other one way, and nothing is exported that nobody uses.

const fs = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '..', '..');

/** @param {string} folder */
const scriptsBelow = (folder) =>
  fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.m?js$/.test(name))
    .map((name) => path.join(root, folder, name));

const texts = new Map(
  ['lib', 'bin', 'scripts', 'test', 'bench']
    .flatMap(scriptsBelow)
    .map((file) => [file, fs.readFileSync(file, 'utf8')]),
);
const libFiles = [...texts.keys()].filter((file) => file.startsWith(path.join(root, 'lib')));

test('no folder of lib/ depends on one that depends on it', () => {
  /** @type {Map<string, Set<string>>} */
  const needs = new Map();
  for (const file of libFiles) {
    const folder = path.dirname(file);
    for (const [, target] of String(texts.get(file)).matchAll(/require\('(\.[^']*)'\)/g)) {
      const other = path.dirname(path.resolve(folder, target));
      if (other === folder || !other.startsWith(path.join(root, 'lib'))) continue;
      needs.set(folder, (needs.get(folder) ?? new Set()).add(other));
    }
  }
  const reach = (from, seen = new Set()) => {
    for (const next of needs.get(from) ?? []) if (!seen.has(next)) reach(next, seen.add(next));
    return seen;
  };
  expect(needs.size).toBeGreaterThan(5);
  expect([...needs.keys()].filter((folder) => reach(folder).has(folder))).toEqual([]);
});

test('every name that a file of lib/ exports is used in another file', () => {
  const exported = libFiles.flatMap((file) => {
    const [, list = ''] = /^module\.exports = \{([^}]*)\};/m.exec(String(texts.get(file))) ?? [];
    const names = list.split(',').map((one) => one.trim().split(':')[0]);
    return names.filter((name) => /^\w+$/.test(name)).map((name) => ({ file, name }));
  });
  expect(exported.length).toBeGreaterThan(150);
  const unused = exported.filter(({ file, name }) => {
    const word = new RegExp(`\\b${name}\\b`);
    return ![...texts].some(([other, text]) => other !== file && word.test(text));
  });
  expect(unused.map(({ file, name }) => `${path.relative(root, file)}: ${name}`)).toEqual([]);
});
