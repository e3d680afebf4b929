export default {
  name: 'write',
  toolDescription: 'Writes notes.',
  prompt: 'You write notes.',
  model: 'script',
  tools: ['finish'],
};
