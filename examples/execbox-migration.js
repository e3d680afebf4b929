'use strict';
// execbox's QuickJS executor replaced: one import and one constructor.
//
//   before:  const { resolveProvider } = require('@execbox/core');
//            const { QuickJsExecutor } = require('@execbox/quickjs');
//            const executor = new QuickJsExecutor({ timeoutMs: 1000 });
//
// Providers that execbox's own resolveProvider() has made can stay as they are.

const { IsolateExecutor, resolveProvider } = require('isobox/execbox');

const PAGES = [
  { title: 'Getting started', url: '/start', words: 340 },
  { title: 'Isolates', url: '/isolates', words: 1210 },
];

const docs = resolveProvider({
  name: 'docs',
  tools: {
    'search-docs': {
      description: 'Finds pages by words of their title.',
      inputSchema: {
        type: 'object',
        required: ['query'],
        properties: { query: { type: 'string' } },
      },
      execute: async ({ query }) =>
        PAGES.filter(({ title }) => title.toLowerCase().includes(query.toLowerCase())),
    },
  },
});

async function main() {
  const executor = new IsolateExecutor({ timeoutMs: 1000 });

  console.log('The model is told:\n');
  console.log(docs.types);

  // What a model might answer.
  const code = [
    '```js',
    'const pages = await docs.search_docs({ query: "i" });',
    'console.log(pages.length + " pages");',
    'pages.reduce((sum, page) => sum + page.words, 0)',
    '```',
  ].join('\n');
  console.log('\nIts code gives:', await executor.execute(code, [docs]));

  const wrong = 'await docs.search_docs({ query: 5 })';
  console.log('\nWrong input gives:', await executor.execute(wrong, [docs]));

  const endless = 'for (;;) {}';
  console.log(
    '\nAn endless loop gives:',
    await executor.execute(endless, [docs], { timeoutMs: 100 }),
  );

  await executor.dispose();
}

main();
