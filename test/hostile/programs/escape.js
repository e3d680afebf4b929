'use strict';
// Guests that look for a way out: to the host's realm, its globals, its files, its memory, or another run. They return
// what they found, and what they must have found.

const { returns, stops, throws } = require('../expectations.js');

const HOST_GLOBALS = [
  'process',
  'require',
  'module',
  'exports',
  '__filename',
  'global',
  'Buffer',
  'setTimeout',
  'setImmediate',
  'setInterval',
  'fetch',
  'performance',
  'URL',
  'TextDecoder',
  'WebSocket',
  'MessageChannel',
  'structuredClone',
  'navigator',
  'crypto',
  'eval2',
  'ShadowRealm',
  'WebAssembly',
  'SharedArrayBuffer',
  'Atomics',
];

/** Asks whether everything reachable from a value belongs to the guest's own realm. */
const WALK = `
  const walk = (root, most = 20_000) => {
    const seen = new Set(), strange = [], todo = [[root, 'root']];
    while (todo.length > 0 && seen.size < most) {
      const [value, path] = todo.pop();
      if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue;
      seen.add(value);
      let top = value;
      for (let i = 0; i < 20 && Reflect.getPrototypeOf(top) !== null; i++) top = Reflect.getPrototypeOf(top);
      if (top !== Object.prototype && top !== value) strange.push(path);
      if (typeof value === 'function' && !(value instanceof Function) && value !== Function.prototype) strange.push(path);
      for (const key of Reflect.ownKeys(value)) {
        const { value: inner, get, set } = Reflect.getOwnPropertyDescriptor(value, key);
        for (const part of [inner, get, set]) todo.push([part, path + '.' + String(key)]);
      }
      todo.push([Reflect.getPrototypeOf(value), path + '.[[Prototype]]']);
    }
    return strange;
  };`;

/** Tries to leave through the constructor of a function. */
const LEAVE = `
  const leave = (f) => {
    try { return f.constructor('return typeof process + typeof require + (this === globalThis)')() }
    catch (e) { return e.name + (e instanceof EvalError) }
  };`;

const OWN_CODE = 'undefinedundefinedtrue';

