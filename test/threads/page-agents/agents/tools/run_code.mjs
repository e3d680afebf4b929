export default {
  description: 'Runs TypeScript.',
  args: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
  execute: async (state, { code }) => {
    const { status, result, error } = await state.runCode(code);
    return status === 'success' ? { status, result } : { status: 'error', error: error.message };
  },
};
