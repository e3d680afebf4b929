'use strict';
// The entry `isobox/tool-chain`, as users meet it.

const path = require('node:path');

const { runNode } = require('../support/child.js');

const root = path.join(__dirname, '..', '..');

test('require and import give the same names', async () => {
  const script = `
    import * as viaImport from 'isobox/tool-chain';
    import { createRequire } from 'node:module';
    const viaRequire = createRequire(import.meta.url)('isobox/tool-chain');
    const names = Object.keys(viaRequire).sort();
    const same = names.every((name) => viaImport[name] === viaRequire[name]) && viaImport.default === viaRequire;
    console.log(JSON.stringify({ same, names }));`;
  const { stdout, stderr } = await runNode(['--input-type=module', '-e', script], { cwd: root });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({
    same: true,
    names: ['createToolChain', 'toolChainMcpServer'],
  });
});

test('a chain that is not closed does not keep the process', async () => {
  const script = `
    const { createToolChain } = require('isobox/tool-chain');
    const chain = createToolChain({ backends: { gone: { command: 'no-such-program-here' } } });
    chain.ready().then(() => chain.callToolChain({ code: 'return 1 + 1' })).then((answer) => console.log(answer.content[0].text));`;
  const { stdout, code } = await runNode(['-e', script], { cwd: root });
  expect(stdout.trim()).toBe('2');
  expect(code).toBe(0);
});

test('examples/tool-chain.js finds a tool in spite of typing errors, asks, and sends one program', async () => {
  const { stdout, code } = await runNode(['examples/tool-chain.js'], { cwd: root });
  expect(code).toBe(0);
  expect(stdout).toContain('"name": "shop.count-fruit"');
  expect(stdout).toContain('May mail.send be called with');
  expect(stdout).toContain('Its code gives: sent to orchard: Please bring pears and quinces');
});
