'use strict';
// Under the JSON profile: what JSON can say crosses unchanged, in every direction, and nothing else does.

const fc = require('fast-check');

const { usePool } = require('../support/pools.js');

const { run } = usePool();

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 })
    .map((units) => String.fromCharCode(...units)),
);
const anyKey = fc.oneof(
  anyText,
  fc.constantFrom('__proto__', 'constructor', 'toJSON', 'then', '0', 'length'),
);
const anyNumber = fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0 : n));

const { value: anyJson } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthIdentifier: 'value' },
    fc.constantFrom(null, true, false, 0, ''),
    fc.integer(),
    anyNumber,
    anyText,
    fc.array(tie('value'), { maxLength: 6, depthIdentifier: 'value' }),
    fc.dictionary(anyKey, tie('value'), { maxKeys: 6, depthIdentifier: 'value' }),
  ),
}));

test('a reply and a result are what the host gave', async () => {
  await fc.assert(
    fc.asyncProperty(anyJson, async (value) => {
      const outcome = await run({
        source: 'return [await host.give(), JSON.stringify(await host.give())]',
        namespaces: { host: { give: () => value } },
      });
      expect(outcome.ok).toBe(true);
      expect(JSON.stringify(outcome.value[0])).toBe(JSON.stringify(value));
      expect(outcome.value[1]).toBe(JSON.stringify(value));
    }),
    { numRuns: 300 },
  );
});

test('an argument is what the guest gave', async () => {
  await fc.assert(
    fc.asyncProperty(anyJson, async (value) => {
      let seen;
      const text = JSON.stringify(value);
      const outcome = await run({
        source: 'await host.take(JSON.parse(text)); return 1',
        globals: { text },
        namespaces: { host: { take: (input) => void (seen = input) } },
      });
      expect(outcome.ok).toBe(true);
      expect(JSON.stringify(seen)).toBe(text);
    }),
    { numRuns: 300 },
  );
});

test('a long array is what it was, there and back', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyJson, { minLength: 32, maxLength: 50 }), async (value) => {
      const outcome = await run({
        source: 'return [await host.echo(await host.give())]',
        namespaces: { host: { give: () => value, echo: (input) => input } },
      });
      expect(outcome.ok).toBe(true);
      expect(JSON.stringify(outcome.value[0])).toBe(JSON.stringify(value));
    }),
    { numRuns: 150 },
  );
});

const anyHostValue = fc.anything({
  maxDepth: 3,
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
});

test('whatever a host function returns, the guest gets that value or an error that says why, and the run goes on', async () => {
  await fc.assert(
    fc.asyncProperty(anyHostValue, async (value) => {
      const outcome = await run({
        source: `
          const answer = await host.give().then((v) => ['value', v], (e) => ['error', e.name, e.message.length > 0]);
          return [answer[0], answer[0] === 'value' ? JSON.stringify(answer[1]) ?? 'undefined' : answer.slice(1), await host.ping()]`,
        namespaces: { host: { give: () => value, ping: () => 1 } },
      });
      expect(outcome).toMatchObject({ cause: 'finished' });
      const [kind, answer, ping] = outcome.value;
      expect(ping).toBe(1);
      if (kind === 'error') {
        expect(answer).toEqual(['SerializationError', true]);
      } else {
        expect(answer).toBe(JSON.stringify(value) ?? 'undefined');
      }
    }),
    { numRuns: 500 },
  );
});
