'use strict';
// What a guest could do that has broken out of V8: it is in a process that the kernel keeps from everything.

const { spawnSync } = require('node:child_process');
const path = require('node:path');

const { native } = require('../../lib/native.js');

const SIGSYS = 128 + 31;

/**
 * @param {string} [attempt]
 * @returns {{ status: number, answer: any }} as a shell gives it; the output is a pipe, which a locked process keeps
 */
function drill(attempt = '') {
  const file = path.join(__dirname, 'drill.js');
  const { stdout } = spawnSync(
    'sh',
    ['-c', '("$0" "$@"; echo "status $?") 2>&1 | cat', process.execPath, file, attempt],
    { encoding: 'utf8', timeout: 20_000 },
  );
  const [, json] = /^(\{.*\})$/m.exec(stdout) ?? [];
  return {
    status: Number(/^status (\d+)$/m.exec(stdout)?.[1]),
    answer: json === undefined ? undefined : JSON.parse(json),
  };
}

const { answer } = drill();

test('this system locks guest processes in, with all there is', () => {
  expect(answer.locks.sort()).toEqual([...(native.sandboxes ?? [])].sort());
  expect(answer.locks).toContain('seccomp');
  expect(answer.attempts.length).toBeGreaterThanOrEqual(30);
});

test.each(/** @type {string[]} */ (answer.attempts))('it cannot %s', (attempt) => {
  const { status, answer: fate } = drill(attempt);
  // Either the kernel refuses, or it ends the process over it.
  if (status === SIGSYS) {
    expect(fate).toBeUndefined();
  } else {
    expect(fate).toMatchObject({ escaped: false, code: expect.any(String) });
  }
});
