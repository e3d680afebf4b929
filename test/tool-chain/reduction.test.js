'use strict';
// The output pipeline from JavaScript: at once and on a thread, and where an environment ends meanwhile.

const path = require('node:path');

const { native } = require('../../lib/native.js');
const { runNode } = require('../support/child.js');

const SETTINGS = {
  intent: '',
  autoChunkJson: true,
  chunkThreshold: 10_240,
  maxBytes: 200_000,
  smartTruncation: true,
};
const rows = (count) =>
  Buffer.from(
    JSON.stringify(
      Array.from({ length: count }, (_, id) => ({ id, name: `row ${id} é` })),
      null,
      2,
    ),
  );

test.each([
  ['what stays as it is', Buffer.from('short'), {}],
  ['JSON', rows(1000), {}],
  ['text that is cut', Buffer.from('é'.repeat(1000)), { maxBytes: 101 }],
  [
    'filtered text',
    Buffer.from(`plums\n\n${'other things\n\n'.repeat(1000)}`),
    { intent: 'Plums' },
  ],
])('a thread gives the same as the loop: %s', async (_name, output, changes) => {
  const settings = { ...SETTINGS, ...changes };
  expect(await native.reduceOutputLater(output, settings)).toBe(
    native.reduceOutput(output, settings),
  );
});

test('large outputs do not hold the loop', async () => {
  const output = rows(300_000);
  let turns = 0;
  const count = setInterval(() => turns++, 1);
  const text = await native.reduceOutputLater(output, SETTINGS);
  clearInterval(count);
  expect(text).toMatch(/^\[Array of 300000 items/);
  expect(turns).toBeGreaterThan(3);
});

test('a part of a JSON text is found by its pointer', async () => {
  expect(await native.selectJson(rows(10), '/9/name')).toBe('"row 9 é"');
  expect(await native.selectJson(rows(10), '/10')).toBe(null);
  expect(await native.selectJson(Buffer.from('no JSON'), '')).toBe(null);
});

test('a Worker may end while its outputs are reduced', async () => {
  const script = `
    const { Worker, isMainThread, parentPort } = require('node:worker_threads');
    const { native } = require(${JSON.stringify(path.join(__dirname, '..', '..', 'lib', 'native.js'))});
    if (isMainThread) (async () => {
      for (let i = 0; i < 10; i++) {
        const worker = new Worker(process.argv[1], { eval: true });
        await new Promise((resolve) => worker.once('message', resolve));
        await worker.terminate();
      }
      console.log('all ended');
    })();
    else {
      const output = Buffer.from(JSON.stringify(Array.from({ length: 20000 }, (_, id) => ({ id }))));
      const go = () => native.reduceOutputLater(output, ${JSON.stringify(SETTINGS)}).then(go);
      for (let i = 0; i < 8; i++) go();
      parentPort.postMessage('started');
    }`;
  const { stdout, stderr, code } = await runNode(['-e', script, script]);
  expect({ stdout: stdout.trim(), stderr, code }).toEqual({
    stdout: 'all ended',
    stderr: '',
    code: 0,
  });
});
