'use strict';

const { usePool } = require('../support/pools.js');

const { valueOf } = usePool();

const nameOfError = (expression) =>
  `(() => { try { ${expression}; return 'no error' } catch (e) { return e.name } })()`;

describe('code from strings', () => {
  const ATTEMPTS = [
    'eval("1")',
    '(0, eval)("1")',
    'globalThis.eval("1")',
    'new Function("return 1")',
    'Function("return 1")',
    '(() => {}).constructor("return 1")',
    'Reflect.construct(Function, ["return 1"])',
    '(async () => {}).constructor("return 1")',
    '(function* () {}).constructor("yield 1")',
    '(async function* () {}).constructor("yield 1")',
    'console.log.constructor("return 1")',
    'Object.getPrototypeOf(host.call).constructor("return 1")',
  ];

  test.each(ATTEMPTS)('%s is refused', async (attempt) => {
    const namespaces = { host: { call() {} } };
    expect(await valueOf({ source: `return ${nameOfError(attempt)}`, namespaces })).toBe(
      'EvalError',
    );
  });

  test('is refused in modules and scripts', async () => {
    const expression = nameOfError('eval("1")');
    expect(await valueOf({ kind: 'script', source: expression })).toBe('EvalError');
    expect(await valueOf({ kind: 'module', source: `export default ${expression}` })).toBe(
      'EvalError',
    );
  });

  test('works where the plan asks for it', async () => {
    const source =
      'return [eval("1 + 1"), new Function("return 3")(), await (async () => {}).constructor("return 4")()]';
    const intrinsics = { codeGeneration: true };
    expect(await valueOf({ source, intrinsics })).toEqual([2, 3, 4]);
  });

  test('eval of what is not a string gives it back', async () => {
    expect(await valueOf({ source: 'return eval(5)' })).toBe(5);
  });
});

describe('WebAssembly, SharedArrayBuffer and Atomics', () => {
  const SOURCE =
    'return [typeof WebAssembly, typeof SharedArrayBuffer, typeof Atomics, ' +
    '"WebAssembly" in globalThis, "SharedArrayBuffer" in globalThis, "Atomics" in globalThis]';

  test('are absent', async () => {
    const absent = ['undefined', 'undefined', 'undefined', false, false, false];
    expect(await valueOf({ source: SOURCE })).toEqual(absent);
    const intrinsics = { codeGeneration: false, webAssembly: false, sharedMemory: false };
    expect(await valueOf({ source: SOURCE, intrinsics })).toEqual(absent);
  });

  test('come one by one', async () => {
    expect(await valueOf({ source: SOURCE, intrinsics: { webAssembly: true } })).toEqual([
      'object',
      'undefined',
      'undefined',
      true,
      false,
      false,
    ]);
    expect(await valueOf({ source: SOURCE, intrinsics: { sharedMemory: true } })).toEqual([
      'undefined',
      'function',
      'object',
      false,
      true,
      true,
    ]);
  });

  test('cannot be had through other intrinsics', async () => {
    const source = `
      const seen = new Set();
      const found = [];
      const visit = (value) => {
        if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return;
        seen.add(value);
        if (/^(SharedArrayBuffer|Atomics|WebAssembly)/.test(value[Symbol.toStringTag] ?? value.name ?? '')) {
          found.push(String(value[Symbol.toStringTag] ?? value.name));
        }
        for (const key of Reflect.ownKeys(value)) {
          const { value: inner, get, set } = Object.getOwnPropertyDescriptor(value, key);
          [inner, get, set].forEach(visit);
        }
        visit(Object.getPrototypeOf(value));
      };
      visit(globalThis);
      visit((async function* () {})());
      return { found, seen: seen.size }`;
    const { found, seen } = await valueOf({ source });
    expect(found).toEqual([]);
    expect(seen).toBeGreaterThan(500);
  });

  test('work where the plan asks for them', async () => {
    const source = `
      const shared = new Int32Array(new SharedArrayBuffer(8));
      Atomics.add(shared, 1, 5);
      const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
      return [Atomics.load(shared, 1), new WebAssembly.Module(bytes) instanceof WebAssembly.Module]`;
    const intrinsics = { webAssembly: true, sharedMemory: true };
    expect(await valueOf({ source, intrinsics })).toEqual([5, true]);
  });

  test('a guest cannot block its thread with Atomics.wait', async () => {
    const source = `return ${nameOfError('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)')}`;
    expect(await valueOf({ source, intrinsics: { sharedMemory: true } })).toBe('TypeError');
  });
});

