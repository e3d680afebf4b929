export default { name: 'support', title: 'Order support', sideA: { prompt: 'support' } };
