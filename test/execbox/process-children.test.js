'use strict';
// What processes of guests get from their host, and hosts from processes that never get ready.

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { IsolateExecutor } = require('../../lib/execbox/index.js');
const { startStopwatch } = require('../../scripts/stolen-time.js');
const { until } = require('../support/time.js');
const { watchChildren } = require('./child-processes.js');

const mine = watchChildren();

describe('a process that never gets ready', () => {
  let executor;
  let victim;
  beforeEach(() => {
    executor = new IsolateExecutor({ host: 'process' });
    [victim] = mine();
    process.kill(victim, 'SIGSTOP');
  });
  afterEach(async () => {
    await executor.dispose();
    expect(mine()).toEqual([]);
  });

  test('costs its executions a timeout, has prewarm() reject, is killed, and leaves its place to another', async () => {
    const warmed = executor.prewarm(1).catch(({ message }) => message);
    const elapsedMs = startStopwatch();
    const result = await executor.execute('1', [], { timeoutMs: 500 });
    // Two seconds are a process's to start, however short the time that its guest has.
    expect(elapsedMs()).toBeLessThan(6000);
    expect(result).toMatchObject({ ok: false, error: { code: 'timeout' } });
    expect(await warmed).toBe('No process for guests could be started');
    await until(() => !mine().includes(victim));
    expect(await executor.execute('1 + 1', [])).toMatchObject({ ok: true, result: 2 });
  });

  test('answers at once when the caller aborts', async () => {
    const abort = new AbortController();
    const first = executor.execute('1', [], { timeoutMs: 60_000, signal: abort.signal });
    abort.abort();
    expect(await first).toMatchObject({ ok: false, error: { code: 'timeout' } });
  });
});

/**
 * Runs as a process that has a file open which it would pass on: `[cwd, descriptors of its child, its own flags before
 * and after]` go to its output.
 */
async function hostOfAChild() {
  const files = require('node:fs');
  const flags = () => files.readFileSync('/proc/self/fdinfo/100', 'utf8').split('\n')[1];
  const earlier = flags();
  // Where this runs, modules are named from the root.
  const requireHere = /** @type {(name: string) => any} */ (require);
  const { IsolateExecutor: Executor } = requireHere('./lib/execbox/index.js');
  const executor = new Executor({ host: 'process', sandbox: 'off' }); // one that is locked in cannot be looked into
  await executor.prewarm(1);
  const [pid] = requireHere('./test/execbox/child-processes.js').childrenOf(process.pid);
  const descriptors = files
    .readdirSync(`/proc/${pid}/fd`)
    .map((name) => files.readlinkSync(`/proc/${pid}/fd/${name}`));
  const { result } = await executor.execute('1 + 1', []);
  const cwd = files.readlinkSync(`/proc/${pid}/cwd`);
  await executor.dispose();
  console.log(JSON.stringify({ cwd, descriptors, result, flags: [earlier, flags()] }));
}

test('a process has neither the working directory nor the descriptors of its host', async () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'isobox-'));
  const secret = path.join(directory, 'secret');
  fs.writeFileSync(secret, 'hunter2');
  const file = fs.openSync(secret, 'r');
  const root = path.join(__dirname, '../..');
  const stdio = [...Array(100).fill('ignore'), file];
  stdio[1] = 'pipe';
  stdio[2] = 'inherit';
  stdio[5] = file;
  const source = `const { createRequire } = require('node:module');
    require = createRequire(${JSON.stringify(path.join(root, 'package.json'))});
    (${hostOfAChild})()`;
  const host = spawn(process.execPath, ['-e', source], { cwd: directory, stdio });
  let output = '';
  host.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  await new Promise((resolve) => host.once('close', resolve));
  fs.closeSync(file);
  fs.rmSync(directory, { recursive: true });
  const { cwd, descriptors, result, flags } = JSON.parse(output);
  expect(cwd).toBe('/');
  expect(descriptors.filter((one) => one.startsWith('/') && one !== '/dev/null')).toEqual([]);
  expect(result).toBe(2);
  // What the host itself passes on to other processes is as it was.
  expect(flags[1]).toBe(flags[0]);
});
