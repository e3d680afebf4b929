'use strict';

const { CRASH_TEXT, runChild } = require('../support/child.js');
const { usePool } = require('../support/pools.js');

const { valueOf } = usePool();

test('thousands of modules side by side link', async () => {
  const names = Array.from({ length: 2000 }, (_, i) => `m${i}.js`);
  const source = `${names.map((name, i) => `import x${i} from './${name}'`).join(';')}; export default x0 + x1999`;
  const sources = Object.fromEntries(names.map((name, i) => [name, `export default ${i}`]));
  expect(await valueOf({ kind: 'module', source, module: { sources } })).toBe(1999);
});

test('a chain of a thousand modules links', async () => {
  const sources = { 'm1000.js': 'export default "the end"' };
  for (let i = 0; i < 1000; i++) sources[`m${i}.js`] = `export { default } from "./m${i + 1}.js"`;
  const source = 'export { default } from "./m0.js"';
  expect(await valueOf({ kind: 'module', source, module: { sources } })).toBe('the end');
});

test('a chain too long for the stack is a link error, and the process lives', async () => {
  const { code, signal, stderr, reports } = await runChild(async ({ IsolatePool, report }) => {
    const pool = new IsolatePool({ threads: 1 });
    const sources = { 'm30000.js': '' };
    for (let i = 0; i < 30_000; i++) sources[`m${i}.js`] = `import "./m${i + 1}.js"`;
    const limits = { memoryBytes: 2 ** 30 };
    for (const source of [
      'import "./m0.js"; export default 1',
      'export default await import("./m0.js")',
    ]) {
      const { cause, error } = await pool.run({
        kind: 'module',
        source,
        module: { sources },
        limits,
      });
      report([cause, error?.name]);
    }
    report((await pool.run({ source: 'return 1' })).value);
    await pool.dispose();
  });
  expect(stderr).not.toMatch(CRASH_TEXT);
  expect({ code, signal }).toEqual({ code: 0, signal: null });
  expect(reports).toEqual([['link_error', 'RangeError'], ['link_error', 'RangeError'], 1]);
});
