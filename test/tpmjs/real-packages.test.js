'use strict';
// Packages that npm has, installed as people would have them installed.

const { checkExecutor } = require('../../lib/tpmjs/index.js');
const { isobox } = require('../cli/command.js');
const { useDirectory, useExecutor } = require('./support.js');

const cacheDir = useDirectory();
const executor = useExecutor(() => ({ cacheDir }));

/** @type {[packageName: string, version: string, name: string, isolation: string, params: object, output: object][]} */
const TOOLS = [
  [
    'template-render',
    '0.1.0',
    'templateRenderTool',
    'isolate',
    { template: 'Hello, {{name}}!', data: { name: 'World' } },
    { rendered: 'Hello, World!' },
  ],
  [
    'markdown-to-html',
    '0.1.0',
    'markdownToHtmlTool',
    'isolate',
    { markdown: '# One\n\ntwo' },
    { html: expect.stringMatching(/<h1.*One<\/h1>/) },
  ],
  [
    'html-to-markdown',
    '0.1.0',
    'htmlToMarkdownTool',
    'isolate',
    { html: '<h1>One</h1><p>two <b>three</b></p>' },
    { markdown: expect.stringMatching(/two \*\*three\*\*/) },
  ],
  [
    'diff-text-unified',
    '0.2.0',
    'diffTextUnified',
    'isolate',
    { original: 'a\nb\n', modified: 'a\nc\n' },
    { diff: expect.stringMatching(/^-b\n\+c/m) },
  ],
  [
    'effect-size-suite',
    '0.2.0',
    'effectSizeSuiteTool',
    'isolate',
    { group1: [1, 2, 3, 4], group2: [3, 4, 5, 6] },
    {},
  ],
  ['bootstrap-ci', '0.2.0', 'bootstrapCITool', 'isolate', { data: [1, 2, 3, 4, 5] }, {}],
  [
    'recipe-hash',
    '0.2.0',
    'recipeHashTool',
    'isolate',
    { recipe: { a: 1 } },
    { hash: '015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862' },
  ],
  [
    'html-sanitize',
    '0.1.0',
    'htmlSanitizeTool',
    'process',
    { html: '<b onclick="x">hi</b><script>1</script>' },
    { sanitized: '<b>hi</b>' },
  ],
];

test.each(TOOLS)(
  '@tpmjs/tools-%s@%s runs %s in the %s',
  async (tool, version, name, isolation, params, output) => {
    const ask = { packageName: `@tpmjs/tools-${tool}`, version, name };
    const body = await executor.execute({ ...ask, params });
    expect(body).toMatchObject({ success: true, output, metadata: { isolation, version } });
    const described = await executor.ask('POST', '/load-and-describe', ask);
    expect(described.body).toMatchObject({
      success: true,
      tool: { name, inputSchema: { type: 'object', properties: expect.any(Object) } },
    });
  },
  120_000,
);

test('@tpmjs/tools-recipe-hash exports another name than it declares', async () => {
  const ask = { packageName: '@tpmjs/tools-recipe-hash', version: '0.2.0', name: 'recipeHash' };
  expect((await executor.execute(ask)).error.code).toBe('TOOL_NOT_FOUND');
}, 120_000);

test.each(/** @type {const} */ (['1.0', '1.1']))(
  'the executor passes the compliance test of %s',
  async (protocol) => {
    const { text, ...report } = await checkExecutor(executor.url, { protocol });
    expect(text).toMatch(/Result: 19\/19 tests passed \(Core: PASS, Standard: PASS\)$/);
    expect(report).toMatchObject({ core: 'PASS', standard: 'PASS' });
  },
  120_000,
);

test('isobox tpmjs --check prints it, and fails where there is no executor', async () => {
  const good = await isobox(['tpmjs', '--check', executor.url]);
  expect(good.stdout).toMatch(/^TPMJS Executor Compliance Test v1\.0\.0\nTarget: /);
  expect(good.stdout).toMatch(/✓ POST \/execute-tool returns success response/);
  expect(good.code).toBe(0);
  const bad = await isobox(['tpmjs', '--check', 'http://127.0.0.1:1', '--json']);
  expect(bad.code).toBe(1);
  expect(JSON.parse(bad.stdout)).toMatchObject({ core: 'FAIL', standard: 'FAIL' });
}, 120_000);
