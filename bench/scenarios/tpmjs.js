'use strict';
// A pure tool of an npm package over HTTP: as the executor first meets it, after a restart, and again and again.

const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');

const TOOL = JSON.stringify({
  packageName: '@tpmjs/tools-template-render',
  version: '0.1.0',
  name: 'templateRenderTool',
  params: { template: 'Hello, {{name}}!', data: { name: 'World' } },
});

/** @param {string} cacheDir */
async function serve(cacheDir) {
  const { createExecutor } = require('../../lib/tpmjs/index.js');
  const executor = createExecutor({ cacheDir });
  const server = http.createServer(executor.handler);
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(undefined));
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const agent = new http.Agent({ keepAlive: true });
  /** @returns {Promise<number>} milliseconds */
  const ask = () =>
    new Promise((resolve, reject) => {
      const start = performance.now();
      const request = http.request(
        { port, agent, method: 'POST', path: '/execute-tool' },
        async (response) => {
          const text = (await response.toArray()).join('');
          if (JSON.parse(text).success) resolve(performance.now() - start);
          else reject(new Error(text));
        },
      );
      request.on('error', reject).end(TOOL);
    });
  const close = async () => {
    agent.destroy();
    server.close();
    await executor.close();
  };
  return { ask, close };
}

/** @param {import('../harness/contract.d.ts').SubjectOptions} options */
async function isobox({ isQuick }) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-bench-'));
  process.once('exit', () => fs.rmSync(root, { recursive: true, force: true }));
  const once = async (/** @type {string} */ cacheDir) => {
    const { ask, close } = await serve(cacheDir);
    const ms = await ask();
    await close();
    return [ms];
  };
  const kept = path.join(root, 'kept');
  await once(kept);
  const hot = await serve(kept);
  const count = isQuick ? 64 : 320;
  return {
    /** @param {string} caseName */
    async measure(caseName) {
      if (caseName === 'cold') return once(fs.mkdtempSync(path.join(root, 'cold-')));
      if (caseName === 'warm') return once(kept);
      const lanes = caseName === 'hot, 32 in flight' ? 32 : 1;
      /** @type {number[]} */
      const samples = [];
      const lane = async () => {
        while (samples.length < count) samples.push(await hot.ask());
      };
      await Promise.all(Array.from({ length: lanes }, lane));
      return samples;
    },
  };
}

/** @type {import('../harness/contract.d.ts').Scenario} */
module.exports = {
  title: 'A pure tool of an npm package over HTTP: not cached, after a restart, and hot',
  unit: 'ms',
  better: 'lower',
  cases: ['cold', 'warm', 'hot, 1 in flight', 'hot, 32 in flight'],
  rounds: { full: 6, quick: 2 },
  process: 'kept',
  systems: { isobox },
};
