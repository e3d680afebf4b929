'use strict';
// A promise that is resolved with an object calls its function `then`, and waits for what that does. A guest must not be
// able to keep a host waiting in this way, not for the time of its run and not for ever.

const { usePool } = require('../support/pools.js');
const { runCode } = require('../../lib/run-code/index.js');

const { errorOf, run, valueOf } = usePool();

/** To the guest's own promises it is no thenable: they look at it once. */
const AT_THE_SECOND_LOOK =
  'const trap = () => { let n = 0; return { get then() { return n++ ? () => {} : undefined } } };';

const isRefused = expect.stringContaining('has a function then');

test('what a guest function gives is refused, and the host that awaits it goes on', async () => {
  const { ok, value } = await run({
    source: `${AT_THE_SECOND_LOOK} return host.use(trap)`,
    values: 'clone',
    namespaces: {
      host: { use: (f) => f().catch(({ name, message }) => ({ name, message })) },
    },
  });
  expect({ ok, value }).toEqual({
    ok: true,
    value: { name: 'SerializationError', message: isRefused },
  });
});

test('a call that has no answer when the run ends rejects', async () => {
  /** @type {Promise<any>[]} */
  const open = [];
  await run({
    source: 'host.use(() => new Promise(() => {})); host.use(() => ({ then() {} })); return 1',
    values: 'clone',
    namespaces: { host: { use: (f) => void open.push(f().catch((error) => error.code)) } },
  });
  expect(await Promise.all(open)).toEqual(['ERR_ISOBOX_RUN_ENDED', 'ERR_ISOBOX_RUN_ENDED']);
});

test('a result is refused', async () => {
  const source = `${AT_THE_SECOND_LOOK} return trap()`;
  expect(await errorOf({ source, values: 'clone' })).toMatchObject({
    cause: 'serialization',
    message: isRefused,
  });
  expect(await errorOf({ source: 'return [{ then() {} }]', values: 'clone' })).toMatchObject({
    cause: 'serialization',
    message:
      'The result cannot be returned: value[0] has a function then, like a promise: await it first',
  });
});

test('a result of runCode is refused', async () => {
  const outcome = await runCode(`${AT_THE_SECOND_LOOK} export default trap()`);
  expect(outcome).toMatchObject({ status: 'error', error: { message: isRefused } });
});

test('arguments are refused, and the host function is not called', async () => {
  const use = jest.fn(async (given) => given);
  const value = await valueOf({
    source: `return host.use({ list: [{ then() {} }] }).catch(({ name, code }) => [name, code])`,
    values: 'clone',
    namespaces: { host: { use } },
  });
  expect(value).toEqual(['SerializationError', 'serialization_error']);
  expect(use).not.toHaveBeenCalled();
});

test('an entry of a log is text', async () => {
  const { logs } = await run({
    source: 'console.log({ a: 1, then() {} })',
    values: 'clone',
    console: 'entries',
  });
  expect(logs[0].args).toEqual(['{"a":1}']);
});

test.each(/** @type {const} */ (['json', 'clone']))(
  'then is a key like any other where it is data: %s',
  async (values) => {
    expect(await valueOf({ source: 'return { then: { then: 1 } }', values })).toEqual({
      then: { then: 1 },
    });
  },
);

test('the host may hand a thenable to the guest', async () => {
  const value = await valueOf({
    source: 'const { later } = await host.give(); return later',
    values: 'clone',
    namespaces: { host: { give: () => ({ later: { then: (resolve) => void resolve(42) } }) } },
  });
  expect(value).toBe(42);
});
