'use strict';
// Consent to calls, without running anything twice.

const { listOf, useChain } = require('./chains.js');

/** A backend that counts what it is called for, with one tool that destroys. */
function makeDisk() {
  const calls = [];
  return {
    calls,
    list: () => ({
      tools: [
        { name: 'read', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
        { name: 'wipe', inputSchema: { type: 'object' }, annotations: { destructiveHint: true } },
      ],
    }),
    call: ({ name }) => {
      calls.push(name);
      return { content: [{ type: 'text', text: name }] };
    },
  };
}

const after = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));

describe('a call needs consent', () => {
  test.each([
    ['by its name', { tools: ['disk.wipe'] }],
    ['by its name alone', { tools: ['wipe'] }],
    ['by its annotation', { annotations: ['destructiveHint'] }],
    [
      'by its input',
      { isNeeded: async ({ tool, input }) => tool === 'wipe' && input.all === true },
    ],
  ])('%s', async (_name, approval) => {
    const disk = makeDisk();
    const asked = [];
    const ask = async (request) => asked.push(request) > 1;
    const { errorOf, textOf } = await useChain({ disk }, { approval: { ...approval, ask } });
    expect(await textOf('disk.read()')).toBe('read');
    expect(await errorOf('disk.wipe({ all: true })')).toBe(
      'disk.wipe was not approved, and was not called',
    );
    expect(await textOf('let x; return await disk.wipe({ all: true })')).toBe('wipe');
    expect(disk.calls).toEqual(['read', 'wipe']);
    expect(asked).toEqual(
      Array(2).fill({
        backend: 'disk',
        tool: 'wipe',
        input: { all: true },
        annotations: { destructiveHint: true },
      }),
    );
  });

  test('by its backend', async () => {
    const { errorOf } = await useChain({ disk: makeDisk() }, { approval: { tools: ['disk.*'] } });
    expect(await errorOf('disk.read()')).toBe(
      'disk.read needs approval, and there is nobody who can be asked',
    );
  });
});

test.each([
  [
    'a rejection',
    () => Promise.reject(new Error('no answer')),
    /could not be asked for: no answer/,
  ],
  ['another value than true', () => 'yes', /was not approved/],
  [
    'an exception',
    () => {
      throw new Error('broken');
    },
    /could not be asked for: broken/,
  ],
])('%s is no consent', async (_name, ask, message) => {
  const disk = makeDisk();
  const { errorOf } = await useChain({ disk }, { approval: { tools: ['wipe'], ask } });
  expect(await errorOf('let x; return await disk.wipe()')).toMatch(message);
  expect(disk.calls).toEqual([]);
});

test('a question about need that fails is no consent either', async () => {
  const disk = makeDisk();
  const isNeeded = () => {
    throw new Error('broken');
  };
  const { errorOf } = await useChain({ disk }, { approval: { isNeeded, ask: () => true } });
  expect(await errorOf('disk.read()')).toBe('Whether disk.read needs approval is unknown: broken');
  expect(disk.calls).toEqual([]);
});

test('code may catch a refusal and go on', async () => {
  const { textOf } = await useChain(
    { disk: makeDisk() },
    { approval: { tools: ['wipe'], ask: () => false } },
  );
  const code =
    'try { await disk.wipe() } catch (error) { return [error.message, await disk.read()] }';
  expect(JSON.parse(await textOf(code))).toEqual([
    'disk.wipe was not approved, and was not called',
    'read',
  ]);
});

test('the deadline stands still while somebody is asked, and goes on behind it', async () => {
  const { textOf, errorOf } = await useChain(
    { disk: makeDisk() },
    { approval: { tools: ['wipe'], ask: () => after(1800, true) } },
  );
  for (const code of ['disk.wipe()', 'let x; return await disk.wipe()']) {
    expect(await textOf(code, { timeout: 1500 })).toBe('wipe');
  }
  expect(await errorOf('await disk.wipe(); for (;;);', { timeout: 1500 })).toMatch(
    /timed out after 1500 ms/,
  );
});

test('what ran before the question does not run again', async () => {
  const disk = makeDisk();
  const { textOf } = await useChain(
    { disk },
    { approval: { tools: ['wipe'], ask: () => after(50, true) } },
  );
  expect(
    await textOf('await disk.read(); await disk.wipe(); await disk.read(); return "done"'),
  ).toBe('done');
  expect(disk.calls).toEqual(['read', 'wipe', 'read']);
});

test('thousands may wait for consent, and hold no place', async () => {
  const disk = makeDisk();
  let release;
  const consent = new Promise((resolve) => (release = resolve));
  const { call, textOf } = await useChain(
    { disk },
    { approval: { tools: ['wipe'], ask: () => consent }, sandbox: { max_concurrent_sandboxes: 2 } },
  );
  const timeout = 250_000;
  const waiting = Array.from({ length: 2000 }, (_, i) =>
    call(`const before = ${i}; await disk.wipe(); return before`, { timeout }),
  );
  // Two places, all of them free as soon as the code before them asks.
  expect(await textOf('let x; return await disk.read()', { timeout })).toBe('read');
  release(true);
  const answers = await Promise.all(waiting);
  expect(answers.map(({ content }) => content[0].text)).toEqual(answers.map((_, i) => String(i)));
  expect(disk.calls.filter((name) => name === 'wipe')).toHaveLength(2000);
}, 300_000);

test('a request that is cancelled meanwhile ends at once, and calls nothing', async () => {
  const disk = makeDisk();
  const controller = new AbortController();
  /** @type {AbortSignal[]} */
  const signals = [];
  const ask = (_request, { signal }) => {
    signals.push(signal);
    setTimeout(() => controller.abort(), 50);
    return new Promise(() => {});
  };
  const { call } = await useChain({ disk }, { approval: { tools: ['wipe'], ask } });
  const answer = await call('let x; return await disk.wipe()', {}, { signal: controller.signal });
  expect(answer).toMatchObject({ isError: true, content: [{ text: 'The call was cancelled' }] });
  expect(signals[0].aborted).toBe(true);
  expect(disk.calls).toEqual([]);
});

test('the context of a request says who is asked before the options do', async () => {
  const { call } = await useChain(
    { disk: makeDisk() },
    { approval: { tools: ['wipe'], ask: () => false } },
  );
  expect(await call('disk.wipe()', {}, { ask: () => true })).toMatchObject({ isError: false });
});

test('progress tells of every call', async () => {
  const { call } = await useChain({ b: { list: listOf('t'), call: () => ({ content: [] }) } });
  const seen = [];
  await call('await b.t(); await b.t(); return 1', {}, { onProgress: (one) => seen.push(one) });
  expect(seen).toEqual([
    { callsDone: 1, lastCall: 'b.t' },
    { callsDone: 2, lastCall: 'b.t' },
  ]);
});

test('progress tells that somebody is asked, and when it goes on', async () => {
  const { call } = await useChain(
    { disk: makeDisk() },
    { approval: { tools: ['wipe'], ask: () => true } },
  );
  const seen = [];
  const onProgress = (one) => seen.push(one);
  await call('await disk.wipe(); return await disk.read()', {}, { onProgress });
  expect(seen).toEqual([
    { callsDone: 0, waitingFor: 'disk.wipe' },
    { callsDone: 0 },
    { callsDone: 1, lastCall: 'disk.wipe' },
    { callsDone: 2, lastCall: 'disk.read' },
  ]);
});
