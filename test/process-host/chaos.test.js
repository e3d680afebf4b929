'use strict';
// Guest processes are killed and stopped at random under load: every caller is answered once, the counts agree, and
// nothing is left. `ISOBOX_CHAOS_SECONDS=600 npx jest chaos` for longer.

const fs = require('node:fs');

const { IsolatePool } = require('../../lib/index.js');
const { watchChildren } = require('../execbox/child-processes.js');
const { sleep, until } = require('../support/time.js');

const mine = watchChildren();

const SECONDS = Number(process.env.ISOBOX_CHAOS_SECONDS ?? 5);
const CALLERS = 16;

/** Guests of all kinds, with the causes that they may end for when nobody harms their process. */
const GUESTS = [
  { source: 'return 1', causes: ['finished'] },
  {
    source: 'let sum = 0; for (let i = 0; i < 20; i++) sum += await host.echo(i); return sum',
    causes: ['finished', 'deadline'],
  },
  { source: 'await host.wait(); return 1', causes: ['finished', 'deadline'] },
  { source: 'return await host.echo("x".repeat(700_000))', causes: ['finished', 'deadline'] },
  { source: 'throw new Error("no")', causes: ['guest_error'] },
  { source: 'for (;;);', causes: ['deadline'] },
];

/** @param {number} pid */
const isZygote = (pid) => fs.readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'isobox-zygote';

test.each([0, 16])(
  'every caller is answered once while processes are killed and stopped (zygote: %d)',
  async (zygote) => {
    const pool = new IsolatePool({ host: 'process', processes: 2, threads: 2, zygote });
    const namespaces = { host: { echo: (value) => value, wait: () => sleep(20) } };
    const end = performance.now() + SECONDS * 1000;
    /** @type {Record<string, number>} */
    const counts = {};
    const odd = [];

    const call = async () => {
      while (performance.now() < end) {
        const { source, causes } = GUESTS[Math.floor(Math.random() * GUESTS.length)];
        const outcome = await pool.run({ source, namespaces, limits: { wallMs: 300 } });
        counts[outcome.cause] = (counts[outcome.cause] ?? 0) + 1;
        if (![...causes, 'crashed', 'deadline'].includes(outcome.cause)) odd.push(outcome);
      }
    };
    let harmed = 0;
    const harm = async () => {
      while (performance.now() < end - 500) {
        await sleep(100 + Math.random() * 300);
        const pids = mine();
        if (pids.length === 0) continue;
        const pid = pids[Math.floor(Math.random() * pids.length)];
        try {
          // One that is stopped holds up every start for as long as a process has to get ready.
          process.kill(pid, isZygote(pid) || Math.random() < 0.7 ? 'SIGKILL' : 'SIGSTOP');
          harmed += 1;
        } catch {
          // It ended meanwhile.
        }
      }
    };
    await Promise.all([harm(), ...Array.from({ length: CALLERS }, call)]);

    expect(odd).toEqual([]);
    expect(harmed).toBeGreaterThan(3);
    expect(counts.finished).toBeGreaterThan(0);
    expect(counts.crashed).toBeGreaterThan(0);
    const { outcomes, running, parked } = pool.stats();
    expect(outcomes).toMatchObject(counts);
    expect({ running, parked }).toEqual({ running: 0, parked: 0 });
    await pool.dispose();
    // One that was about to be forked ends by itself.
    await until(() => mine().length === 0);
  },
  SECONDS * 1000 + 30_000,
);
