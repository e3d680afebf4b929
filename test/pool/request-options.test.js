'use strict';

const { usePool } = require('../support/pools.js');

const shared = usePool();

/** A matcher for errors of the kind that name the option. */
const naming = (name, option) =>
  expect.objectContaining({ name, message: expect.stringContaining(option) });

const refused = (request, option, name = 'TypeError') => {
  expect(() => shared.run(request)).toThrow(naming(name, option));
};

const EVERYTHING = [undefined, null, true, 5, NaN, 1n, 'text', Symbol('s'), {}, [], () => {}];
const without = (...kinds) =>
  EVERYTHING.filter((value) => {
    const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
    return !kinds.includes(kind);
  });

test.each(without('object'))('a request is not %p', (/** @type {any} */ request) => {
  expect(() => shared.run(request)).toThrow(TypeError);
});

test('a request needs a source', () => refused({}, 'request.source'));

test.each(without('string'))('a source is not %p', (source) =>
  refused({ source }, 'request.source'),
);

test('a source that could not even be held is refused', () => {
  refused({ source: ' '.repeat(2 ** 28 + 1) }, 'request.source', 'RangeError');
});

test.each([
  'sources',
  'Source',
  'code',
  'timeout',
  'timeoutMs',
  'wallMs',
  'memoryLimitBytes',
  'language',
  'modules',
  'imports',
  'global',
  'namespace',
  'onlog',
  'abortSignal',
])('%s is not the name of an option', (name) =>
  refused({ source: '', [name]: undefined }, `'${name}'`),
);

describe.each([
  ['kind', ['function', 'script', 'module']],
  ['values', ['json', 'clone']],
])('%s', (name, choices) => {
  test.each([...without('undefined'), '', choices[0].toUpperCase()])('is not %p', (value) => {
    refused({ source: '', [name]: value }, `request.${name}`);
  });

  test.each(choices)('may be %s', async (value) => {
    /** @type {any} */
    const request = { source: 'export default 1', kind: 'module', [name]: value };
    expect((await shared.run(request)).facts.callCount).toBe(0);
  });
});

test.each(without('string', 'undefined'))('a filename is not %p', (filename) => {
  refused({ source: '', filename }, 'request.filename');
});

describe('the console', () => {
  test.each([...without('undefined', 'object'), '', 'line', 'NONE'])('is not %p', (console) => {
    refused({ source: '', console }, 'request.console');
  });

  test.each(without('undefined', 'string'))(
    'takes %p neither for its mode nor for its scope',
    (value) => {
      refused({ source: '', console: { mode: value } }, 'request.console.mode');
      refused({ source: '', console: { scope: value } }, 'request.console.scope');
    },
  );

  test('has no other settings', () => {
    refused({ source: '', console: { level: 'warn' } }, "'level'");
    refused({ source: '', console: { mode: 'lexical' } }, 'request.console.mode');
    refused({ source: '', console: { scope: 'lines' } }, 'request.console.scope');
  });

  test('and a binding cannot both be lexical', () => {
    const bindings = { console: {} };
    refused({ source: '', console: { scope: 'lexical' }, bindings }, "'console'");
    expect(shared.run({ source: '', console: 'none', bindings }).running).toBe(true);
  });
});

describe('intrinsics', () => {
  test.each(without('undefined', 'object'))('are not %p', (intrinsics) => {
    refused({ source: '', intrinsics }, 'request.intrinsics');
  });

  test.each(['codeGeneration', 'webAssembly', 'sharedMemory', 'queueMicrotask'])(
    '%s is true or false',
    (name) => {
      for (const value of without('undefined', 'boolean')) {
        refused({ source: '', intrinsics: { [name]: value } }, `request.intrinsics.${name}`);
      }
    },
  );

  test('and a binding cannot both be queueMicrotask', () => {
    const bindings = { queueMicrotask() {} };
    refused({ source: '', intrinsics: { queueMicrotask: true }, bindings }, "'queueMicrotask'");
    expect(shared.run({ source: '', bindings }).running).toBe(true);
  });

  test('have no other names', () => refused({ source: '', intrinsics: { eval: true } }, "'eval'"));
});

