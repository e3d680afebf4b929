'use strict';

const { IsolatePool } = require('../../lib/index.js');

// A reply of the host meets a thread that still waits for it, while the run that was started before wants that thread.
test('a run whose host starts another before it replies does not wait for that one', async () => {
  const pool = new IsolatePool({ threads: 2 });
  for (let round = 0; round < 10; round++) {
    let other;
    let hasOtherEnded = false;
    const host = {
      echo: (value) => value,
      start() {
        other = pool.run({ source: 'for (;;) {}', limits: { wallMs: 500 } });
        void other.then(() => (hasOtherEnded = true));
        return 'replied';
      },
    };
    const { value } = await pool.run({
      source: 'for (let i = 0; i < 30; i++) await host.echo(i); return await host.start()',
      namespaces: { host },
    });
    expect(value).toBe('replied');
    expect(hasOtherEnded).toBe(false);
    other.terminate();
    expect((await other).cause).toBe('terminated');
  }
  await pool.dispose();
});
