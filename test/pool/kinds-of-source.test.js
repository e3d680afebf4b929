'use strict';

const { usePool } = require('../support/pools.js');

const { valueOf, errorOf, run } = usePool();

describe('a function body', () => {
  test('is the default kind, and its return value is the result', async () => {
    expect(await valueOf({ source: 'return 40 + 2' })).toBe(42);
    expect(await valueOf({ kind: 'function', source: 'return 40 + 2' })).toBe(42);
  });

  test('without a return has undefined as its result', async () => {
    const outcome = await run({ source: '1' });
    expect(outcome).toMatchObject({ ok: true, cause: 'finished', value: undefined });
    expect('value' in outcome).toBe(true);
  });

  test('may be empty', async () => {
    expect(await valueOf({ source: '' })).toBeUndefined();
  });

  test('may await, and a returned promise is awaited', async () => {
    expect(await valueOf({ source: 'return await Promise.resolve(1) + 1' })).toBe(2);
    expect(await valueOf({ source: 'return Promise.resolve(3)' })).toBe(3);
  });

  test('may return a thenable, which is awaited too', async () => {
    const source = 'return { then(resolve) { resolve({ then(next) { next(7) } }) } }';
    expect(await valueOf({ source })).toBe(7);
  });

  test('may end in a comment', async () => {
    expect(await valueOf({ source: 'return 1 // the end' })).toBe(1);
    expect(await valueOf({ source: 'return 1 /* the end */' })).toBe(1);
  });

  test('may begin with a directive', async () => {
    const source = '"use strict"; return (function () { return this === undefined })()';
    expect(await valueOf({ source })).toBe(true);
  });

  test('may hold declarations, functions, classes and generators', async () => {
    const source = `
      function double(x) { return x * 2 }
      class Counter { #n = 20; next() { return ++this.#n } }
      function* two() { yield 1; yield 2 }
      const [a, b] = two();
      return double(new Counter().next()) + a + b - 3`;
    expect(await valueOf({ source })).toBe(42);
  });

  test('runs its microtasks in order before it ends', async () => {
    const source = `
      const seen = [];
      const later = Promise.resolve().then(() => seen.push('then'));
      seen.push('sync');
      await later;
      seen.push('after');
      return seen`;
    expect(await valueOf({ source })).toEqual(['sync', 'then', 'after']);
  });
});

describe('a script', () => {
  test('has its completion value as the result', async () => {
    expect(await valueOf({ kind: 'script', source: 'var x = 20; x * 2 + 2' })).toBe(42);
    expect(await valueOf({ kind: 'script', source: 'if (true) { "yes" } else { "no" }' })).toBe(
      'yes',
    );
    expect(await valueOf({ kind: 'script', source: '' })).toBeUndefined();
  });

  test('that ends in a promise is awaited', async () => {
    expect(await valueOf({ kind: 'script', source: '(async () => 5)()' })).toBe(5);
  });

  test('is classic: var makes a property of the global object, let does not', async () => {
    const source = 'var a = 1; let b = 2; [globalThis.a, globalThis.b, b]';
    expect(await valueOf({ kind: 'script', values: 'clone', source })).toEqual([1, undefined, 2]);
  });

  test('has no await and no return at its top level', async () => {
    for (const source of ['await 1', 'return 1']) {
      const error = await errorOf({ kind: 'script', source });
      expect(error).toMatchObject({ cause: 'link_error', name: 'SyntaxError', line: 1 });
    }
  });
});

describe('a module', () => {
  test('has its default export as the result', async () => {
    expect(await valueOf({ kind: 'module', source: 'export default 42' })).toBe(42);
  });

  test('is strict and has no this', async () => {
    const source =
      'export default [typeof this, (() => { try { x = 1 } catch (e) { return e.name } })()]';
    expect(await valueOf({ kind: 'module', source })).toEqual(['undefined', 'ReferenceError']);
  });

  test('may await at its top level', async () => {
    const source = 'const x = await Promise.resolve(41); export default x + 1';
    expect(await valueOf({ kind: 'module', source })).toBe(42);
  });
});

const KINDS = /** @type {const} */ (['script', 'function', 'module']);

describe.each(KINDS)('a source of kind %s', (kind) => {
  test('that does not compile is a link error', async () => {
    const error = await errorOf({ kind, source: 'let let = 1' });
    expect(error).toMatchObject({ cause: 'link_error', name: 'SyntaxError' });
    expect(error.hostCode).toBeUndefined();
  });

  test('that throws is a guest error', async () => {
    const error = await errorOf({ kind, source: 'throw new RangeError("too far")' });
    expect(error).toMatchObject({ cause: 'guest_error', name: 'RangeError', message: 'too far' });
  });

  test('that throws a SyntaxError of its own is a guest error', async () => {
    const error = await errorOf({ kind, source: 'throw new SyntaxError("made up")' });
    expect(error).toMatchObject({ cause: 'guest_error', name: 'SyntaxError', message: 'made up' });
  });

  test('may hold any character', async () => {
    const text = 'π, 日本語, 😀, \u2028, \u0000';
    const literal = JSON.stringify(text).replace('\\u0000', '\u0000');
    const source = {
      script: literal,
      function: `return ${literal}`,
      module: `export default ${literal}`,
    };
    expect(await valueOf({ kind, source: source[kind] })).toBe(text);
  });
});
