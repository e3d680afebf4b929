'use strict';
// A request under way: how it is cancelled, what its client hears, and what is kept of its output.

const { ProgressNotes } = require('../../lib/tool-chain/progress-notes.js');
const { until } = require('../support/time.js');
const { listOf, useChain } = require('./chains.js');

describe('an end reaches the calls that are open', () => {
  const codes = [
    ['direct', '{"tool":"slow.stall"}'],
    ['call', 'slow.stall()'],
    ['isolate', 'await Promise.all([slow.stall(), slow.stall()])'],
  ];

  /** A backend whose calls end when they are cancelled, and a chain over it. */
  const useSlow = async () => {
    const cancelled = [];
    const opened = [];
    const used = await useChain({
      slow: {
        list: listOf('stall'),
        call: (_params, { signal }) =>
          new Promise(() => {
            opened.push(signal);
            signal.addEventListener('abort', () => cancelled.push(signal.aborted));
          }),
      },
    });
    return { ...used, cancelled, opened };
  };

  test.each(codes)('when it is cancelled (%s)', async (tier, code) => {
    const { call, cancelled, opened } = await useSlow();
    const controller = new AbortController();
    const answer = call(code, {}, { signal: controller.signal });
    const open = tier === 'isolate' ? 2 : 1;
    await until(() => opened.length === open);
    controller.abort();
    expect(await answer).toMatchObject({
      isError: true,
      tier,
      content: [{ text: 'The call was cancelled' }],
    });
    await until(() => cancelled.length === open);
  });

  test.each(codes)('when its time is over (%s)', async (tier, code) => {
    const { errorOf, cancelled } = await useSlow();
    expect(await errorOf(code, { timeout: 1500 })).toBe('The call timed out after 1500 ms');
    await until(() => cancelled.length === (tier === 'isolate' ? 2 : 1));
  });

  test('one that was cancelled before it began calls nothing', async () => {
    const { call, cancelled } = await useSlow();
    const answer = await call('slow.stall()', {}, { signal: AbortSignal.abort() });
    expect(answer.content[0].text).toBe('The call was cancelled');
    expect(cancelled).toEqual([]);
  });
});

describe('what a client hears', () => {
  afterEach(() => jest.useRealTimers());

  /** The notes of a request, with what was sent. */
  /** @param {{ progressToken?: number }} [_meta] */
  const useNotes = (_meta = { progressToken: 7 }) => {
    jest.useFakeTimers();
    const sent = [];
    const sendNotification = async ({ params }) => void sent.push(params);
    return { sent, notes: new ProgressNotes({ _meta, sendNotification }) };
  };

  test('is a larger number each time, and what has happened', () => {
    const { sent, notes } = useNotes();
    notes.note({ callsDone: 0, waitingFor: 'a.b' });
    jest.advanceTimersByTime(11_000);
    notes.note({ callsDone: 1, lastCall: 'a.b' });
    jest.advanceTimersByTime(5000);
    notes.end();
    jest.advanceTimersByTime(60_000);
    expect(sent.map(({ message }) => message)).toEqual([
      ...Array(3).fill('0 calls; waiting for consent to a.b'),
      ...Array(2).fill('1 calls, last a.b'),
    ]);
    const numbers = sent.map(({ progress }) => progress);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(sent.every(({ progressToken }) => progressToken === 7)).toBe(true);
  });

  test('calls that follow each other closely are told together', () => {
    const { sent, notes } = useNotes();
    for (let i = 1; i <= 1000; i++) notes.note({ callsDone: i, lastCall: 'a.b' });
    expect(sent).toHaveLength(1);
    jest.advanceTimersByTime(5000);
    expect(sent.at(-1)).toMatchObject({ progress: 1000, message: '1000 calls, last a.b' });
    notes.end();
  });

  test('is nothing when it did not ask', () => {
    const { sent, notes } = useNotes({});
    notes.note({ callsDone: 1, lastCall: 'a.b' });
    jest.advanceTimersByTime(60_000);
    expect(sent).toEqual([]);
    notes.end();
  });
});

describe('outputs that are kept', () => {
  test('are the last 256: older ones say that they are gone', async () => {
    const { chain, call } = await useChain({}, { sandbox: { max_output_size: 10 } });
    const uris = [];
    for (let i = 0; i < 257; i++) {
      uris.push((await call(`return "${'x'.repeat(20)}${i}"`)).resultUri);
    }
    await expect(chain.readResource(uris[0])).rejects.toThrow(/There is no result '.*' any more/);
    expect((await chain.readResource(uris[1])).text).toBe(`${'x'.repeat(20)}1`);
    expect((await chain.readResource(uris[256])).text).toBe(`${'x'.repeat(20)}256`);
  });

  test('have 64 MiB together', async () => {
    const { chain, call } = await useChain({});
    const uris = [];
    for (let i = 0; i < 6; i++) {
      uris.push((await call('let x; return "x".repeat(12 * 2 ** 20)')).resultUri);
    }
    await expect(chain.readResource(uris[0])).rejects.toThrow(/any more/);
    expect((await chain.readResource(`${uris[1]}?limit=5`)).text).toMatch(/^xxxxx\n/);
  });
});

test('results are typed by their output schemas', async () => {
  const { chain } = await useChain({
    shop: {
      list: () => ({
        tools: [
          {
            name: 'stock',
            inputSchema: {
              type: 'object',
              properties: { kind: { type: 'string' } },
              required: ['kind'],
            },
            outputSchema: {
              type: 'object',
              properties: { count: { type: 'number' }, unit: { enum: ['kg', 'pieces'] } },
              required: ['count'],
            },
          },
        ],
      }),
    },
  });
  const { types } = await chain.toolInfo({ tool_name: 'shop.stock' });
  expect(types).toMatch(
    /function stock\(input: \{\s*kind: string;?\s*\}\): Promise<\{\s*count: number;/,
  );
  expect(types).toMatch(/unit\?: "kg" \| "pieces"/);
});
