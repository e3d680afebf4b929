'use strict';
// The record of a thread: what the registry shows of it, who owns it, and its clock.

/**
 * @typedef {object} Lease
 * @property {string} owner the process, see process-identity.js
 * @property {number} token grows with every owner; what an earlier owner writes is refused
 * @property {number} expires microseconds
 *
 * @typedef {object} ThreadRecord
 * @property {string} id
 * @property {string} agent_name
 * @property {string} origin_agent_name the agent it was created with, whatever it was handed to since
 * @property {string | null} user_id
 * @property {string[]} tags
 * @property {Record<string, unknown>} properties
 * @property {Record<string, unknown>} arguments
 * @property {string | null} parent
 * @property {import('../run/subagent-children.js').ParentLink | null} link how it reports to its parent
 * @property {number | null} terminated microseconds
 * @property {boolean} stopped by a user; queued messages wait until the next user message
 * @property {number} created_at microseconds
 * @property {number} last_activity_at microseconds
 * @property {string | null} last_message_preview
 * @property {number} listed the activity under which lists show it, microseconds; 0 before they do
 * @property {number} touched when something happened in it that those who follow threads want to know, microseconds
 * @property {number} clock the last time stamp given out, microseconds
 * @property {number} work grows with everything that is queued
 * @property {number} values how many keys the key-value store has
 * @property {number} turns of the session, durable across flows
 * @property {string[]} activated the prompts whose immediate subagents have been run
 * @property {number} tokens the last fencing token given out
 * @property {Lease | null} lease
 */

/**
 * @param {Pick<ThreadRecord, 'id' | 'agent_name'> & Partial<ThreadRecord>} given
 * @param {number} now microseconds
 * @returns {ThreadRecord}
 */
function newThreadRecord(given, now) {
  return {
    origin_agent_name: given.agent_name,
    user_id: null,
    tags: [],
    properties: {},
    arguments: {},
    parent: null,
    link: null,
    terminated: null,
    stopped: false,
    created_at: now,
    last_activity_at: now,
    last_message_preview: null,
    listed: 0,
    touched: 0,
    clock: now,
    work: 0,
    values: 0,
    turns: 0,
    activated: [],
    tokens: 0,
    lease: null,
    ...given,
  };
}

module.exports = { newThreadRecord };
