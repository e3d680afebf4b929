export default {
  description: 'Finds orders.',
  args: { type: 'object', properties: { state: { type: 'string' } }, required: ['state'] },
  execute: () => ({
    status: 'success',
    result: [
      { id: 'A-1042', days: 9, euros: 420 },
      { id: 'A-1077', days: 5, euros: 640 },
      { id: 'A-1090', days: 4, euros: 224 },
    ],
  }),
};
