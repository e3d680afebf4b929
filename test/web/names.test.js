'use strict';

const { execFile } = require('node:child_process');
const path = require('node:path');
const { promisify } = require('node:util');

const { IsolateExecutor } = require('../../lib/execbox/index.js');
const { IsolatePool } = require('../../lib/index.js');
const { createRunCode } = require('../../lib/run-code/index.js');
const { NODE_GLOBALS, WEB_GLOBALS } = require('../../lib/web/names.js');
const { usePool } = require('../support/pools.js');

const { run, valueOf } = usePool();

const NAMES = 'Object.getOwnPropertyNames(globalThis)';
const PURE = Object.keys(WEB_GLOBALS).filter((name) => name !== 'fetch');

async function added(/** @type {any} */ web) {
  const bare = new Set(await valueOf({ source: `return ${NAMES}` }));
  const names = await valueOf({ source: `return ${NAMES}`, web });
  return names.filter((/** @type {string} */ name) => !bare.has(name)).sort();
}

test('a guest that does not ask has none of the names', async () => {
  const names = await valueOf({ source: `return ${NAMES}` });
  for (const name of [...Object.keys(WEB_GLOBALS), ...Object.keys(NODE_GLOBALS)]) {
    expect(names).not.toContain(name);
  }
  expect(await added(false)).toEqual([]);
});

test('true gives all names but fetch, a list gives those in it', async () => {
  expect(await added(true)).toEqual([...PURE].sort());
  expect(await added(['URL', 'setTimeout'])).toEqual(['URL', 'setTimeout']);
  expect(await added({ names: ['atob'], fetch: { origins: [] } })).toEqual(['atob', 'fetch']);
  expect(await added({ names: [], node: true })).toEqual(Object.keys(NODE_GLOBALS).sort());
});

test.each([...PURE, ...Object.keys(NODE_GLOBALS), 'fetch'])(
  '%s works by itself, as a property that a guest may replace',
  async (name) => {
    const web = /** @type {any} */ (
      name === 'fetch'
        ? { names: [], fetch: { origins: [] } }
        : name in NODE_GLOBALS
          ? { names: [], node: true }
          : [name]
    );
    const source = `
      const { value, writable, configurable, enumerable } = Object.getOwnPropertyDescriptor(globalThis, '${name}');
      const isSame = value === globalThis.${name};
      ${name} = 1;
      return [typeof value, isSame, writable, configurable, enumerable, globalThis.${name}];`;
    const [type, ...rest] = await valueOf({ source, web });
    expect(['function', 'object']).toContain(type);
    expect(rest).toEqual([true, true, true, false, 1]);
  },
);

test('what the caller gives by the same name is there in its place', async () => {
  const source = 'return [URL, await setTimeout.now()]';
  const request = { globals: { URL: 7 }, namespaces: { setTimeout: { now: () => 8 } } };
  expect(await valueOf({ source, web: true, ...request })).toEqual([7, 8]);
});

test.each([
  ['url', 'request.web must be true or an array of names'],
  [['Url'], "request.web[0]: 'Url' is none of"],
  [['fetch'], "'fetch' needs to know where it may go"],
  [{ all: true }, "Unknown option 'all' in request.web"],
  [{ fetch: {} }, 'request.web.fetch.origins must be an array of origins'],
  [{ fetch: { origins: ['example.com'] } }, 'request.web.fetch.origins[0] must be an origin'],
  [{ fetch: { origins: ['https://a.b/c'] } }, 'request.web.fetch.origins[0] must be an origin'],
  [{ env: {} }, 'request.web.env needs request.web.node: true'],
  [{ node: true, env: { A: 1 } }, 'request.web.env.A must be a string'],
])('%j is refused', (web, message) => {
  expect(() => run({ source: '', web: /** @type {any} */ (web) })).toThrow(message);
});

test('one guest sees nothing of what another did to its names', async () => {
  const spoil =
    'URL.prototype.toString = () => "spoilt"; Object.prototype.x = 1; return String(new URL("a:b"))';
  expect(await valueOf({ source: spoil, web: true })).toBe('spoilt');
  expect(
    await valueOf({ source: 'return [String(new URL("a:b")), "x" in {}]', web: true }),
  ).toEqual(['a:b', false]);
});

test('a guest that spoils the builtins before it looks at a name harms only itself', async () => {
  const source = `
    for (const type of [Object, Array, Function, Map, String, Promise, RegExp, Uint8Array]) {
      for (const key of Object.getOwnPropertyNames(type.prototype)) {
        if (key !== 'constructor') try { type.prototype[key] = () => { throw new Error('spoilt') } } catch {}
      }
    }
    let thrown = 0;
    for (const name of ['URL', 'fetch', 'structuredClone', 'Buffer', 'setTimeout', 'crypto']) {
      try { globalThis[name]('x') } catch { thrown += 1 }
    }
    return thrown`;
  const web = { node: true, fetch: { origins: ['*'] } };
  const outcome = await run({ source, web, limits: { wallMs: 5000 } });
  expect(['finished', 'guest_error', 'deadline', 'serialization']).toContain(outcome.cause);
  expect(await valueOf({ source: 'return new URL("https://a.b").href', web: true })).toBe(
    'https://a.b/',
  );
});

test('runCode, the executor and the command line offer them too', async () => {
  const source = 'export default () => new URL("https://a.b").href';
  const { status, result } = await createRunCode({ web: true })(source);
  expect([status, result]).toEqual(['success', 'https://a.b/']);
  expect((await createRunCode()(source)).status).toBe('error');
  expect(() => createRunCode({ web: /** @type {any} */ (['Url']) })).toThrow('settings.web[0]');

  const executor = new IsolateExecutor({ web: ['URL'] });
  expect(await executor.execute('new URL("https://a.b").href', [])).toMatchObject({
    ok: true,
    result: 'https://a.b/',
  });
  await executor.dispose();

  const command = path.join(__dirname, '..', '..', 'bin', 'isobox.js');
  const args = [command, 'run', '-e', 'new URL("https://a.b").href', '--web'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toBe('https://a.b/\n');
});

test('guests in processes of their own have them too', async () => {
  const pool = new IsolatePool({ host: 'process' });
  const source =
    'await new Promise((done) => setTimeout(done, 1)); return crypto.randomUUID().length';
  expect(await pool.run({ source, web: true })).toMatchObject({ ok: true, value: 36 });
  await pool.dispose();
});
