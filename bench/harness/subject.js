'use strict';
// The process of one system in one scenario: `subject.js <scenario> <system> <isQuick> <spawnedAt>`. Measures a block for
// every case name it is sent, and answers with the samples. Its parent ends it.

const [file, system, isQuick, spawnedAt] = process.argv.slice(2);

/** @type {import('./contract.d.ts').Scenario} */
const scenario = require(file);

const open = async () =>
  scenario.systems[system]({ isQuick: isQuick === 'true', spawnedAt: BigInt(spawnedAt) });
const subject = open();
// Reported to the first request instead.
subject.catch(() => {});

process.on('message', async (caseName) => {
  try {
    process.send?.({ samples: await (await subject).measure(String(caseName)) });
  } catch (error) {
    process.send?.({ error: error instanceof Error ? error.message : String(error) });
  }
});
