'use strict';

const { CRASH_TEXT, runChild } = require('../support/child.js');

test('--abort-on-uncaught-exception is about the host, not about its guests', async () => {
  const child = await runChild(
    async ({ IsolatePool, report }) => {
      const pool = new IsolatePool({ threads: 1 });
      for (const source of ['return %x', 'throw 1', 'await Promise.reject(2)']) {
        report((await pool.run({ source })).cause);
      }
      await pool.dispose();
    },
    { execArgv: ['--abort-on-uncaught-exception'] },
  );
  expect(child.stderr).not.toMatch(CRASH_TEXT);
  expect(child).toMatchObject({
    code: 0,
    reports: ['link_error', 'guest_error', 'guest_error'],
  });
});
