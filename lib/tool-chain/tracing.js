'use strict';
// Spans around what takes time, for whoever passes a tracer.

const { messageOf } = require('../foreign-text.js');

/** OpenTelemetry's code for a failed span. */
const ERROR_STATUS = 2;

/**
 * @template T
 * @param {import('../../types/tool-chain.js').ToolChainTracer | undefined} tracer
 * @param {string} name
 * @param {Record<string, string | number | boolean>} attributes
 * @param {(span?: import('../../types/tool-chain.js').ToolChainSpan) => Promise<T>} act
 * @returns {Promise<T>}
 */
function traced(tracer, name, attributes, act) {
  if (tracer === undefined) return act();
  return tracer.startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await act(span);
    } catch (error) {
      span.setStatus({ code: ERROR_STATUS, message: messageOf(error) });
      throw error;
    } finally {
      span.end();
    }
  });
}

module.exports = { ERROR_STATUS, traced };
