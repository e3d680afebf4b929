'use strict';

const path = require('node:path');

const { CRASH_TEXT, runNode } = require('../support/child.js');
const { HOSTILE } = require('./support/hostile-sources.js');

const MAIN = path.join(__dirname, 'support/hostile-main.js');
const BOUND_MS = 120_000;
const CODES = ['ok', 'ERR_SOURCE_SYNTAX', 'ERR_SOURCE_TOO_COMPLEX', 'ERR_SOURCE_TIMEOUT'];

test.each(['without JSX', 'with JSX'])(
  'hostile sources %s are answered in bounded time and break nothing',
  async (mode) => {
    const child = await runNode([MAIN, mode], { boundMs: BOUND_MS });
    expect(child.stderr).not.toMatch(CRASH_TEXT);
    expect(child).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(child.reports.map(({ name }) => name)).toEqual(Object.keys(HOSTILE));
    for (const { name, module, body, ms, rss, isAlive } of child.reports) {
      const expected = name === 'more than is allowed' ? ['ERR_SOURCE_TOO_LARGE'] : CODES;
      expect({ name, module: expected.includes(module), isAlive }).toEqual({
        name,
        module: true,
        isAlive: true,
      });
      expect([...expected, 'ok']).toContain(body);
      // Two sources, each with a deadline of 400 ms and a thread to be started after it.
      expect(ms).toBeLessThan(10_000);
      expect(rss).toBeLessThan(1_500_000_000);
    }
  },
  BOUND_MS + 10_000,
);