describe('resizable buffers', () => {
  test.each([
    'new ArrayBuffer(8, { maxByteLength: 16 })',
    'Reflect.construct(ArrayBuffer, [8, { maxByteLength: 16 }])',
    'new (class extends ArrayBuffer {})(8, { maxByteLength: 16 })',
    'new (class extends ArrayBuffer { constructor() { super(8, { maxByteLength: 16 }) } })()',
    'new (new ArrayBuffer(1).constructor)(8, { maxByteLength: 16 })',
    'new ArrayBuffer.prototype.constructor(8, { maxByteLength: 16 })',
    'new ArrayBuffer[Symbol.species](8, { maxByteLength: 16 })',
    'new SharedArrayBuffer(8, { maxByteLength: 16 })',
  ])('%s is refused', async (attempt) => {
    const source = `return ${nameOfError(attempt)}`;
    expect(await valueOf({ source, intrinsics: { sharedMemory: true } })).toBe('RangeError');
  });

  test('cannot be had by changing what the refusal relies on', async () => {
    const source = `
      let reads = 0;
      const shifty = { get maxByteLength() { return reads++ === 0 ? undefined : 16 } };
      Reflect.construct = Proxy = null;
      Function.prototype.call = Function.prototype.apply = null;
      const attempt = (options) => {
        try { return new ArrayBuffer(8, options).resizable === true } catch (e) { return e.name }
      };
      return [attempt(shifty), attempt(Object.assign(() => {}, { maxByteLength: 16 })), attempt(Object.create({ maxByteLength: 16 }))]`;
    expect(await valueOf({ source })).toEqual([false, 'RangeError', 'RangeError']);
  });

  test('cannot be had from prototypes that stand in for options', async () => {
    const source = `
      Array.prototype[1] = { maxByteLength: 16 };
      try { return new ArrayBuffer(8).resizable === true } catch (e) { return e.name }`;
    expect([false, 'RangeError']).toContain(await valueOf({ source }));
  });

  test('cannot be had with the constructor behind the guard: call sites do not give it away', async () => {
    const source = `
      const functions = new Set();
      Error.prepareStackTrace = (_error, sites) => {
        for (const site of sites) functions.add(site.getFunction()).add(site.getThis());
      };
      const look = () => void new Error().stack;
      const target = new Proxy(function () {}, { get: (inner, key) => (look(), inner[key]) });
      Reflect.construct(ArrayBuffer, [{ valueOf: () => (look(), 8) }], target);
      return [...functions].filter((f) => f?.name === 'ArrayBuffer' && f !== ArrayBuffer).length`;
    expect(await valueOf({ source })).toBe(0);
  });

  test('leave ordinary buffers as they are', async () => {
    const source = `
      const buffer = new ArrayBuffer(8);
      class Mine extends ArrayBuffer {}
      return [
        buffer.byteLength, buffer instanceof ArrayBuffer, buffer.constructor === ArrayBuffer,
        ArrayBuffer.name, ArrayBuffer.length, ArrayBuffer.isView(new Uint8Array(1)),
        new Mine(4) instanceof Mine, new Mine(4).byteLength, buffer.slice(2, 5).byteLength,
        new Uint8Array(3).buffer instanceof ArrayBuffer, new ArrayBuffer(8, {}).byteLength,
        Object.prototype.toString.call(buffer), ${nameOfError('ArrayBuffer(1)')},
        ${nameOfError('new ArrayBuffer(-1)')},
      ]`;
    expect(await valueOf({ source })).toEqual([
      8,
      true,
      true,
      'ArrayBuffer',
      1,
      true,
      true,
      4,
      3,
      true,
      8,
      '[object ArrayBuffer]',
      'TypeError',
      'RangeError',
    ]);
  });
});
