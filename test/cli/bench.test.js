'use strict';

const { isobox } = require('./command.js');

const SCENARIOS = ['cold start', 'run', 'call', 'stop'];

test('--json gives every measurement with its spread', async () => {
  const { code, stdout, stderr } = await isobox(['bench', '--seconds', '0.1', '--json']);
  expect(code).toBe(0);
  const report = JSON.parse(stdout);
  expect(report).toMatchObject({ node: process.versions.node, seconds: 0.1 });
  expect(report.latencies.map(({ name }) => name)).toEqual(SCENARIOS);
  for (const { samples, p50Ms, p95Ms, p99Ms, maxMs } of report.latencies) {
    expect(samples).toBeGreaterThan(0);
    expect(p50Ms).toBeGreaterThanOrEqual(0);
    expect([p50Ms, p95Ms, p99Ms, maxMs]).toEqual(
      [p50Ms, p95Ms, p99Ms, maxMs].sort((a, b) => a - b),
    );
  }
  expect(report.throughput.runsPerSecond).toBeGreaterThan(1);
  // Progress is plain lines where there is no terminal.
  expect(stderr.trim().split('\n')).toEqual(
    [...SCENARIOS, 'throughput'].map((name, i) => `measuring ${name} (${i + 1} of 5)`),
  );
});

test('the table has a row for each measurement', async () => {
  const { code, stdout } = await isobox(['bench', '--seconds', '0.05']);
  expect(code).toBe(0);
  for (const name of SCENARIOS) {
    expect(stdout).toMatch(new RegExp(`^${name} +[\\d.]+ (ms|us) `, 'm'));
  }
  expect(stdout).toMatch(/^throughput +[\d,]+ runs\/s/m);
});

test('a time that is no number is a usage error', async () => {
  const { code, stderr } = await isobox(['bench', '--seconds', 'long']);
  expect(code).toBe(2);
  expect(stderr).toContain('must be a number');
});
