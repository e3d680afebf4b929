'use strict';
// Subagents that start with a prompt. Their hints come from variables: `X` is for the first instance, `X__2` for the
// second. Values for the child alone go from variable to variable; no message and no call has them.

const { randomUUID } = require('node:crypto');

const { readEnv } = require('../state/env.js');
const { keys } = require('../store/keys.js');
const { SUBAGENT_CREATE } = require('./names.js');
const { sideOf } = require('./sides.js');

const MAX_INSTANCES = 64;

/** @param {string} name @param {number} index */
const indexed = (name, index) => (index === 1 ? name : `${name}__${index}`);

/**
 * @param {import('../parts.js').Flow} flow
 * @param {any} entry
 * @param {any} agent
 * @returns {Promise<import('../../../types/threads.js').ToolCall[]>} one per instance
 */
async function immediateCalls(flow, entry, agent) {
  const live = flow.state.children.filter(
    (one) => one.name === agent.name && one.status !== 'terminated',
  );
  const room = (entry.resumable?.maxInstances ?? MAX_INSTANCES) - live.length;
  if (entry.immediate === true) {
    return live.length > 0 || room <= 0 ? [] : [toCall(entry, agent, {}, 1)];
  }
  const { values } = await envOf(flow);
  const { nameEnv, descriptionEnv } = entry.immediate;
  const names = [nameEnv, descriptionEnv, ...scopedNames(flow, entry, agent)].filter(
    (name) => name !== undefined,
  );
  const calls = [];
  for (let index = 1; index <= MAX_INSTANCES && calls.length < room; index += 1) {
    if (!names.some((name) => values[indexed(name, index)] !== undefined)) continue;
    const hints = {
      name: nameEnv && values[indexed(nameEnv, index)],
      description: descriptionEnv && values[indexed(descriptionEnv, index)],
    };
    calls.push(toCall(entry, agent, hints, index));
  }
  return calls;
}

/**
 * @param {any} entry
 * @param {any} agent
 * @param {{ name?: string, description?: string }} hints
 * @param {number} index
 * @returns {import('../../../types/threads.js').ToolCall}
 */
function toCall(entry, agent, { name, description }, index) {
  const message = description ?? 'Begin.';
  const called = name ?? agent.title ?? agent.name;
  const property = entry.initUserMessageProperty ?? 'message';
  const args = entry.resumable
    ? { agent: entry.name, message, attachments: [], name: called }
    : {
        [property]: message,
        ...(entry.initAgentNameProperty && { [entry.initAgentNameProperty]: called }),
      };
  return {
    id: `call_${randomUUID()}`,
    type: 'function',
    function: {
      name: entry.resumable ? SUBAGENT_CREATE : entry.name,
      arguments: JSON.stringify(args),
    },
    extra_content: { immediate: { agent: entry.name, index } },
  };
}

/**
 * Before the first request of a prompt: the subagents that start with it, as calls that no model made.
 *
 * @param {import('../parts.js').Flow} flow
 */
async function runImmediate(flow) {
  const { library, env, store } = flow.parts;
  const thread = await store.thread(flow.id);
  const side = sideOf(library.agent(thread.agent_name), flow.record.side);
  if (thread.activated.includes(side.prompt)) return;
  const prompt = library.sidePrompt(side);
  /** @type {import('../../../types/threads.js').ToolCall[]} */
  const calls = [];
  for (const entry of prompt.tools) {
    if (!entry.immediate || !(await env.isEnabled(flow.state, entry))) continue;
    calls.push(...(await immediateCalls(flow, entry, library.agent(entry.agent ?? entry.name))));
  }
  if (prompt.tools.every((/** @type {any} */ entry) => !entry.immediate)) return;
  await flow.write((change) => {
    change.thread.activated.push(side.prompt);
    if (calls.length > 0) flow.addCalls(change, calls);
    flow.save(change);
  });
}

/**
 * The values that the child of such a call gets for itself, and their removal from the parent.
 *
 * @param {import('../parts.js').Flow} flow
 * @param {import('../../../types/threads.js').ToolCall} call
 * @returns {Promise<{ values: Record<string, string>, reads: string[], remove: (change: import('../store/store.js').Change) => void }>}
 */
async function takeImmediateEnv(flow, call) {
  const none = { values: {}, reads: [], remove: () => {} };
  const { agent: name, index } = /** @type {any} */ (call.extra_content)?.immediate ?? {};
  if (name === undefined) return none;
  const { library, cipher } = flow.parts;
  const prompt = library.sidePrompt(sideOf(library.agent(flow.state.agentId), flow.record.side));
  const entry = prompt.tools.find((/** @type {any} */ one) => one.name === name && one.immediate);
  if (entry === undefined || entry.immediate === true) return none;
  const { values } = await envOf(flow);
  const scoped = scopedNames(flow, entry, library.agent(entry.agent ?? name));
  const found = scoped.filter((one) => values[indexed(one, index)] !== undefined);
  const { nameEnv, descriptionEnv } = entry.immediate;
  const consumed = [...found, nameEnv, descriptionEnv]
    .filter((one) => one !== undefined)
    .map((one) => indexed(one, index));
  if (consumed.length === 0) return none;
  return {
    values: Object.fromEntries(found.map((one) => [one, values[indexed(one, index)]])),
    reads: [keys.env(flow.id)],
    remove: ({ values: [sealed], batch }) => {
      const env = cipher().open(sealed?.sealed);
      for (const one of consumed) {
        delete env.values[one];
        delete env.types[one];
      }
      batch.put(keys.env(flow.id), { sealed: cipher().seal(env) });
    },
  };
}

/**
 * @param {import('../parts.js').Flow} flow
 * @param {any} entry
 * @param {any} agent
 * @returns {string[]} none listed means all that the child declares as scoped
 */
function scopedNames(flow, entry, agent) {
  const { scopedEnv = [] } = entry.immediate;
  if (scopedEnv.length > 0) return scopedEnv;
  return flow.parts.env
    .graphOf(agent.name)
    .filter((one) => one.scoped)
    .map((one) => one.name);
}

/** @param {import('../parts.js').Flow} flow */
async function envOf({ id, parts: { store, cipher } }) {
  if ((await store.get(keys.env(id))) === undefined) return { values: {}, types: {} };
  return readEnv(store, cipher(), id);
}

module.exports = { runImmediate, takeImmediateEnv };
