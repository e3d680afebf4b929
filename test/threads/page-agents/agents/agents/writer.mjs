export default {
  name: 'writer',
  type: 'dual_ai',
  exposeAsTool: true,
  toolDescription: 'Writes notes to customers.',
  sideA: { prompt: 'write', sessionStop: { name: 'finish', messageProperty: 'note' } },
  sideB: { prompt: 'write' },
};
