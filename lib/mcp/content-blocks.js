'use strict';
// Images, audio and resources inside a value, which are to reach a model as content and not as text.

/** @typedef {{ type: string, [key: string]: any }} ContentBlock */

const MENTIONS_BLOCK = /"type": ?"(?:image|audio|resource|resource_link)"/;

/**
 * @param {string} json
 * @returns {boolean} false when there is certainly no block in it
 */
function mayHaveBlocks(json) {
  return MENTIONS_BLOCK.test(json);
}

/**
 * @param {unknown} value a JSON value
 * @param {(block: ContentBlock) => boolean} [isTaken] default: all of them
 * @returns {{ value: any, content: ContentBlock[] }} the value with a text in the place of each block
 */
function takeBlocks(value, isTaken = () => true) {
  /** @type {ContentBlock[]} */
  const content = [];
  const json = JSON.stringify(value, (_key, part) => {
    if (!isBlock(part) || !isTaken(part)) return part;
    content.push(part);
    const about = part.mimeType ?? part.uri ?? part.resource.uri;
    // The text of the answer is the first.
    return `[${part.type} ${about}: content ${content.length + 1}]`;
  });
  return content.length === 0 ? { value, content } : { value: JSON.parse(json), content };
}

/** @param {any} part */
function isBlock(part) {
  if (typeof part !== 'object' || part === null) return false;
  if (part.type === 'image' || part.type === 'audio') {
    return typeof part.data === 'string' && typeof part.mimeType === 'string';
  }
  if (part.type === 'resource') return typeof part.resource?.uri === 'string';
  return part.type === 'resource_link' && typeof part.uri === 'string';
}

module.exports = { mayHaveBlocks, takeBlocks };
