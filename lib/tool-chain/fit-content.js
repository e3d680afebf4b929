'use strict';
// Images and the like in an answer: those that clients take, as many as a message holds.

const { loadTypes } = require('../mcp/sdk.js');

/** @typedef {import('./render-result.js').ContentBlock} ContentBlock */

/** The SDK's clients close a connection at a message of 10 MiB, of which text may take four. */
const MAX_CONTENT_BYTES = 5 * 2 ** 20;

/**
 * @param {ContentBlock[]} content
 * @param {(output: Buffer) => string} keep gives an address for what is left out
 * @returns {ContentBlock[]} with a text in the place of each block that no client could take
 */
function fitContent(content, keep) {
  const { ContentBlockSchema } = loadTypes();
  let bytes = 0;
  return content.map((block) => {
    const text = JSON.stringify(block);
    const { success } = ContentBlockSchema.safeParse(block);
    if (success && bytes + text.length <= MAX_CONTENT_BYTES) {
      bytes += text.length;
      return block;
    }
    const why = success ? 'there is no more room for it' : 'it is no valid content';
    return {
      type: 'text',
      text: `[${block.type} left out: ${why}. It is in ${keep(Buffer.from(text))}]`,
    };
  });
}

module.exports = { MAX_CONTENT_BYTES, fitContent };
