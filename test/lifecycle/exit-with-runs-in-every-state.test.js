'use strict';

const { CRASH_TEXT, runChild } = require('../support/child.js');

const STATES = [
  'justCreated',
  'prewarming',
  'idle',
  'justStarted',
  'running',
  'queued',
  'parked',
  'inBuiltin',
  'stuck',
  'collecting',
  'mixed',
  'disposing',
  'disposed',
];

// Each ends the process by itself, whatever the pool is doing.
const EXITS = [
  {
    name: 'process.exit(3)',
    code: 3,
    body: async ({ ENTER }, state) => {
      await ENTER[state]();
      process.exit(3);
    },
  },
  {
    name: 'process.exit() with process.exitCode',
    code: 4,
    body: async ({ ENTER }, state) => {
      process.exitCode = 4;
      await ENTER[state]();
      process.exit();
    },
  },
  {
    name: 'an uncaught exception',
    code: 1,
    stderr: /the host's own mistake/,
    body: async ({ ENTER }, state) => {
      await ENTER[state]();
      setImmediate(() => {
        throw new Error("the host's own mistake");
      });
    },
  },
  {
    name: 'an unhandled rejection',
    code: 1,
    stderr: /the host's own mistake/,
    body: async ({ ENTER }, state) => {
      await ENTER[state]();
      throw new Error("the host's own mistake");
    },
  },
];

describe.each(EXITS)('$name', ({ body, code, stderr = /^$/ }) => {
  test.each(STATES)('ends the process while the pool is %s', async (state) => {
    const child = await runChild(body, { args: state, boundMs: 10_000 });
    expect(child).toMatchObject({ code, signal: null });
    expect(child.stderr).toMatch(stderr);
    expect(child.stderr).not.toMatch(CRASH_TEXT);
  });
});

describe('a natural end', () => {
  // In the other states there is a run under way, which keeps the process alive.
  test.each(['justCreated', 'prewarming', 'idle', 'stuck', 'disposing', 'disposed'])(
    'leaves with process.exitCode while the pool is %s',
    async (state) => {
      const child = await runChild(
        async ({ ENTER }, name) => {
          await ENTER[name]();
          process.exitCode = 5;
        },
        { args: state, boundMs: 10_000 },
      );
      expect(child).toMatchObject({ code: 5, signal: null, stderr: '' });
    },
  );

  test.each(['running', 'queued', 'parked', 'inBuiltin', 'collecting', 'mixed'])(
    'follows at once when the runs of a pool that is %s are terminated',
    async (state) => {
      const child = await runChild(
        async ({ ENTER, report }, name) => {
          const { runs } = await ENTER[name]();
          for (const run of runs) run.terminate('enough');
          for (const run of runs) report((await run).cause);
        },
        { args: state, boundMs: 10_000 },
      );
      expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
      expect(new Set(child.reports)).toEqual(new Set(['terminated']));
    },
  );

  test('follows when every run has reached its deadline', async () => {
    const child = await runChild(async ({ GUESTS, IsolatePool, report }) => {
      const pool = new IsolatePool({ threads: 2, limits: { wallMs: 100 } });
      const runs = [GUESTS.loop, GUESTS.stuck, GUESTS.wait, GUESTS.loop, GUESTS.stuck];
      const outcomes = await Promise.all(runs.map((source) => pool.run({ source })));
      report(outcomes.map(({ cause }) => cause));
    });
    expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(child.reports).toEqual([Array(5).fill('deadline')]);
  });
});

describe('the exit code', () => {
  test('is what the last exit handler says, with a stuck thread too', async () => {
    const child = await runChild(async ({ ENTER }) => {
      await ENTER.stuck();
      process.on('exit', () => {
        process.exitCode = 9;
      });
    });
    expect(child).toMatchObject({ code: 9, signal: null, stderr: '' });
  });

  test('is what an exit handler that exits says, with a stuck thread too', async () => {
    const child = await runChild(async ({ ENTER }) => {
      await ENTER.stuck();
      process.on('exit', () => process.exit(6));
    });
    expect(child).toMatchObject({ code: 6, signal: null, stderr: '' });
  });

  test('is 7 when the handler of uncaught exceptions throws, with a stuck thread too', async () => {
    const child = await runChild(async ({ ENTER }) => {
      await ENTER.stuck();
      process.on('uncaughtException', () => {
        throw new Error('in the handler');
      });
      setImmediate(() => {
        throw new Error('first');
      });
    });
    expect(child).toMatchObject({ code: 7, signal: null });
    expect(child.stderr).not.toMatch(CRASH_TEXT);
  });

  test('does not cost what was written to a pipe before', async () => {
    const child = await runChild(async ({ ENTER }) => {
      await ENTER.stuck();
      process.stdout.write('x'.repeat(200_000));
      process.stdout.write('end\n');
    });
    expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(child.stdout.length).toBe(200_004);
  });

  test('is 0 when a handler takes the uncaught exception and the runs end', async () => {
    const child = await runChild(async ({ ENTER, report }) => {
      const { runs } = await ENTER.mixed();
      process.on('uncaughtException', async (error) => {
        report(error.message);
        for (const run of runs) run.terminate();
        for (const run of runs) report((await run).cause);
      });
      throw new Error('taken');
    });
    expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(child.reports).toEqual(['taken', ...Array(5).fill('terminated')]);
  });
});

describe('a signal that the process sends to itself', () => {
  test.each([
    ['SIGTERM', 'idle'],
    ['SIGTERM', 'mixed'],
    ['SIGINT', 'stuck'],
    ['SIGKILL', 'mixed'],
  ])('ends it: %s while the pool is %s', async (signal, state) => {
    const child = await runChild(
      async ({ ENTER }, [name, inner]) => {
        await ENTER[inner]();
        process.kill(process.pid, name);
      },
      { args: [signal, state] },
    );
    expect(child).toMatchObject({ code: null, signal, stderr: '' });
  });

  test('does not end it when it is one that is ignored, and the exit is as without it', async () => {
    const child = await runChild(async ({ ENTER, report }) => {
      process.exitCode = 5;
      const { pool } = await ENTER.stuck();
      process.kill(process.pid, 'SIGWINCH');
      report((await pool.run({ source: 'return 42' })).value);
    });
    expect(child).toMatchObject({ code: 5, signal: null, stderr: '' });
    expect(child.reports).toEqual([42]);
  });

  test('reaches its listener', async () => {
    const child = await runChild(async ({ ENTER }) => {
      await ENTER.mixed();
      process.on('SIGTERM', () => process.exit(6));
      process.kill(process.pid, 'SIGTERM');
    });
    expect(child).toMatchObject({ code: 6, signal: null, stderr: '' });
  });
});
