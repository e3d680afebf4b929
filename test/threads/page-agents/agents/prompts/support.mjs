export default {
  name: 'support',
  toolDescription: 'Helps with orders.',
  prompt: 'You help with orders.',
  model: 'script',
  includeChat: true,
  tools: ['find_orders', 'run_code', 'send_mail', 'wait', 'writer'],
};
