'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { readServerConfig } = require('../../lib/mcp/server-config.js');

/** @type {string} */
let scratch;
beforeAll(() => {
  scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-config-'));
});
afterAll(() => fs.rmSync(scratch, { recursive: true }));

const readText = (text) => {
  const file = path.join(scratch, 'servers.json');
  fs.writeFileSync(file, text);
  return readServerConfig(file);
};
const read = (mcpServers) => readText(JSON.stringify({ mcpServers }));

test('programs and addresses are read, with what they need', () => {
  const servers = read({
    files: { command: 'npx', args: ['-y', 'files'], env: { A: '1' }, cwd: scratch },
    bare: { type: 'stdio', command: 'serve' },
    docs: { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer x' } },
    typed: { type: 'streamable-http', url: 'http://localhost:3000/' },
  });
  expect(servers).toEqual([
    { name: 'files', command: 'npx', args: ['-y', 'files'], env: { A: '1' }, cwd: scratch },
    { name: 'bare', command: 'serve', args: [] },
    {
      name: 'docs',
      url: new URL('https://example.com/mcp'),
      headers: { Authorization: 'Bearer x' },
    },
    { name: 'typed', url: new URL('http://localhost:3000/'), headers: {} },
  ]);
});

test('what other clients write into an entry is let through, and disabled ones are left out', () => {
  const servers = read({
    a: { command: 'serve', autoApprove: ['x'], timeout: 60, disabled: false },
    b: { command: 'serve', disabled: true },
  });
  expect(servers.map(({ name }) => name)).toEqual(['a']);
});

test('a byte order mark is no harm', () => {
  expect(readText('\uFEFF{"mcpServers":{"a":{"command":"serve"}}}')).toHaveLength(1);
});

test.each([
  ['{', 'is not JSON'],
  ['[]', 'needs an object "mcpServers"'],
  ['{"servers":{}}', 'needs an object "mcpServers"'],
  ['{"mcpServers":[]}', 'needs an object "mcpServers"'],
  ['{"mcpServers":{}}', 'has no servers'],
  ['{"mcpServers":{"a":{"command":"x","disabled":true}}}', 'has no servers'],
])('%s: %s', (text, message) => {
  expect(() => readText(text)).toThrow(message);
});

test.each([
  ['npx', 'mcpServers.it must be an object'],
  [{}, 'mcpServers.it needs either a "command" or a "url"'],
  [{ command: 'a', url: 'http://b' }, 'either a "command" or a "url"'],
  [{ command: '' }, 'mcpServers.it.command must be the name of a program'],
  [{ command: ['npx'] }, 'mcpServers.it.command must be the name of a program'],
  [{ command: 'a', args: 'b' }, 'mcpServers.it.args must be an array of strings'],
  [{ command: 'a', args: [1] }, 'mcpServers.it.args must be an array of strings'],
  [{ command: 'a', env: { A: 1 } }, 'mcpServers.it.env must be an object of strings'],
  [{ command: 'a', cwd: '/does/not/exist' }, 'mcpServers.it.cwd must be a directory that exists'],
  [{ command: 'a', type: 'http' }, 'can only be "stdio"'],
  [{ url: 'example.com' }, 'mcpServers.it.url must be an http or https address'],
  [{ url: 'file:///etc/passwd' }, 'mcpServers.it.url must be an http or https address'],
  [{ url: 'http://me:secret@b' }, 'give an Authorization header'],
  [{ url: 'http://b', type: 'sse' }, 'reached by streamable HTTP'],
  [{ url: 'http://b', headers: { a: 1 } }, 'mcpServers.it.headers must be an object of strings'],
])('%j: %s', (entry, message) => {
  expect(() => read({ it: entry })).toThrow(message);
});
