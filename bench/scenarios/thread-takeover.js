'use strict';
// Two processes on one PostgreSQL, with 1,000 threads at work; one is killed. How long until the other has taken the last of
// its threads, in parts of the lease. The processes take each other for other machines: only the lease tells them.

const { fork } = require('node:child_process');
const { once } = require('node:events');

const {
  agentOptions,
  allowed,
  beforeEnd,
  createThreads,
  expectDone,
} = require('../harness/threads.js');

const LEASE_MS = 3000;
const LIMITS = { leaseMs: LEASE_MS, pollMs: 300 };
/** Long enough that all of them are at work when the process is killed. */
const TOOL_MS = 5000;
const ROLE = 'ISOBOX_BENCH_TAKEOVER';

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** This process calls itself another machine, as far as the others can see. */
function moveElsewhere() {
  const fs = require('node:fs');
  const { readlinkSync } = fs;
  fs.readlinkSync = /** @type {any} */ (
    (/** @type {any} */ place, /** @type {any} */ options) =>
      place === '/proc/self/ns/pid' ? `pid:[${process.pid}]` : readlinkSync(place, options)
  );
}

/** @param {string} address */
function openOn(address) {
  moveElsewhere();
  const { createThreadRuntime } = require('isobox/threads');
  return createThreadRuntime(agentOptions(address, { toolMs: TOOL_MS, limits: LIMITS }));
}

/** @param {import('../harness/contract.d.ts').SubjectOptions} options */
async function isobox({ isQuick }) {
  const { PostgresServer } = require('../../test/threads/postgres.js');
  const { openStore } = require('../../lib/threads/store/open-store.js');
  const server = new PostgresServer();
  await server.start();
  beforeEnd(() => server.killNow());
  const count = isQuick ? 100 : 1000;
  return {
    async measure() {
      const address = await server.newDatabase();
      const maker = await openOn(address);
      const ids = (await createThreads(maker, count)).map(({ threadId }) => threadId);
      await maker.close();
      const other = fork(__filename, [], { env: { ...process.env, [ROLE]: address } });
      await once(other, 'message');
      // The other one is first to its half: who is told of work and who sends it race for it.
      other.send(ids.slice(0, count / 2));
      await once(other, 'message');
      const runtime = await openOn(address);
      await Promise.all(ids.slice(count / 2).map((id) => runtime.send(id, { content: 'go' })));
      const store = await openStore(address);
      const owners = async () =>
        (await store.list('thread/')).map(({ value }) => value.lease?.owner ?? '');
      const isOthers = (/** @type {string} */ owner) => owner.split(':')[1] === String(other.pid);
      if (!(await owners()).some(isOthers)) {
        throw new Error('the other process had nothing to leave');
      }
      other.kill('SIGKILL');
      const killed = performance.now();
      let taken = killed;
      while ((await owners()).some(isOthers)) {
        await pause(20);
        taken = performance.now();
      }
      await runtime.idle();
      while (!(await allDone(store, count))) await pause(50);
      for (const id of ids) await expectDone(await runtime.thread(id));
      await store.close();
      await runtime.close();
      return [(taken - killed) / LEASE_MS];
    },
  };
}

/**
 * @param {any} store
 * @param {number} count
 */
async function allDone(store, count) {
  const messages = await store.list('message/');
  return (
    messages.filter((/** @type {any} */ { value }) => value.content === 'done').length >= count
  );
}

/** The process that is killed: runs what its parent names, and whatever else is due. */
async function beTheOther(/** @type {string} */ address) {
  const runtime = await openOn(address);
  process.once('disconnect', () => process.exit());
  process.on('message', async (/** @type {string[]} */ ids) => {
    await Promise.all(ids.map((id) => runtime.send(id, { content: 'go' })));
    // Every thread has been claimed when its tool runs.
    await pause(TOOL_MS / 5);
    process.send?.('sent');
  });
  process.send?.('ready');
}

if (process.env[ROLE] !== undefined) void beTheOther(process.env[ROLE]);

/** @type {import('../harness/contract.d.ts').Scenario} */
module.exports = {
  title: '1,000 threads of two processes on PostgreSQL, one killed: until the last is taken over',
  unit: 'leases',
  better: 'lower',
  cases: ['takeover'],
  rounds: { full: 3, quick: 1 },
  process: 'kept',
  systems: { isobox, allowed: allowed(1) },
};
