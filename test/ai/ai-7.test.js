'use strict';
// The code tool with the next version of the AI SDK, beside the one that the other tests use.

const path = require('node:path');

const { runNode } = require('../support/child.js');

const root = path.join(__dirname, '..', '..');
/** @type {any} */
let seen;

beforeAll(async () => {
  const { code, stdout, stderr } = await runNode([path.join(__dirname, 'ai-7-main.mjs')], {
    cwd: root,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  seen = JSON.parse(stdout);
});

test('code calls tools with schemas of Zod, of Valibot and of the AI SDK', () => {
  expect(seen.fitting).toEqual(Array(3).fill({ text: 'done', type: 'text', value: '4' }));
});

test('input that does not fit one of them is shown as such', () => {
  for (const { type, value } of seen.refused) {
    expect(type).toBe('error-text');
    expect(value).toContain('Invalid input for tool weather');
  }
});

test('a tool that needs approval is called when it is given', () => {
  const [given, refused] = seen.payments;
  expect(given).toMatchObject({ type: 'text', value: 'paid 5 for call-0' });
  expect(refused.value).toContain('tools.pay was not approved, and was not called');
});

test('the console is streamed while code runs', () => {
  expect(seen.streamed[0]).toEqual([true, { running: true, logs: ['one'] }]);
  expect(seen.streamed.at(-1)).toMatchObject([false, { ok: true, result: 3 }]);
});

test('a description that is a function is part of what the model is told', () => {
  expect(seen.described).toContain('/** Takes its time. */');
});
