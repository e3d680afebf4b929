'use strict';
// The crash harness: a process is killed ahead of every transaction of a run, one after the other. Afterwards another one
// takes over, and everything is there once.

const fs = require('node:fs');
const path = require('node:path');

const { createThreadRuntime } = require('../../lib/threads/index.js');
const { runNode } = require('../support/child.js');
const { definitions } = require('./crash-scenario.js');

const SCENARIO = path.join(__dirname, 'crash-scenario.js');

/**
 * @param {{ store: string, engineModule: string, engineName: string, effects: string }} place
 * @param {number} killAt
 */
async function crashAt({ store, engineModule, engineName, effects }, killAt) {
  const first = await createThreadRuntime(definitions(store, effects));
  const { threadId } = await first.createThread({ agent: 'worker' });
  await first.close();
  const args = [SCENARIO, store, effects, threadId, String(killAt), engineModule, engineName];
  const { signal, stdout, stderr } = await runNode(args);
  expect(stderr).toBe('');
  const isKilled = signal === 'SIGKILL';

  const second = await createThreadRuntime(definitions(store, effects));
  await second.idle();
  const thread = await second.thread(threadId);
  const { messages: rows } = await thread.getMessages({ limit: 1000, includeSilent: true });
  const child = thread.children[0] && (await thread.getChildThread(thread.children[0].reference));
  const inner = child ? (await child.getMessages({ limit: 1000 })).messages : [];
  const children = thread.children.length;
  const logs = await thread.getLogs({ limit: 1000 });
  await second.close();
  const ran = fs.existsSync(effects) ? fs.readFileSync(effects, 'utf8').trim().split('\n') : [];
  return {
    isKilled,
    isAcknowledged: stdout.includes('acknowledged'),
    rows,
    inner,
    children,
    logs,
    ran,
  };
}

/** What holds wherever the process was killed. */
function expectWhole({ rows, inner, children, logs, ran, isAcknowledged }) {
  const sent = rows.filter(({ role, silent }) => role === 'user' && !silent);
  expect(sent.length).toBeLessThanOrEqual(1);
  if (isAcknowledged) expect(sent).toHaveLength(1);
  if (sent.length === 0) {
    expect(rows).toEqual([]);
    return;
  }
  // Nothing twice, nothing half: every call has one result, no tool ran more than once.
  expect(rows.filter(({ status }) => status !== 'completed')).toEqual([]);
  const asked = rows.flatMap(({ tool_calls }) =>
    JSON.parse(tool_calls ?? '[]').map(({ id }) => id),
  );
  const results = rows.filter(({ role }) => role === 'tool');
  expect(asked).toEqual(['c1', 'c2', 'c3']);
  expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual(['c1', 'c2', 'c3']);
  expect(ran).toEqual([...new Set(ran)]);
  for (const { tool_call_id, tool_status, content } of results.slice(0, 2)) {
    if (tool_status === 'error') expect(content).toContain('outcome is unknown');
    else expect(ran).toContain(tool_call_id);
  }
  // The subagent was made once, and what it found has arrived.
  expect(children).toBe(1);
  expect(inner.filter(({ role }) => role === 'user')).toHaveLength(1);
  expect(rows.at(-1)).toMatchObject({
    role: 'assistant',
    content: 'All done.',
    metadata: { stopReasonCode: 'stop_on_response' },
  });
  expect(logs.filter(({ is_complete }) => !is_complete)).toEqual([]);
}

module.exports = { crashAt, expectWhole };
