export default {
  description: 'Waits until it is ended.',
  execute: (state) =>
    new Promise((resolve) => {
      state.execution.abortSignal.addEventListener('abort', () => resolve('ended'));
    }),
};
