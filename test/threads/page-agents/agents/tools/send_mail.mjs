export default {
  description: 'Sends mail.',
  args: { type: 'object', properties: { to: { type: 'string' } } },
  execute: () => ({ status: 'error', error: 'A person has to agree to mail to everybody' }),
};
