'use strict';
// A thread as the registry shows it: times are seconds.

/** @param {number} micros */
const seconds = (micros) => Math.floor(micros / 1e6);

/**
 * @param {import('../parts.js').Parts} parts
 * @param {import('../store/thread-record.js').ThreadRecord} record
 */
function toRow({ scheduler }, record) {
  return {
    id: record.id,
    agent_name: record.agent_name,
    origin_agent_name: record.origin_agent_name,
    user_id: record.user_id,
    tags: record.tags,
    properties: record.properties,
    parent: record.parent,
    terminated: record.terminated,
    created_at: seconds(record.created_at),
    last_activity_at: seconds(record.last_activity_at),
    last_message_preview: record.last_message_preview,
    executing: record.lease !== null || scheduler.executionOf(record.id) !== null,
  };
}

module.exports = { toRow };
