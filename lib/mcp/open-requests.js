'use strict';
// Which requests of a client still wait for their answer, seen from the transport.

/** @typedef {import('@modelcontextprotocol/sdk/shared/transport.js').Transport} Transport */

/**
 * @param {Transport} transport connected to its server
 * @returns {{ answered: () => Promise<void> }} `answered` resolves as soon as no request is open
 */
function trackRequests(transport) {
  const open = new Set();
  /** @type {(() => void)[]} */
  const waiting = [];
  const settle = (/** @type {unknown} */ id) => {
    open.delete(id);
    if (open.size === 0) for (const resolve of waiting.splice(0)) resolve();
  };

  const { onmessage, send } = transport;
  transport.onmessage = (/** @type {any} */ message, extra) => {
    if (message.method !== undefined && message.id !== undefined) open.add(message.id);
    onmessage?.(message, extra);
    // A cancelled request gets no answer.
    if (message.method === 'notifications/cancelled') settle(message.params?.requestId);
  };
  transport.send = async (/** @type {any} */ message, options) => {
    await send.call(transport, message, options);
    if (message.method === undefined) settle(message.id);
  };
  return {
    answered: () =>
      open.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
  };
}

module.exports = { trackRequests };
