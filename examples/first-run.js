'use strict';
// A guest written in TypeScript calls two host tools and returns what it found.

const { runCode } = require('../lib/run-code/index.js');

const stock = { apple: 12, pear: 3, plum: 0 };

const guest = `
  type Item = { name: string; count: number };
  enum Level { Low = 5 }

  export default async function report(names: string[]): Promise<Item[]> {
    const items = await Promise.all(
      names.map(async (name): Promise<Item> => ({ name, count: await shop.count(name) })),
    );
    for (const item of items.filter(({ count }) => count < Level.Low)) {
      console.log('reordered', item.name, await shop.order(item.name, 10));
    }
    return items;
  }
`;

async function main() {
  const { status, result, error, logs, durationMs } = await runCode(guest, {
    filename: 'report.ts',
    execute: { args: [Object.keys(stock)] },
    globals: {
      shop: {
        count: (/** @type {keyof typeof stock} */ name) => stock[name],
        order: (/** @type {string} */ name, /** @type {number} */ amount) =>
          `${amount} ${name}s on their way`,
      },
    },
  });
  console.log('status  ', status);
  console.log('result  ', error ?? result);
  for (const { level, args } of logs) console.log(level.padEnd(8), ...args);
  console.log('time    ', `${durationMs.toFixed(1)} ms`);
  if (status !== 'success') process.exitCode = 1;
}

main();
