'use strict';
// When an execution ends, in the order of section 6: session tools, stopTool, stopOnResponse, limits.

const { finish } = require('./finish.js');
const { newMessage, addMessage } = require('../state/messages.js');
const { otherSide, sideOf } = require('./sides.js');

const SAME_ERROR_LIMIT = 8;

/**
 * @param {import('../parts.js').Flow} flow
 * @returns {Promise<string | undefined>} the limit that forbids another model request
 */
async function reachedCap(flow) {
  const { store, library, limits } = flow.parts;
  const { record } = flow;
  const thread = await store.thread(flow.id);
  const agent = library.agent(thread.agent_name);
  const side = sideOf(agent, record.side);
  if (flow.execution?.stopped) return 'aborted';
  if (record.sameError.count >= SAME_ERROR_LIMIT) return 'repeated_tool_error';
  if (agent.maxSessionTurns !== undefined && thread.turns >= agent.maxSessionTurns) {
    return 'max_session_turns';
  }
  if (side.maxSteps !== undefined && record.steps[record.side] >= side.maxSteps) {
    return 'max_side_steps';
  }
  const cap = Math.max(limits.stepsPerExecution, side.maxSteps ?? 0);
  return record.steps.all >= cap ? 'max_total_steps' : undefined;
}

/**
 * All calls of a step have their results: goes on to the next step, or ends the execution.
 *
 * @param {import('../parts.js').Flow} flow
 */
async function settleStep(flow) {
  const { store, library } = flow.parts;
  const { record, execution } = flow;
  const agent = library.agent((await store.thread(flow.id)).agent_name);
  const side = sideOf(agent, record.side);

  const end = sessionEnd(side, record.results) ?? codeEnd(execution?.takeSessionEnd());
  if (end !== undefined) {
    await finish(flow, end);
    return;
  }
  if (record.handoff !== null) {
    await handOver(flow);
    return;
  }
  const forced = execution?.takeForcedTurn() ?? null;
  const code = turnEnd(side, record, agent.type === 'dual_ai');
  if (forced === null && code !== undefined && agent.type === 'ai_human') {
    await finish(flow, { code });
    return;
  }
  if (forced === 'b' && agent.type === 'ai_human') {
    await finish(flow, { code: 'forced_human_turn' });
    return;
  }
  await flow.write((change) => {
    const switches = forced === null ? code !== undefined : forced !== record.side;
    if (forced === null && code !== undefined) change.thread.turns += 1;
    if (switches) {
      Object.assign(record, { side: otherSide(record.side), turnStart: change.thread.clock });
    }
    nextStep(record);
    flow.save(change);
  });
  flow.parts.events.emit('telemetry', {
    threadId: flow.id,
    type: 'step_completed',
    step: record.steps.all,
    stopped: false,
  });
}

/** @param {import('./flow-record.js').FlowRecord} record */
function nextStep(record) {
  Object.assign(record, {
    phase: 'ready',
    resumes: 0,
    calls: [],
    next: 0,
    started: null,
    created: null,
    results: [],
    handoff: null,
  });
}

/**
 * Only a successful call ends the session; of both, failing wins.
 *
 * @param {any} side
 * @param {import('./flow-record.js').StepResult[]} results
 * @returns {import('./finish.js').End | undefined}
 */
function sessionEnd(side, results) {
  for (const [field, code] of /** @type {const} */ ([
    ['sessionFail', 'session_fail'],
    ['sessionStop', 'session_stop'],
  ])) {
    const binding = side[field];
    const call = results.find(({ name, status }) => name === binding?.name && status === 'success');
    if (call === undefined) continue;
    const mapped = call.args[binding.messageProperty];
    return {
      code,
      result: binding.messageProperty !== undefined ? asText(mapped) : call.text,
      attachments: binding.attachmentsProperty ? call.args[binding.attachmentsProperty] : undefined,
      isFailure: code === 'session_fail',
    };
  }
  return undefined;
}

/**
 * @param {{ result?: string, notifyParent?: boolean, status?: string } | null | undefined} end
 * @returns {import('./finish.js').End | undefined}
 */
function codeEnd(end) {
  if (!end) return undefined;
  return {
    code: 'state_stop_session',
    result: end.result ?? '',
    status: end.status,
    notify: end.notifyParent,
  };
}

/**
 * @param {any} side
 * @param {import('./flow-record.js').FlowRecord} record
 * @param {boolean} isDual
 * @returns {string | undefined} why the side's turn is over
 */
function turnEnd(side, record, isDual) {
  const named = record.calls.map((call) => call.function.name);
  if (side.stopTool !== undefined && named.includes(side.stopTool)) return 'stop_tool';
  const hasText = (record.content ?? '').trim() !== '';
  if (side.stopOnResponse !== false && hasText && named.length === 0) return 'stop_on_response';
  // A side of two that says nothing about its end gives way after every step.
  const saysNothing = side.stopTool === undefined && side.stopOnResponse === false;
  return isDual && saysNothing ? 'step_done' : undefined;
}

/**
 * The thread goes to another agent, whose side A plays at once. Steps and history go on.
 *
 * @param {import('../parts.js').Flow} flow
 */
async function handOver(flow) {
  const { record } = flow;
  const {
    agent,
    arguments: args,
    message,
  } = /** @type {NonNullable<typeof record.handoff>} */ (record.handoff);
  await flow.write((change) => {
    const from = change.thread.agent_name;
    change.thread.agent_name = agent;
    addMessage(
      change,
      newMessage({
        role: 'system',
        content: `The thread was handed from ${from} to ${agent}.`,
        silent: true,
        metadata: { status_kind: 'agent_handoff', from, to: agent },
      }),
    );
    if (message !== null) addMessage(change, newMessage({ role: 'user', content: message }));
    Object.assign(record.values, args);
    record.side = 'a';
    nextStep(record);
    flow.save(change);
  });
  flow.parts.events.emit('telemetry', { threadId: flow.id, type: 'agent_handoff', to: agent });
}

/** @param {unknown} value */
function asText(value) {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}

module.exports = { reachedCap, settleStep };
