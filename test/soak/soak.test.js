'use strict';

const path = require('node:path');

const { runNode } = require('../support/child.js');

const SOAK = path.join(__dirname, '..', '..', 'scripts', 'soak.js');

test('thousands of mixed runs, hundreds in flight, leave the process as it was', async () => {
  const child = await runNode([SOAK, '--runs', '4000', '--json'], { boundMs: 120_000 });
  const [{ totals, left, problems }] = child.reports;
  expect({ code: child.code, stderr: child.stderr, problems }).toEqual({
    code: 0,
    stderr: '',
    problems: [],
  });
  expect(totals.runs).toBe(4000);
  // Every kind of guest was among them.
  expect(Object.keys(totals.byKind).length).toBeGreaterThan(15);
  expect(Object.values(left)).toEqual([0, 0, 0, 0, 0, 0]);
}, 130_000);

test('another order, from another seed', async () => {
  const child = await runNode([SOAK, '--runs', '1000', '--seed', '7', '--json'], {
    boundMs: 60_000,
  });
  expect(child).toMatchObject({ code: 0, stderr: '' });
  expect(child.reports[0].problems).toEqual([]);
}, 70_000);

test.each([
  [['--runs', 'many'], /numbers greater than 0/],
  [['--minutes', '-1'], /numbers greater than 0|argument/],
  [['--forever'], /forever/],
])('%j is refused with what to do', async (argv, message) => {
  const child = await runNode([SOAK, ...argv]);
  expect(child.code).toBe(1);
  expect(child.stderr).toMatch(message);
});
