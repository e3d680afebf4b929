'use strict';
// The durable part of an execution: what another process needs to go on with it.

const { randomUUID } = require('node:crypto');

/**
 * @typedef {object} FlowRecord
 * @property {string} id
 * @property {number} dueAt where its entry among the due work lies
 * @property {'a' | 'b'} side
 * @property {'ready' | 'model' | 'handler' | 'tools'} phase
 * @property {{ all: number, a: number, b: number }} steps model requests
 * @property {number} turnStart since when rows belong to the current turn
 * @property {number} resumes how often the current step was taken up again
 * @property {string | null} messageId the row of the side at work
 * @property {string | null} logId of the last model request
 * @property {string | null} content the text of that row
 * @property {import('../../../types/threads.js').ToolCall[]} calls
 * @property {number} next the first call without a result
 * @property {string | null} started the call that is being run
 * @property {{ callId: string, child: string, wait: boolean } | null} created the child that the call has made
 * @property {StepResult[]} results of this step
 * @property {{ agent: string, arguments: Record<string, unknown>, message: string | null } | null} handoff
 * @property {Record<string, unknown>} values for the prompt's text
 * @property {{ text: string, count: number }} sameError
 *
 * @typedef {{ callId: string, name: string, status: 'success' | 'error', args: Record<string, any>, text: string }} StepResult
 */

/**
 * @param {number} at
 * @returns {FlowRecord}
 */
function newRecord(at) {
  return {
    id: randomUUID(),
    dueAt: at,
    side: 'a',
    phase: 'ready',
    steps: { all: 0, a: 0, b: 0 },
    turnStart: at,
    resumes: 0,
    messageId: null,
    logId: null,
    content: null,
    calls: [],
    next: 0,
    started: null,
    created: null,
    results: [],
    handoff: null,
    values: {},
    sameError: { text: '', count: 0 },
  };
}

module.exports = { newRecord };
