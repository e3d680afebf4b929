'use strict';

const { CATEGORIES, partsOf } = require('./programs/index.js');
const {
  HOST_MIB,
  SETTLE_ON_BUSY_MACHINE_MS,
  TURN_ON_BUSY_MACHINE_MS,
  surveyCategory,
} = require('./survey.js');

// V8 announces on the process's error output what it would end the process for, before it asks whether to go on.
const V8_ANNOUNCEMENTS = /^(?:<--- .* --->|#.*)$/gm;

test('there are many programs, and each has a name of its own', () => {
  const names = Object.values(CATEGORIES).flatMap(({ programs }) => programs.map((p) => p.name));
  expect(names.length).toBeGreaterThanOrEqual(150);
  for (const { programs } of Object.values(CATEGORIES)) {
    expect(new Set(programs.map(({ name }) => name)).size).toBe(programs.length);
  }
});

describe.each(Object.entries(CATEGORIES))('%s:', (category, { programs }) => {
  /** @type {import('./survey.js').Survey} */
  let survey;
  /** @type {import('./survey.js').Aftermath[]} that none is missing is a test of its own */
  let aftermaths;

  beforeAll(async () => {
    survey = await surveyCategory(category);
    aftermaths = /** @type {import('./survey.js').Aftermath[]} */ (survey.aftermaths);
  }, 200_000);

  test('the host lives', () => {
    for (const { code, signal, stderr } of survey.children) {
      expect({ code, signal, stderr: stderr.replace(V8_ANNOUNCEMENTS, '').trim() }).toEqual({
        code: 0,
        signal: null,
        stderr: '',
      });
    }
    expect(survey.aftermaths).not.toContain(undefined);
  });

  test('well-behaved guests are answered, rightly and in time', () => {
    for (const { neighbours, stolenMs } of aftermaths) {
      expect(neighbours.wrong).toBe(0);
      expect(neighbours.runs).toBeGreaterThan(10);
      expect(neighbours.worstMs).toBeLessThan(1000 + stolenMs);
    }
  });

  test('nothing is left but threads that V8 cannot stop', () => {
    for (const [part, { left, stuck, grownMiB }] of aftermaths.entries()) {
      const mayStay = partsOf(category)[part].filter(({ losesThread }) => losesThread).length;
      expect(left).toEqual({ threads: 0, running: 0, parked: 0, queued: 0, warm: 0 });
      expect(stuck).toBeLessThanOrEqual(mayStay);
      // A lost thread keeps its memory. Where nothing is, what stays is freed memory that the C library keeps: a few
      // of the largest values that crossed.
      if (mayStay === 0) expect(grownMiB).toBeLessThan(400);
    }
  });

  test.each(programs.map(({ name }) => name))('%s', (name) => {
    const answer = survey.answers.get(name);
    expect(answer?.problems).toEqual([]);
    expect(answer?.lateMs).toBeLessThan(SETTLE_ON_BUSY_MACHINE_MS + Number(answer?.stolenMs));
    const stolenMs = aftermaths.reduce((sum, one) => sum + one.stolenMs, 0);
    expect(answer?.loopLateMs).toBeLessThan(1000 + stolenMs);
    expect(answer?.turnMs).toBeLessThan(TURN_ON_BUSY_MACHINE_MS);
    expect(answer?.hostMiB).toBeLessThan(HOST_MIB);
  });
});
