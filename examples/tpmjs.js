'use strict';
// A tool of an npm package, run over HTTP. It installs the package, so it needs npm and a registry.
//
// On the command line the same is: npx isobox tpmjs --port 3000

const http = require('node:http');

const { createExecutor } = require('isobox/tpmjs');

async function main() {
  const executor = createExecutor({ isolateOnly: true });
  const server = http.createServer(executor.handler);
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(undefined));
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());

  const response = await fetch(`http://127.0.0.1:${port}/execute-tool`, {
    method: 'POST',
    headers: { 'x-tpmjs-protocol-version': '1.1' },
    body: JSON.stringify({
      packageName: '@tpmjs/tools-template-render',
      version: '0.1.0',
      name: 'templateRenderTool',
      params: { template: 'Hello, {{name}}!', data: { name: 'World' } },
    }),
  });
  console.log(await response.json());

  server.close();
  await executor.close();
}

main();
