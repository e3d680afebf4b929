'use strict';
// The pages of reference leave nothing out: exports, limits, causes, codes, channels.

const fs = require('node:fs');
const path = require('node:path');

const { DEFAULT_LIMITS } = require('../../lib/index.js');
const { EXECUTE_ERROR_CODES } = require('../../lib/execbox/index.js');
const { native } = require('../../lib/native.js');
const { listBlocks, readPage, root, withoutBlocks } = require('./pages.js');

const { exports: entries } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
const codeEntries = Object.keys(entries).filter((name) => !name.endsWith('.json'));

/** @param {string} folder */
const sourcesBelow = (folder) =>
  fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => fs.readFileSync(path.join(root, folder, name), 'utf8'))
    .join('\n');

/** The section of a page below one heading, up to the next of its level or a higher one. */
function sectionOf(text, heading) {
  const [level] = heading.match(/^#+/);
  const start = text.indexOf(`\n${heading}\n`);
  if (start < 0) return undefined;
  const rest = text.slice(start + heading.length + 2);
  const end = rest.search(new RegExp(`^#{1,${level.length}} `, 'm'));
  return end < 0 ? rest : rest.slice(0, end);
}

describe('docs/api.md', () => {
  const api = readPage('docs/api.md');
  const names = codeEntries.flatMap((entry) => {
    const specifier = path.posix.join('isobox', entry);
    return Object.keys(require(specifier)).map((name) => [specifier, name]);
  });

  test.each(names)('has a signature, words and an example for %s: %s', (specifier, name) => {
    const part = sectionOf(api, `## \`${specifier}\``);
    const section = sectionOf(part, `### \`${name}\``);
    const blocks = listBlocks(section);
    expect(blocks[0]).toMatchObject({ language: 'ts', code: expect.stringContaining(name) });
    const examples = blocks.filter(({ language }) => language === 'js');
    expect(examples.map(({ code }) => code).join()).toContain(name);
    expect(withoutBlocks(section).trim().length).toBeGreaterThan(40);
  });
});

describe('docs/limits.md', () => {
  const rows = [...readPage('docs/limits.md').matchAll(/^\| `(\w+)` +\| ([^|]+?) +\|/gm)];
  const defaults = new Map(rows.map(([, name, given]) => [name, given]));

  /** How the page writes a default. */
  const written = (name, value) => {
    if (value === Infinity) return 'none';
    const isSize = /Bytes|Chars/.test(name);
    return isSize ? `${value / 2 ** 20} MiB` : value.toLocaleString('en-US');
  };

  test.each(Object.entries(DEFAULT_LIMITS))('has %s with its default', (name, value) => {
    expect(defaults.get(name)).toBe(written(name, value));
  });
});

describe('docs/errors.md', () => {
  const errors = readPage('docs/errors.md');
  const source = sourcesBelow('lib');
  const own = [...new Set(source.match(/\bERR_(?:ISOBOX|SOURCE)_[A-Z_]+/g))];
  const causes = native.stopCauses.filter((cause) => !['none', 'finished'].includes(cause));

  test('looks at all kinds of names', () => {
    expect(own.length).toBeGreaterThan(7);
    expect(causes.length).toBeGreaterThan(12);
  });

  test.each([...causes, ...EXECUTE_ERROR_CODES, ...own])('says what to do about %s', (name) => {
    const row = errors.match(new RegExp(`^\\| \`${name}\` +\\|(.+)\\|(.+)\\|$`, 'm'));
    expect(row).not.toBe(null);
    for (const cell of row?.slice(1, 3) ?? []) expect(cell.trim().length).toBeGreaterThan(10);
  });

  test.each(['success', 'error', 'link_error', 'memory', 'terminated'])(
    'has the status %s of runCode',
    (status) => expect(sectionOf(errors, '## `runCode`')).toContain(`\`${status}\``),
  );
});

describe('docs/observability.md', () => {
  const page = readPage('docs/observability.md');

  test.each(['isobox:run:start', 'isobox:run:end', 'isobox:call:start', 'isobox:call:end'])(
    'has the channel %s',
    (channel) => expect(page).toContain(`\`${channel}\``),
  );

  test('has every figure of pool.stats()', () => {
    const { IsolatePool } = require('../../lib/index.js');
    const pool = new IsolatePool({ threads: 1 });
    const names = Object.keys(pool.stats());
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    return pool.dispose();
  });
});
