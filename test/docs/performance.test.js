'use strict';
// docs/performance.md, its plots and the README's figures are what the report makes of the committed results.

const fs = require('node:fs');
const path = require('node:path');

const { drawPlots } = require('../../bench/report/plots.js');
const { runNode } = require('../support/child.js');

const root = path.join(__dirname, '..', '..');
const plotFolder = path.join(root, 'docs', 'performance');

/** The report's files by name. In a process of its own: Prettier is loaded by `import()`, which Jest has no way for. */
async function report(results) {
  const script = `
    const { makeReport } = require('./bench/report/index.js');
    const readme = require('fs').readFileSync('README.md', 'utf8');
    makeReport(${JSON.stringify(results)}, readme).then((files) => console.log(JSON.stringify([...files])));`;
  const { code, stdout, stderr } = await runNode(['-e', script], { cwd: root });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return new Map(JSON.parse(stdout));
}

const measured = (p50, ratio) => ({
  p1: p50 * 0.8,
  p25: p50 * 0.9,
  p50,
  p75: p50 * 1.1,
  p95: p50 * 1.5,
  p99: p50 * 2,
  spread: 0.05,
  ratio,
  samples: 100,
});

const RESULTS = {
  node: '24.0.0',
  cpu: 'a <fast> one',
  cores: 2,
  isQuick: false,
  stolen: 0.01,
  scenarios: {
    'warm-run': {
      run: {
        isobox: measured(100, 1),
        'isolated-vm': measured(2345, 23.45),
        'node:vm': measured(9, 0.09),
      },
    },
    throughput: {
      1: { isobox: measured(900, 1), floor: measured(1000, 1.1) },
      8: { isobox: measured(1800, 1), floor: measured(2000, 1.1) },
    },
    'warm-memory': { isolate: { isobox: measured(1.2, 1), 'isolated-vm': measured(1.5, 1.25) } },
  },
};

test('the committed report is that of the committed results', async () => {
  const file = path.join(root, 'bench', 'results', '24.json');
  const results = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined;
  expect(results?.isQuick ?? false).toBe(false);
  const files = await report(results);
  for (const [name, content] of files) {
    expect({ name, content: fs.readFileSync(path.join(root, name), 'utf8') }).toEqual({
      name,
      content,
    });
  }
  const plots = fs.existsSync(plotFolder) ? fs.readdirSync(plotFolder) : [];
  expect(plots.filter((name) => !files.has(`docs/performance/${name}`))).toEqual([]);
});

test('the page has the machine, the aims, and a table and a plot for what was measured', async () => {
  const files = await report(RESULTS);
  const page = files.get('docs/performance.md');
  expect(page).toContain('Node 24.0.0 on a <fast> one, 2 cores');
  expect(page).toMatch(
    /\| warm run at most 1\/15 of isolated-vm +\| 0\.0426 \| +0\.0667 \| +met \|/,
  );
  expect(page).toMatch(/\| isolated-vm +\| 2345 \| 3518 \| +5\.0 % \| +23\.4 \|/);
  for (const file of ['warm-run.svg', 'throughput.svg', 'warm-memory.svg']) {
    expect(page).toContain(`](performance/${file})`);
    expect(files.has(`docs/performance/${file}`)).toBe(true);
  }
  expect(files.has('docs/performance/payload.svg')).toBe(false);
  const readme = files.get('README.md');
  expect(readme).toMatch(
    /\| a run in a fresh isolate, until the answer +\| +100 µs \| +2345 µs \|/,
  );
  expect(readme).toContain('docs/performance/warm-run.svg');
});

test('plots show systems, values and both colour schemes, and leave out what is no border', () => {
  const plots = new Map(drawPlots(RESULTS.scenarios).map(({ file, svg }) => [file, svg]));
  const warm = plots.get('warm-run.svg');
  expect(warm).toContain('>isolated-vm</text>');
  expect(warm).toContain('>2,350 µs</text>');
  expect(warm).not.toContain('node:vm');
  expect(plots.get('throughput.svg')).toContain('>ceiling (V8 alone)</text>');
  expect(plots.get('warm-memory.svg')).toContain('>times isobox’s</text>');
  for (const mark of ['100', '500', '1,000', '2,000']) expect(warm).toContain(`>${mark}</text>`);
  for (const svg of plots.values()) {
    expect(svg).toContain('prefers-color-scheme:dark');
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  }
});
