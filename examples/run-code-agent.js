'use strict';
// An agent that works by writing code: the model's program runs, its error goes back to the model, the next one succeeds.
// The model is played by a list of replies.

const { threadState } = require('../lib/run-code/index.js');

const MODEL_REPLIES = [
  // It has guessed the name of a tool.
  `import { listOrders } from 'shop';
   export default async () => (await listOrders()).length;`,
  `import { orders, refund } from 'shop';
   import { total, type Order } from './money';

   export default async function main(limit: number) {
     const late: Order[] = (await orders()).filter((order: Order) => order.daysLate > 3);
     report({ step: 'found', count: late.length });
     if (total(late) > limit) throw new Error(\`\${total(late)} is more than I may refund\`);
     for (const { id } of late) console.log(await refund(id));
     return { refunded: late.map(({ id }) => id), total: total(late) };
   }`,
];

// What the agent's code may use: tools of the host, and a module of its own.
const imports = {
  shop: {
    orders: async () => [
      { id: 'a1', daysLate: 5, price: 20 },
      { id: 'a2', daysLate: 1, price: 99 },
      { id: 'a3', daysLate: 9, price: 12.5 },
    ],
    refund: async (/** @type {string} */ id) => `refunded ${id}`,
  },
};
const modules = {
  './money.ts': `export type Order = { id: string; daysLate: number; price: number };
    export const total = (orders: Order[]): number => orders.reduce((sum, { price }) => sum + price, 0);`,
};

async function main() {
  const execution = new AbortController();
  const state = threadState({ execution: { abortSignal: execution.signal } });

  for (const [turn, source] of MODEL_REPLIES.entries()) {
    const handle = state.runCode(source, {
      filename: `turn-${turn + 1}.ts`,
      imports,
      modules,
      execute: { args: turn === 0 ? [] : [50] },
      report: (progress) => console.log('progress', JSON.stringify(progress)),
    });
    // There is no deadline but the caller's.
    const deadline = setTimeout(() => handle.terminate('took longer than 5 s'), 5000);
    const outcome = await handle;
    clearTimeout(deadline);

    for (const { level, args } of outcome.logs) console.log(level, ...args);
    if (outcome.status === 'success') {
      console.log('answer', JSON.stringify(outcome.result));
      return;
    }
    console.log(outcome.status, '-', outcome.error.message);
  }
  process.exitCode = 1;
}

main();
