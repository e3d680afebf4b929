'use strict';
// The tools with which a model starts resumable subagents and speaks to them.

const { SUBAGENT_CREATE, SUBAGENT_MESSAGE } = require('./names.js');

/** @param {string} name */
const isLifecycleTool = (name) => name === SUBAGENT_CREATE || name === SUBAGENT_MESSAGE;

/**
 * @param {import('../parts.js').ThreadState} state
 * @param {import('./tools.js').Target[]} resumable
 */
function lifecycleTools(state, resumable) {
  const text = { type: 'string' };
  const attachments = {
    type: 'array',
    items: text,
    description: 'Paths of files, [] when none.',
  };
  const names = resumable.map(({ name }) => name);
  const agents = resumable.map(
    ({ name, definition }) => `${name}: ${definition.toolDescription ?? ''}`,
  );
  const create = {
    name: SUBAGENT_CREATE,
    description: `Starts a subagent. Agents:\n${agents.join('\n')}`,
    parameters: {
      type: 'object',
      properties: {
        agent: { type: 'string', enum: names },
        message: text,
        attachments,
        name: { type: 'string', description: 'A name for people.' },
        arguments: { type: 'object' },
      },
      required: ['agent', 'message', 'attachments', 'name'],
    },
  };
  const message = {
    name: SUBAGENT_MESSAGE,
    description: 'Sends a message to a subagent that was started before.',
    parameters: {
      type: 'object',
      properties: { referenceId: text, message: text, attachments },
      required: ['referenceId', 'message', 'attachments'],
    },
  };
  return state.children.some(({ status }) => status !== 'terminated')
    ? [create, message]
    : [create];
}

module.exports = { isLifecycleTool, lifecycleTools };
