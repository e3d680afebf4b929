'use strict';
// A result as text and content.

const { mayHaveBlocks, takeBlocks } = require('../mcp/content-blocks.js');

/** @typedef {import('../mcp/content-blocks.js').ContentBlock} ContentBlock */
/** @typedef {{ text: string, content: ContentBlock[] }} Rendered */

/**
 * @param {unknown} value
 * @returns {Rendered} a string as its text, all else as JSON
 */
function renderResult(value) {
  if (typeof value === 'string') return { text: value, content: [] };
  return renderJson(JSON.stringify(value, null, 2) ?? 'null');
}

/**
 * @param {string} json pretty-printed
 * @returns {Rendered} images, audio and resources are taken out of the text
 */
function renderJson(json) {
  if (!mayHaveBlocks(json)) return { text: json, content: [] };
  const { value, content } = takeBlocks(JSON.parse(json));
  if (content.length === 0) return { text: json, content };
  return { text: typeof value === 'string' ? value : JSON.stringify(value, null, 2), content };
}

module.exports = { renderJson, renderResult };