/** @type {import('./index.js').Category} */
module.exports = {
  limits: { wallMs: 2000 },
  programs: [
    {
      name: 'globals of the host',
      source: `return ${JSON.stringify(HOST_GLOBALS)}.filter((name) => name in globalThis)`,
      expect: returns([]),
    },
    {
      name: 'everything reachable from the global object is of one realm',
      source: `${WALK} return walk(globalThis)`,
      expect: returns([]),
    },
    {
      name: 'the constructor of every kind of function, with code generation off',
      source: `${LEAVE} return [host.ping, () => {}, async () => {}, function* () {}, async function* () {}, class {}, Math.max, console.log].map(leave)`,
      expect: returns(new Array(8).fill('EvalErrortrue')),
    },
    {
      name: 'the constructor of host functions, with code generation on',
      source: `${LEAVE} return [host.ping, host.ping.constructor, host.echo.call, host.ping.bind(), console.log].map(leave)`,
      intrinsics: { codeGeneration: true },
      expect: returns(new Array(5).fill(OWN_CODE)),
    },
    {
      name: 'indirect eval and new Function, with code generation off',
      source: `
        const tries = [() => eval('1'), () => (0, eval)('1'), () => new Function('return 1')(), () => Reflect.construct(Function, ['return 1'])(),
          () => (async () => {}).constructor('return 1')(), () => Function.prototype.constructor('return 1')(), () => Function.bind(null, 'return 1')()];
        return tries.map((f) => { try { return f() } catch (e) { return e.name } })`,
      expect: returns(new Array(7).fill('EvalError')),
    },
    {
      name: 'the constructor of an error of the host',
      source: `${LEAVE} try { await host.fail() } catch (e) { return [leave(e.constructor), e.constructor === Error, e instanceof Error] }`,
      intrinsics: { codeGeneration: true },
      expect: returns([OWN_CODE, true, true]),
    },
    {
      name: 'an error of the host, walked over',
      source: `${WALK} try { await host.fail() } catch (e) { return [walk(e), Reflect.ownKeys(e).map(String).sort()] }`,
      expect: returns([[], ['code', 'message', 'name', 'stack']]),
    },
    {
      name: 'the stack of an error of the host',
      source: `
        Error.stackTraceLimit = Infinity;
        const stacks = [];
        for (const f of [host.fail, host.failLater, () => host.echo(10n)]) { try { await f() } catch (e) { stacks.push(String(e.stack)) } }
        return [stacks.length, stacks.filter((s) => /node:|\\.js|\\/lib\\/|internal|native /.test(s))]`,
      expect: returns([3, []]),
    },
    {
      name: 'call sites through prepareStackTrace',
      source: `
        const sites = [];
        Error.stackTraceLimit = Infinity;
        Error.prepareStackTrace = (e, trace) => { sites.push(...trace); return 'x' };
        const look = () => new Error('x').stack;
        await host.echo({ get x() { look(); return 1 } });
        [1].map(look); JSON.stringify({ toJSON: look });
        try { await host.fail() } catch (e) { e.stack }
        const found = sites.flatMap((s) => [s.getThis?.(), s.getFunction?.()]).filter((x) => x !== undefined && x !== null);
        return [sites.length > 0, found.filter((x) => x !== globalThis && !(x instanceof Object)).length,
          sites.map((s) => String(s.getFileName())).filter((n) => /^(node:|\\/|file:)/.test(n))]`,
      expect: returns([true, 0, []]),
    },
    {
      name: 'prepareStackTrace is never called with what is not the guest’s',
      source: `
        const strangers = [];
        Error.prepareStackTrace = (e, trace) => {
          if (!(e instanceof Error) || e.constructor.constructor !== Function || !Array.isArray(trace)) strangers.push(typeof e);
          return trace.length };
        for (const f of [() => host.fail(), () => host.failLater(), () => host.echo(Symbol()), () => import('x'), () => null.x,
          () => new Array(-1), () => (function g() { g() })()]) { try { await f() } catch (e) { void e.stack } }
        return strangers`,
      expect: returns([]),
    },
    {
      name: 'captureStackTrace on a function of the host',
      source: `
        Error.captureStackTrace(host.ping, host.ping); const o = {}; Error.captureStackTrace(o);
        return [typeof host.ping.stack, /node:|\\/lib\\//.test(host.ping.stack + o.stack), await host.ping()]`,
      expect: returns(['string', false, 1]),
    },
    {
      name: 'caller and arguments of sloppy functions',
      source: `
        function f() { return [f.caller, f.arguments, arguments.callee] }
        const found = [];
        host.echo({ get x() { found.push(f.caller, ...f()); return 1 } });
        function g() { return g.caller } [0].forEach(g);
        [found.filter((x) => typeof x === 'function' && !(x instanceof Function)).length, g() === null]`,
      kind: 'script',
      expect: returns([0, true]),
    },
    {
      name: 'then, patched before calls are answered',
      source: `
        const given = [];
        const then = Promise.prototype.then;
        Promise.prototype.then = function (...args) { given.push(...args); return Reflect.apply(then, this, args) };
        const values = [await host.ping(), await host.echo(2), await host.soon()];
        Promise.prototype.then = then;
        return [values, given.filter((f) => typeof f === 'function' && !(f instanceof Function)).length]`,
      expect: returns([[1, 2, 1], 0]),
    },
    {
      name: 'Promise, replaced before calls',
      source: `
        const Real = Promise;
        globalThis.Promise = class { constructor() { throw new Error('mine') } };
        Real.prototype.constructor = globalThis.Promise;
        Object.defineProperty(Real, Symbol.species, { get() { throw new Error('species') } });
        const call = host.ping();
        return [Object.getPrototypeOf(call) === Real.prototype, await new Real((r) => Real.prototype.then.call(call, r, r)).catch((e) => e.message)]`,
      expect: { causes: ['finished', 'guest_error'] },
    },
    {
      name: 'setters on Object.prototype see nothing of a call',
      source: `
        let seen = '';
        const keys = ['0', '1', 'length', 'value', 'done', 'name', 'message', 'code', 'get', 'set', 'resolve', 'promise', 'context', 'input', 'stack'];
        const define = Object.defineProperty;
        const property = (key) => ({ __proto__: null, configurable: true, set() { seen += key + ' ' }, get() { seen += 'get ' + key + ' ' } });
        const properties = keys.map((key) => [key, property(key)]);
        for (const [key, one] of properties) define(Object.prototype, key, one);
        seen = '';
        const one = await host.echo([1, { a: 2 }]);
        let error; try { await host.fail() } catch (e) { error = e }
        console.log('text', { a: 1 }, [2]);
        const found = seen;
        for (const [key] of properties) delete Object.prototype[key];
        return [one, error.message, found]`,
      expect: returns([[1, { a: 2 }], 'the host says no', '']),
    },
    {
      name: 'setters on Array.prototype see nothing of a reply',
      source: `
        const seen = [];
        for (let i = 0; i < 4; i++) Object.defineProperty(Array.prototype, i, { configurable: true, set(v) { seen.push(v) } });
        const reply = await host.record();
        for (let i = 0; i < 4; i++) delete Array.prototype[i];
        return [reply, seen.length]`,
      expect: returns([{ list: [1, { two: 2 }], text: 'text', none: null }, 0]),
    },
    {
      name: 'every intrinsic replaced before a call and a result',
      source: `
        const targets = [Array.prototype, Map.prototype, Set.prototype, String.prototype, RegExp.prototype, Promise.prototype, Reflect, JSON, Symbol, Object];
        const patches = targets.flatMap((target) => Reflect.ownKeys(target).map((key) => ({ target, key, property: Object.getOwnPropertyDescriptor(target, key) })))
          .filter(({ key, property }) => typeof property.value === 'function' && property.configurable && key !== 'constructor');
        const define = Object.defineProperty;
        let called = 0;
        for (let i = 0; i < patches.length; i++)
          define(patches[i].target, patches[i].key, { ...patches[i].property, value: () => { called++; throw 'patched' } });
        const a = await host.echo({ list: [1, 2], text: 'x' });
        const b = await host.describe({ c: 1 });
        console.log(a, [1], new Map());
        return { a, b, called, patched: patches.length > 150 }`,
      expect: returns({ a: { list: [1, 2], text: 'x' }, b: 'plain [c]', called: 0, patched: true }),
    },
    {
      name: '__proto__ as a key of an argument',
      source: `return [await host.describe(JSON.parse('{"__proto__":{"polluted":1},"a":1}')), await host.describe({ ['__proto__']: { polluted: 1 } })]`,
      expect: returns(['plain [__proto__ a]', 'plain [__proto__]']),
    },
    {
      name: '__proto__ as a key, there and back',
      source: `
        const back = await host.echo(JSON.parse('{"__proto__":{"polluted":1}}'));
        return [Object.getPrototypeOf(back) === Object.prototype, Object.hasOwn(back, '__proto__'), back.polluted === undefined]`,
      expect: returns([true, true, true]),
    },
    {
      name: '__proto__, constructor and prototype as keys of a result',
      source: `return JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}},"toString":1,"then":3}')`,
      inspect: ({ value }) => [
        Object.getPrototypeOf(value) === Object.prototype,
        Object.keys(value),
        /** @type {any} */ ({}).polluted,
      ],
      expect: returns([true, ['__proto__', 'constructor', 'toString', 'then'], undefined]),
    },
    {
      name: '__proto__ in every part of a clone',
      source: `
        const evil = () => Object.defineProperty({}, '__proto__', { value: { polluted: 1 }, enumerable: true });
        return [evil(), new Map([['__proto__', evil()]]), new Set([evil()]), Object.assign([], { ['x']: evil() })]`,
      values: 'clone',
      inspect: ({ value: [object, map, set] }) => [
        Object.getPrototypeOf(object) === Object.prototype,
        Object.getPrototypeOf(map.get('__proto__')) === Object.prototype,
        Object.getPrototypeOf([...set][0]) === Object.prototype,
        /** @type {any} */ ({}).polluted,
      ],
      expect: returns([true, true, true, undefined]),
    },
    {
      name: 'an error in a result does not cross as one',
      source: `
        const e = new RangeError('r'); Object.defineProperty(e, 'name', { get: () => 'Evil' });
        return [e]`,
      values: 'clone',
      expect: stops('serialization'),
    },
    {
      name: 'an error in an argument, with lies about itself, does not cross as one',
      source: `
        const e = Object.defineProperties(new Error('m'), { message: { get() { throw 1 } }, stack: { get: () => 'secret' }, then: { value: () => {} } });
        try { return await host.describe({ e }) } catch (x) { return [x.name, x instanceof Error] }`,
      values: 'clone',
      expect: returns(['SerializationError', true]),
    },
    {
      name: 'a cloned regular expression with lies about itself',
      source: `
        const r = /a/g; Object.defineProperty(r, 'source', { value: '(' }); Object.defineProperty(r, 'flags', { value: 'zz' }); r.lastIndex = 7; r.exec = () => 1;
        return r`,
      values: 'clone',
      inspect: ({ value }) => [
        Object.getPrototypeOf(value) === RegExp.prototype,
        String(value),
        value.lastIndex,
        Object.keys(value),
      ],
      expect: returns([true, '/a/g', 0, []]),
    },
    {
      name: 'a cloned date with lies about itself',
      source:
        'const d = new Date(5); d.getTime = d.valueOf = () => ({}); d[Symbol.toPrimitive] = () => "x"; return d',
      values: 'clone',
      inspect: ({ value }) => [value instanceof Date, value.getTime()],
      expect: returns([true, 5]),
    },
    {
      name: 'a typed array that lies about its length asks for foreign memory',
      source: `
        const a = new Uint8Array([1, 2, 3]);
        for (const [key, value] of [['length', 1e6], ['byteLength', 1e6], ['byteOffset', -1e6], ['buffer', new ArrayBuffer(1e6)]])
          Object.defineProperty(a, key, { value });
        return [a, new DataView(new ArrayBuffer(8), 2, 4)]`,
      values: 'clone',
      inspect: ({ value: [a, view] }) => [[...a], a.byteLength, view.byteLength],
      expect: returns([[1, 2, 3], 3, 4]),
    },
    {
      name: 'a buffer detached while it crosses',
      source: `
        const buffer = new ArrayBuffer(1e5), view = new Uint8Array(buffer, 8, 100).fill(7);
        const detach = () => { if (buffer.transfer) buffer.transfer(); return 1 };
        return { get a() { return detach() }, view, buffer }`,
      values: 'clone',
      inspect: ({ cause, value }) => {
        if (cause !== 'finished') return 'refused';
        const bytes = [...value.view, ...new Uint8Array(value.buffer)];
        return bytes.every((byte) => byte === 7 || byte === 0) ? 'refused' : bytes;
      },
      expect: { causes: ['finished', 'serialization', 'guest_error'], value: 'refused' },
    },
    {
      name: 'an array that shrinks while it crosses',
      source: `
        const list = [{ get x() { list.length = 1; return 1 } }, ...new Array(1e5).fill('y')];
        return list`,
      inspect: ({ cause, value }) => cause !== 'finished' || value.length >= 1,
      expect: { causes: ['finished', 'serialization', 'guest_error'], value: true },
    },
    {
      name: 'an array that shrinks while it crosses as a clone',
      source: `
        const list = [{ get x() { list.length = 1; return 1 } }, ...new Array(1e5).fill(1.5)];
        const map = new Map([[1, { get y() { map.clear(); for (let i = 0; i < 1e4; i++) map.set(i, i); return 2 } }], [2, 3]]);
        return { list, map }`,
      values: 'clone',
      inspect: ({ cause, value }) => cause !== 'finished' || Array.isArray(value.list),
      expect: { causes: ['finished', 'serialization', 'guest_error'], value: true },
    },
    {
      name: 'an array that becomes another kind of array while it crosses',
      source: `
        const list = [1.5, { get x() { list[3] = {}; list[1e6] = 'far'; Object.defineProperty(list, 2, { get: () => list }); return 1 } }, 2.5, 3.5];
        return list`,
      values: 'clone',
      inspect: ({ cause, value }) => cause !== 'finished' || Array.isArray(value),
      expect: { causes: ['finished', 'serialization', 'guest_error'], value: true },
    },
    {
      name: 'an object that changes its shape while it crosses',
      source: `
        const o = { get a() { delete o.b; o.c = { late: 1 }; Object.setPrototypeOf(o, { d: 1 }); return 1 }, b: 'b', z: 'z' };
        return o`,
      inspect: ({ cause, value }) =>
        cause !== 'finished' || Object.getPrototypeOf(value) === Object.prototype,
      expect: { causes: ['finished', 'serialization', 'guest_error'], value: true },
    },
    {
      name: 'proxies, revoked ones too, as results and arguments',
      source: `
        const { proxy, revoke } = Proxy.revocable({}, {}); revoke();
        const tries = [proxy, new Proxy([], {}), new Proxy({}, { ownKeys: () => ['a', 'a'] }), new Proxy({ a: 1 }, { getOwnPropertyDescriptor: () => ({ get() {}, configurable: true }) }),
          new Proxy(function () {}, {}), new Proxy(new Date(), {}), new Proxy(new Map(), {})];
        const answers = [];
        for (const value of tries) answers.push(await host.describe(value).catch((e) => e instanceof Error && e.constructor.constructor === Function));
        return answers.map((answer) => answer === true || answer.startsWith('plain'))`,
      expect: returns(new Array(7).fill(true)),
    },
    {
      name: 'a proxy that is revoked by its own trap while it crosses',
      source: `
        const { proxy, revoke } = Proxy.revocable({ a: 1, b: 2 }, { ownKeys(t) { revoke(); return Reflect.ownKeys(t) }, getPrototypeOf: () => Object.prototype });
        return { proxy }`,
      expect: stops('serialization', 'guest_error'),
    },
    {
      name: 'species and subclasses in what crosses',
      source: `
        let made = 0; class A extends Array { constructor(...a) { super(...a); made++ } static get [Symbol.species]() { made += 100; return Object } }
        const list = A.from([1, 2]); const before = made;
        let back; try { back = await host.echo(list) } catch (e) { return [e.name, made - before] }
        return [Array.isArray(back) && Object.getPrototypeOf(back) === Array.prototype, made - before]`,
      inspect: ({ value }) => [value[0] === true || value[0] === 'SerializationError', value[1]],
      expect: returns([true, 0]),
    },
    {
      name: 'dynamic import of files, builtins and addresses',
      source: `
        const tries = ['fs', 'node:fs', 'node:process', 'file:///etc/passwd', '/etc/passwd', '../../../../etc/passwd', './package.json', 'data:text/javascript,export default 1', 'https://localhost/x.js', '', 'isobox', './\\0'];
        return Promise.all(tries.map((name) => import(name).then(() => 'in: ' + name, (e) => e instanceof Error)))`,
      expect: returns(new Array(12).fill(true)),
    },
    {
      name: 'static import of a builtin',
      source: 'import fs from "node:fs"; export default fs.readFileSync("/etc/passwd", "utf8")',
      kind: 'module',
      expect: stops('link_error'),
    },
    {
      name: 'a path that climbs out of the module root',
      source: 'export { default } from "./../../../../../../etc/hostname"',
      kind: 'module',
      module: { entryPath: 'a/b/main.js', sources: { 'c.js': 'export default 1' } },
      expect: stops('link_error'),
    },
    {
      name: 'JSON and other kinds of import of a file',
      source:
        'export default await import("/etc/hostname", { with: { type: "json" } }).catch((e) => e instanceof Error)',
      kind: 'module',
      expect: returns(true),
    },
    {
      name: 'import.meta',
      source:
        'export default [Object.keys(import.meta), Object.getPrototypeOf(import.meta), import.meta.url.includes("/")]',
      kind: 'module',
      expect: returns([['url'], null, false]),
    },
    {
      name: 'the namespace of a module of host values',
      source: `
        import * as tools from 'tools'; import { f } from 'tools';
        ${LEAVE} ${WALK}
        let written; try { tools.f = 1 } catch (e) { written = e.name }
        export default [leave(f), walk({ ...tools }), written, tools.data.constructor === Object]`,
      kind: 'module',
      values: 'clone',
      intrinsics: { codeGeneration: true },
      module: { imports: { tools: { f: () => 1, data: { a: 1 } } } },
      expect: returns([OWN_CODE, [], 'TypeError', true]),
    },
    {
      name: 'functions given as values, walked over',
      source: `
        ${WALK} ${LEAVE}
        const reply = await give.make();
        return [walk(give), leave(give.make), leave(reply.f), await reply.f(), typeof reply.f.toString(), /secret|=>/.test(give.make.toString())]`,
      values: 'clone',
      intrinsics: { codeGeneration: true },
      globals: { give: { make: () => ({ f: () => 'secret' }) } },
      expect: returns([[], OWN_CODE, OWN_CODE, 'secret', 'string', false]),
    },
    {
      name: 'functions of the host in every kind of call',
      source: `
        const results = [];
        for (const f of [() => new host.ping(), () => Reflect.construct(host.ping, []), () => Reflect.construct(Object, [], host.ping), () => host.ping.call(globalThis), () => host.ping.apply(null, { length: 3 }),
          () => class extends host.ping {}, () => host.ping\`x\`, () => [3, 1].sort(host.ping), () => Object.defineProperty({}, 'x', { get: host.ping }).x, () => new Proxy(host.ping, {})()])
          try { const value = await f(); results.push(typeof value) } catch (e) { results.push(e instanceof TypeError) }
        return results.every((r) => r === true || r === 'number' || r === 'object')`,
      expect: returns(true),
    },
    {
      name: 'properties of a namespace that its host did not give',
      source: `
        return [Object.keys(host).length > 0, Object.getPrototypeOf(host) === Object.prototype, host.hasOwnProperty.constructor === Function, typeof host.nothing, typeof host.constructor.constructor, 'prototype' in host.ping]`,
      expect: returns([true, true, true, 'undefined', 'function', false]),
    },
    {
      name: 'a guest function called by its host gets copies of the guest’s own realm',
      source: `
        ${WALK}
        const seen = [];
        await give.call(function (...args) { seen.push(this === undefined || this === globalThis, walk(args), args[0].constructor === Object, typeof args[1]); return 1 });
        return seen`,
      values: 'clone',
      globals: {
        give: {
          call: async (/** @type {Function} */ f) => {
            await f({ a: { b: [1] } }, () => 2, new Map([[1, new Date()]]));
          },
        },
      },
      expect: returns([true, [], true, 'function']),
    },
    {
      name: 'a guest function as its host sees it',
      source: `
        const give = (value) => ({ value, enumerable: true });
        const evil = Object.defineProperties(async function () { return 1 }, { constructor: give(1), then: give((f) => f('then')), call: give(2) });
        return { evil }`,
      values: 'clone',
      inspect: ({ value }) => [
        typeof value.evil,
        value.evil instanceof Function,
        Object.keys(value.evil),
      ],
      expect: returns(['function', true, []]),
    },
    {
      name: 'a thenable result hands functions of the host to the guest',
      source: `
        let given;
        const end = { then(resolve) { given = resolve; resolve({ then: (r) => r('through') }) } };
        const value = await end;
        return [value, given instanceof Function, given.constructor === Function]`,
      expect: returns(['through', true, true]),
    },
    {
      name: 'a getter named then on what is returned',
      source:
        'let n = 0; return { nested: { get then() { n++; return undefined }, a: 1 }, get count() { return n } }',
      inspect: ({ cause, value }) => cause !== 'finished' || value.nested.a === 1,
      expect: { causes: ['finished', 'serialization'], value: true },
    },
    {
      name: 'V8’s own syntax',
      source: 'return %DebugPrint(1)',
      expect: stops('link_error'),
    },
    {
      name: 'a body that closes its own function',
      source: '});globalThis.escaped = 1;(async()=>{ return globalThis.escaped',
      expect: stops('link_error'),
    },
    {
      name: 'a body that closes its own function, inside a comment and a template',
      source: '/* */ }), (() => { return `',
      expect: stops('link_error'),
    },
    {
      name: 'a source map and a source address of one’s own',
      source: `
        try { null.x } catch (e) { return /passwd/.test(e.stack) ? 'named' : 'not named' }
        //# sourceURL=/etc/passwd
        //# sourceMappingURL=file:///etc/passwd`,
      inspect: ({ value }) => typeof value,
      expect: returns('string'),
    },
    {
      name: 'the console, walked over',
      source: `
        ${WALK} ${LEAVE}
        return [walk(console), Object.keys(console).map((key) => typeof console[key]).filter((t) => t !== 'function'), leave(console.log), typeof console.constructor]`,
      intrinsics: { codeGeneration: true },
      expect: returns([[], [], OWN_CODE, 'function']),
    },
    {
      name: 'every function of the console, called with nonsense',
      source: `
        const results = new Set();
        for (const key of Reflect.ownKeys(console)) {
          if (typeof console[key] !== 'function') continue;
          for (const args of [[], [undefined], [Symbol('s')], [10n], [{ get x() { throw 1 } }], ['%s%d%o%c%%', {}, null], [new Proxy({}, {})], ['x'.repeat(1e4), -0, NaN]])
            try { results.add(typeof console[key](...args)) } catch (e) { results.add(typeof e) }
        }
        return [...results].filter((kind) => kind !== 'undefined' && kind !== 'number' && kind !== 'object')`,
      expect: returns([]),
    },
    {
      name: 'formats of the console that run code of the guest',
      source: `
        let calls = 0;
        const trap = new Proxy({}, { get() { calls++; return () => { throw new Error('format') } }, ownKeys() { calls++; throw new Error('keys') } });
        console.log(trap, { toString() { throw 1 }, [Symbol.toPrimitive]() { throw 2 }, get a() { throw 3 } }, Object.create(null), (() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy })());
        return 'alive'`,
      expect: returns('alive'),
    },
    {
      name: 'marks on errors of the host',
      source: `
        try { await host.fail() } catch (e) { return [Object.getOwnPropertySymbols(e).length, JSON.stringify(Object.getOwnPropertyDescriptors(e)).includes('E_HOST'), e.cause === undefined, e.secret === undefined] }`,
      expect: returns([0, true, true, true]),
    },
    {
      name: 'a range error at the edge of the stack is of the guest’s realm',
      source: `
        let edge; const f = () => { try { f() } catch (e) { edge ??= e; try { host.echo(1) } catch (again) { edge = again } } }; f();
        return [edge instanceof RangeError, edge.constructor.constructor === Function]`,
      expect: returns([true, true]),
    },
    {
      name: 'errors of refused buffers, calls and imports are of the guest’s realm',
      source: `
        const errors = [];
        for (const f of [() => new ArrayBuffer(8, { maxByteLength: 9 }), () => host.echo(10n), () => host.echo(() => {}), () => import('gone'), () => host.echo(Symbol())])
          try { await f() } catch (e) { errors.push(e instanceof Error && e.constructor.constructor === Function && Object.getPrototypeOf(Object.getPrototypeOf(e)) !== null) }
        return errors`,
      expect: returns([true, true, true, true, true]),
    },
    {
      name: 'symbols and names that runs share',
      source: `
        const before = [globalThis.left, Object.prototype.left, Symbol.for('isobox.exit').description, Object.getOwnPropertySymbols(globalThis).length];
        globalThis.left = Object.prototype.left = 1; Array.prototype.push = null;
        return before.map((x) => x ?? 'nothing')`,
      expect: returns(['nothing', 'nothing', 'isobox.exit', 0]),
    },
    {
      name: 'what the run before left on its intrinsics',
      source: `
        return [globalThis.left === undefined, Object.prototype.left === undefined, typeof [].push]`,
      expect: returns([true, true, 'function']),
    },
    {
      name: 'shared memory through WebAssembly and views',
      source: `
        const tries = [() => new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }), () => Atomics.notify, () => new SharedArrayBuffer(8), () => Object.getPrototypeOf(Int8Array.prototype).constructor.from(new SharedArrayBuffer(8))];
        return tries.map((f) => { try { return typeof f() } catch (e) { return e.name } })`,
      expect: returns(new Array(4).fill('ReferenceError')),
    },
    {
      name: 'a clock fine enough to measure caches with',
      source:
        'const t = []; for (let i = 0; i < 1e4; i++) t.push(Date.now()); return t.every((x) => Number.isInteger(x)) && typeof performance',
      expect: returns('undefined'),
    },
    {
      name: 'a promise rejected behind the result does not reach the host',
      source: 'Promise.reject(new Error("unhandled")); host.fail(); host.failLater(); return 1',
      expect: returns(1),
    },
    {
      name: 'a WeakRef and a registry bring nothing back',
      source: `
        const found = []; const registry = new FinalizationRegistry((held) => found.push(held));
        for (let i = 0; i < 1e4; i++) registry.register({ held: await 0 }, i);
        const refs = Array.from({ length: 1000 }, () => new WeakRef({}));
        for (let i = 0; i < 100; i++) { new Array(1e5).fill(i); await host.ping() }
        return refs.every((ref) => ref.deref() === undefined || typeof ref.deref() === 'object')`,
      expect: returns(true),
    },
    {
      name: 'the host’s limits cannot be told from inside, nor changed',
      source: `
        return ['limits', 'isobox', '$isobox', '__isobox', 'native'].filter((name) => name in globalThis).length + Object.keys(globalThis).filter((name) => !['host', 'console'].includes(name)).length`,
      expect: returns(0),
    },
    {
      name: 'a with statement around the names of the host',
      source: `
        var seen = []; with (new Proxy({}, { has(t, k) { seen.push(String(k)); return false } })) { typeof host; typeof process }
        [seen, typeof process]`,
      kind: 'script',
      expect: returns([['host', 'process'], 'undefined']),
    },
    {
      name: 'a redeclared host, console and undefined',
      source: 'const host = 1, console = 2, undefined = 3; return [host, console, undefined]',
      expect: returns([1, 2, 3]),
    },
    {
      name: 'an unresolved function of an ended turn, called by nobody',
      source:
        'return new Promise((resolve, reject) => { resolve(1); reject(new Error("late")); resolve(2) })',
      expect: returns(1),
    },
    {
      name: 'a bad export name and a hostile export',
      source: 'export { x as default }; let x = { get y() { throw new TypeError("y") } };',
      kind: 'module',
      expect: { causes: ['guest_error', 'serialization'] },
    },
    {
      name: 'reading before it is there',
      source: 'return x; let x = 1',
      expect: throws('ReferenceError'),
    },
  ],
};
