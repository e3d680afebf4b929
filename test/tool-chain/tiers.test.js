'use strict';
// Whichever tier serves a call, the answer is the same.

const fc = require('fast-check');

const { listOf, useChain } = require('./chains.js');

/** JSON values of all kinds, with keys that are special to JavaScript among them. */
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('', '__proto__', '\u2028', '\ud800', '"type": "image"', 'a;b})'),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.dictionary(
    fc.oneof(
      fc.string(),
      fc.constantFrom('__proto__', 'constructor', '1', 'length', 'then', 'toJSON'),
    ),
    tie('value'),
    { maxKeys: 4 },
  ),
}));

const results = fc.oneof(
  json.value.map((value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] })),
  fc.string({ unit: 'grapheme' }).map((text) => ({ content: [{ type: 'text', text }] })),
  json.object.map((structuredContent) => ({ content: [], structuredContent })),
  json.value.map((value) => ({
    content: [
      { type: 'text', text: JSON.stringify(value) },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    ],
  })),
  fc.string().map((text) => ({ content: [{ type: 'text', text }], isError: true })),
);

/** The same call in the ways of writing it; the last two differ in how much of the bridge they get. */
const written = (input) => ({
  direct: `{"tool":"b.t","arguments":${input}}`,
  call: `return await b.t(JSON.parse)`.replace('JSON.parse', () => input),
  isolate: `const input = JSON.parse(${JSON.stringify(input)});\nreturn await b.t(input);`,
  'isolate, with all of the bridge': `void globalThis;\nreturn await b.t(JSON.parse(${JSON.stringify(input)}));`,
});

test('a call gives the same answer and sends the same input in every tier', async () => {
  /** @type {{ result: unknown, inputs: string[] }} */
  const state = { result: undefined, inputs: [] };
  const { call } = await useChain({
    b: {
      list: listOf('t'),
      call: ({ arguments: input }) => {
        state.inputs.push(JSON.stringify(input));
        return state.result;
      },
    },
  });
  await fc.assert(
    fc.asyncProperty(json.object, results, async (input, result) => {
      state.result = result;
      state.inputs = [];
      const answers = [];
      for (const [tier, code] of Object.entries(written(JSON.stringify(input)))) {
        const { tier: served, resultUri: _uri, content, isError } = await call(code);
        // A key that sets the prototype when it is written out has to be run.
        if (!code.includes('__proto__')) expect(tier).toContain(served);
        answers.push({ content, isError });
      }
      expect(answers).toEqual(answers.map(() => answers[0]));
      if (JSON.stringify(input).includes('"__proto__"')) return;
      expect(state.inputs).toEqual(answers.map(() => state.inputs[0]));
    }),
    { numRuns: 100 },
  );
});