describe.each(['namespaces', 'globals', 'bindings'])('%s', (name) => {
  test.each(without('undefined', 'object'))('are not %p', (value) => {
    refused({ source: '', [name]: value }, `request.${name}`);
  });
});

test.each(without('object'))('a namespace is not %p', (tools) => {
  refused({ source: '', namespaces: { tools } }, 'request.namespaces.tools');
});

test.each(without('function'))('a member of a namespace is not %p', (member) => {
  refused({ source: '', namespaces: { tools: { member } } }, 'request.namespaces.tools.member');
});

describe('module', () => {
  const withModule = (module) => ({ source: '', kind: 'module', module });

  test.each(without('undefined', 'object'))('is not %p', (module) => {
    refused(withModule(module), 'request.module');
  });

  test('is only for modules', () => {
    refused({ source: '', module: {} }, 'request.module');
    refused({ source: '', kind: 'script', module: {} }, 'request.module');
  });

  test.each(['entryPath', 'metaUrlPrefix', 'exportName'])('%s is a string', (name) => {
    for (const value of without('undefined', 'string')) {
      refused(withModule({ [name]: value }), `request.module.${name}`);
    }
  });

  test.each(['arguments', 'suffixes'])('%s is an array', (name) => {
    for (const value of without('undefined', 'array')) {
      refused(withModule({ [name]: value }), `request.module.${name}`);
    }
  });

  test.each(['sources', 'imports'])('%s is an object', (name) => {
    for (const value of without('undefined', 'object')) {
      refused(withModule({ [name]: value }), `request.module.${name}`);
    }
  });

  test('every suffix and every source is a string, every import an object', () => {
    for (const value of without('string')) {
      refused(withModule({ suffixes: ['', value] }), 'request.module.suffixes[1]');
      refused(withModule({ sources: { 'a.js': value } }), "request.module.sources['a.js']");
    }
    for (const value of without('object', 'array')) {
      refused(withModule({ imports: { host: value } }), "request.module.imports['host']");
    }
  });

  test.each(['entry', 'export', 'args', 'source', 'extensions'])(
    '%s is not the name of a setting',
    (name) => {
      refused(withModule({ [name]: undefined }), `'${name}'`);
    },
  );
});

test.each(without('undefined'))('a signal is not %p', (signal) => {
  refused({ source: '', signal }, 'request.signal');
});

test.each(without('undefined', 'function'))('onLog is not %p', (onLog) => {
  refused({ source: '', onLog }, 'request.onLog');
});

test.each(without('undefined', 'boolean'))('liveLogs is not %p', (liveLogs) => {
  refused({ source: '', liveLogs }, 'request.liveLogs');
});

test('every option may be left undefined', async () => {
  const names = [
    'kind',
    'filename',
    'values',
    'namespaces',
    'globals',
    'bindings',
    'console',
    'intrinsics',
    'module',
    'limits',
    'signal',
    'onLog',
    'liveLogs',
  ];
  const request = Object.fromEntries(names.map((name) => [name, undefined]));
  expect(await shared.run({ ...request, source: 'return 1' })).toMatchObject({
    ok: true,
    value: 1,
  });
});

test('a refused request leaves nothing behind', async () => {
  const before = shared.pool.stats().outcomes;
  refused({ source: '', globals: { bad: Symbol('x') } }, "'bad'");
  refused({ source: '', kind: 'other' }, 'request.kind');
  expect(shared.pool.stats().outcomes).toEqual(before);
  expect(await shared.valueOf({ source: 'return 1' })).toBe(1);
});

test('a name is not both a namespace and a global', () => {
  const request = { source: '', namespaces: { a: {} }, globals: { a: 1 } };
  refused(request, "request.globals: 'a'");
});

test.each([
  ['./a.js', "write 'a.js'"],
  ['/lib//a.js', "write 'lib/a.js'"],
  ['lib/../a.js', 'lib/../a.js'],
  ['../a.js', '../a.js'],
  ['', "''"],
])('%j is no path of a source, since no import would find it', (path, advice) => {
  refused({ source: '', kind: 'module', module: { sources: { [path]: '' } } }, advice);
});
