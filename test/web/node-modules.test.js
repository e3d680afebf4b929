'use strict';
// Node's modules for guests, against Node's own.

const crypto = require('node:crypto');
const path = require('node:path');
const util = require('node:util');

const { NODE_MODULES } = require('../../lib/web/names.js');
const { usePool } = require('../support/pools.js');

const { run, valueOf } = usePool();

const web = { node: true, env: { KEY: 'value' } };
const valueOfModule = (/** @type {string} */ source) => valueOf({ kind: 'module', source, web });

test.each(Object.keys(NODE_MODULES))('%s is imported with and without its prefix', async (name) => {
  const source = `
    import whole, * as named from 'node:${name}';
    import same from '${name}';
    import { createRequire } from 'node:module';
    const required = createRequire(import.meta.url)('${name}');
    export default [whole === same, whole === required, named.default === whole, Object.keys(named).length > 1]`;
  expect(await valueOfModule(source)).toEqual([true, true, true, true]);
});

test('what is not there is not found', async () => {
  const outcome = await run({ kind: 'module', source: "import 'node:fs'", web });
  expect(outcome).toMatchObject({ cause: 'link_error', error: { name: 'ModuleNotFoundError' } });
  const without = await run({ kind: 'module', source: "import 'node:path'", web: true });
  expect(without).toMatchObject({ cause: 'link_error', error: { name: 'ModuleNotFoundError' } });
  const source = `
    import { createRequire } from 'node:module';
    let code;
    try { createRequire('/')('fs') } catch (error) { code = error.code }
    export default code`;
  expect(await valueOfModule(source)).toBe('MODULE_NOT_FOUND');
});

test('process has the variables of the request and none of the host', async () => {
  process.env.ISOBOX_TEST_SECRET = 'of the host';
  const source = `
    let exit;
    try { process.exit(1) } catch (error) { exit = error.name }
    await new Promise((done) => process.nextTick(done));
    export default [{ ...process.env }, typeof process.version, process.cwd(), exit]`;
  expect(await valueOfModule(source)).toEqual([{ KEY: 'value' }, 'string', '/', 'Error']);
  delete process.env.ISOBOX_TEST_SECRET;
});

const ALGORITHMS = [
  'md5',
  'sha1',
  'sha224',
  'sha256',
  'sha384',
  'sha512',
  'sha512-256',
  'sha3-256',
];

test('hashes are those of Node', async () => {
  const source = `
    import { createHash, createHmac, randomBytes, randomInt, randomUUID, timingSafeEqual } from 'crypto';
    let refused;
    try { createHash('nope') } catch (error) { refused = error.code }
    export default [
      ${JSON.stringify(ALGORITHMS)}.map((name) => createHash(name).update('a\\u20ac').update(Buffer.from([1])).digest('hex')),
      createHmac('SHA256', 'key').update('data').digest('base64url'),
      createHash('sha1').update('x').copy().digest().length,
      randomBytes(70_000).length, randomInt(5) < 5, randomUUID().length,
      timingSafeEqual(Buffer.from('a'), Buffer.from('a')), refused]`;
  expect(await valueOfModule(source)).toEqual([
    ALGORITHMS.map((name) =>
      crypto
        .createHash(name)
        .update('a\u20ac')
        .update(Buffer.from([1]))
        .digest('hex'),
    ),
    crypto.createHmac('SHA256', 'key').update('data').digest('base64url'),
    20,
    70_000,
    true,
    36,
    true,
    'ERR_CRYPTO_INVALID_DIGEST',
  ]);
});

test('buffers, paths, events, utilities and the rest do what they do in Node', async () => {
  const source = `
    import assert from 'node:assert';
    import { EventEmitter, once } from 'node:events';
    import path from 'node:path';
    import querystring from 'node:querystring';
    import { StringDecoder } from 'node:string_decoder';
    import { fileURLToPath, parse, pathToFileURL } from 'node:url';
    import { format, inspect, promisify } from 'node:util';
    import { setTimeout as wait } from 'node:timers/promises';
    const emitter = new EventEmitter();
    const waited = once(emitter, 'x');
    emitter.emit('x', 7);
    let failed;
    try { assert.deepStrictEqual({ a: 1 }, { a: 2 }) } catch (error) { failed = error.code }
    const decoder = new StringDecoder('utf8');
    export default [
      Buffer.concat([Buffer.from('aGk', 'base64'), Buffer.from('ff', 'hex')]).toString('latin1'),
      path.join('/a', '../b', 'c.txt'), path.extname('x.tar.gz'), path.relative('/a/b', '/a/c'),
      (await waited)[0], failed,
      querystring.stringify({ a: ['1', '2'], b: ' ' }), querystring.parse('a=1&a=2'),
      decoder.write(Buffer.from([0xe2, 0x82])) + decoder.write(Buffer.from([0xac])),
      fileURLToPath('file:///a%20b'), pathToFileURL('/a b').href, parse('http://a.b/c?d').pathname,
      format('%s=%d %j', 'a', 1, { b: 2 }), inspect({ a: [1, 'x'] }),
      await promisify((callback) => callback(null, 5))(), await wait(1, 'waited')]`;
  expect(await valueOfModule(source)).toEqual([
    'hi\u00ff',
    path.join('/a', '../b', 'c.txt'),
    '.gz',
    '../c',
    7,
    'ERR_ASSERTION',
    'a=1&a=2&b=%20',
    { a: ['1', '2'] },
    '\u20ac',
    '/a b',
    'file:///a%20b',
    '/c',
    util.format('%s=%d %j', 'a', 1, { b: 2 }),
    util.inspect({ a: [1, 'x'] }),
    5,
    'waited',
  ]);
});

test('a library that imports while it is being made moves nothing from under its feet', async () => {
  const source = `
    const push = Array.prototype.push;
    let asked = false;
    Object.defineProperty(Object.prototype, 'exports', { configurable: true, set(value) {
      Object.defineProperty(this, 'exports', { value, writable: true, configurable: true, enumerable: true });
      if (!asked) { asked = true; for (const name of ['util', 'assert', 'url', 'path', 'events']) import(name).catch(() => {}) }
    } });
    const hooked = Object.assign;
    Object.assign = function (...args) { import('node:querystring').catch(() => {}); return hooked(...args) };
    await import('node:util').catch(() => {});
    export default typeof push`;
  expect(await valueOfModule(source)).toBe('function');
});
