'use strict';
// What the bundler may leave out of packages without side effects, and that the rest stays what it was.

const esbuild = require('esbuild');

const { markPure } = require('../../lib/tpmjs/prepare/pure-marks.js');

const LIBRARY = `
  export class Base { name() { return this.constructor.name; } }
  export class Unused extends Base { static table = makeTable(); }
  Unused.create = () => new Unused();
  Base.create = () => new Base();
  export const Named = class extends Base {};
  export const table = makeTable();
  export const [first] = [makeTable()];
  export const later = (async () => { await 0; return 'later'; })();
  function makeTable() { return { kind: 'table' }; }
`;

test('marked source does what it did', async () => {
  const source = markPure(LIBRARY).replace(/^ *export /gm, '');
  const run = new Function(
    `${source}; return [Base.create().name(), Unused.create().name(), Named.name, table.kind, first.kind, later];`,
  );
  const [base, unused, named, table, first, later] = run();
  expect([base, unused, named, table, first, await later]).toEqual([
    'Base',
    'Unused',
    'Named',
    'table',
    'table',
    'later',
  ]);
});

test('what nobody uses is left out, with all that it needs', async () => {
  const { outputFiles } = await esbuild.build({
    stdin: { contents: `import { Base } from 'library'; console.log(Base);` },
    bundle: true,
    write: false,
    format: 'esm',
    plugins: [
      {
        name: 'library',
        setup(build) {
          build.onResolve({ filter: /^library$/ }, ({ path }) => ({
            path,
            namespace: 'x',
            sideEffects: false,
          }));
          build.onLoad({ filter: /.*/, namespace: 'x' }, () => ({
            // Patterns are kept: what they take apart may answer to that.
            contents: markPure(LIBRARY.replace(/.*\[first\].*/, '')),
          }));
        },
      },
    ],
  });
  const [{ text: code }] = outputFiles;
  expect(code).toMatch(/class Base/);
  expect(code).not.toMatch(/Unused|makeTable|Named|later/);
});

test('what is no ES module is left alone', () => {
  expect(markPure('export const = ;')).toBe('export const = ;');
});
