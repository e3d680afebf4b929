export default {
  description: 'Hands the note over.',
  args: { type: 'object', properties: { note: { type: 'string' } }, required: ['note'] },
  execute: () => 'handed over',
};
