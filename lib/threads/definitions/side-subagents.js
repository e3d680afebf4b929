'use strict';
// Subagents that a side of an agent lists, in the words of the newer model. They are the same as resumable entries of a
// prompt's tools: `subagent_create` and `subagent_message` reach them.

const { oneOf, rules } = require('./fields.js');

const RELATIONSHIP = {
  as: rules.name,
  blocking: rules.flag,
  maxInstances: rules.count,
  parentCommunication: oneOf(['implicit', 'explicit']),
  optional: rules.filledText,
  hidden: rules.flag,
};
const HINTS = {
  nameEnv: rules.filledText,
  descriptionEnv: rules.filledText,
  scopedEnv: rules.texts,
};

/** @param {import('../parts.js').Fields} side */
function checkSideSubagents(side) {
  side.each('subagents', (entry, inside) => {
    const fields = inside(entry)
      .required({ agent: rules.filledText })
      .optional(RELATIONSHIP)
      .only(['agent', 'immediate', ...Object.keys(RELATIONSHIP)]);
    checkImmediate(fields);
  });
}

/** @param {import('../parts.js').Fields} fields of an entry */
function checkImmediate(fields) {
  const immediate = fields.get('immediate');
  if (immediate === undefined || typeof immediate === 'boolean') return;
  fields.inside('immediate').optional(HINTS).only(Object.keys(HINTS));
}

/**
 * @param {any} relationship
 * @returns {any} an entry of a prompt's tools
 */
function toToolEntry({ agent, as, maxInstances, parentCommunication, blocking = false, ...rest }) {
  return Object.freeze({
    name: as ?? agent,
    agent,
    blocking,
    ...rest,
    resumable: Object.freeze({
      receives_messages: 'side_a',
      ...(maxInstances !== undefined && { maxInstances }),
      ...(parentCommunication !== undefined && { parentCommunication }),
    }),
  });
}

module.exports = { checkImmediate, checkSideSubagents, toToolEntry };
