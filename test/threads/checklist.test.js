'use strict';
// The checklist of docs/threads.md names tests that are there, and leaves out no section.

const fs = require('node:fs');
const path = require('node:path');

const page = fs.readFileSync(path.join(__dirname, '..', '..', 'docs', 'threads.md'), 'utf8');
const rows = [...page.matchAll(/^\| ([^|]+?) +\| `([\w-]+)`: "([^"]+)" +\|$/gm)].map(
  ([, line, file, name]) => ({ line, file, name }),
);

test.each(rows)('$line', ({ file, name }) => {
  const candidates = [`${file}.test.js`, `${file}.js`].map((one) => path.join(__dirname, one));
  const source = fs.readFileSync(candidates.find((one) => fs.existsSync(one)) ?? '', 'utf8');
  expect(source.replaceAll("\\'", "'")).toContain(name);
});

test.each([...Array.from({ length: 12 }, (_, index) => index + 1), 14, 15])(
  'section %i is in it',
  (section) => {
    const named = rows.flatMap(({ line }) => line.slice(0, line.indexOf(':')).split(', '));
    expect(named.map((one) => Math.floor(Number(one)))).toContain(section);
  },
);
