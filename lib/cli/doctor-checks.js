'use strict';
// The checks of `doctor`: each says what holds on this machine, or what to do.

const { readFacts } = require('./doctor-facts.js');
const { formatSize } = require('./sizes.js');

/** @typedef {ReturnType<typeof readFacts>} Facts */
/** @typedef {{ name: string, status: 'ok' | 'warning' | 'failed', detail: string }} Check */
/** @typedef {Facts & { ok: boolean, checks: Check[] }} Health */
/** @typedef {import('../../types/index.js').IsolatePool} IsolatePool */

const MiB = 2 ** 20;

const SUPPORTED_LINES = ['20', '22', '24', '26'];

// An answer later than this is worth a word: the machine is busy, or its limits are loose.
const LATE_MS = 250;

/** A guest that must end for one cause, soon after its limit. */
const LIMIT_CHECKS = Object.freeze([
  {
    name: 'deadline of a loop',
    request: { source: 'for (;;);', limits: { wallMs: 50 } },
    cause: 'deadline',
    afterMs: 50,
  },
  {
    name: 'deadline of a compiled loop',
    request: { source: 'for (;;) new Array(1000).fill(1.5);', limits: { wallMs: 200 } },
    cause: 'deadline',
    afterMs: 200,
  },
  {
    name: 'deadline of a guest that waits',
    request: { source: 'await new Promise(() => {})', limits: { wallMs: 50 } },
    cause: 'deadline',
    afterMs: 50,
  },
  {
    name: 'CPU time',
    request: { source: 'for (;;);', limits: { cpuMs: 50, wallMs: 5000 } },
    cause: 'cpu',
    afterMs: 50,
  },
  {
    name: 'memory',
    request: {
      source: 'const all = []; for (;;) all.push(new Array(1000).fill(all.length));',
      limits: { memoryBytes: 16 * MiB, wallMs: 5000 },
    },
    cause: 'memory',
    afterMs: 0,
  },
  {
    name: 'ArrayBuffers',
    request: {
      source: 'const all = []; for (;;) all.push(new Uint8Array(2 ** 20).fill(1));',
      limits: { memoryBytes: 16 * MiB, wallMs: 5000 },
    },
    cause: 'memory',
    afterMs: 0,
  },
  {
    name: 'size of results',
    request: { source: 'return "x".repeat(2000)', limits: { resultBytes: 1000, wallMs: 5000 } },
    cause: 'output',
    afterMs: 0,
  },
  // The last, since it leaves a thread behind.
  {
    name: 'deadline inside a builtin V8 cannot stop',
    request: {
      source: 'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)',
      limits: { wallMs: 50 },
    },
    cause: 'deadline',
    afterMs: 50,
  },
]);

/** @returns {Promise<Health>} */
async function examine() {
  const facts = readFacts();
  const checks = [...checkSurroundings(facts)];
  if (facts.binary.isLoaded) checks.push(...(await checkRuns()), await checkProcesses());
  return { ok: checks.every(({ status }) => status !== 'failed'), ...facts, checks };
}

/**
 * @param {Facts} facts
 * @returns {Iterable<Check>}
 */
function* checkSurroundings({ node, binary, machine }) {
  const line = node.version.split('.')[0];
  yield SUPPORTED_LINES.includes(line)
    ? { name: 'Node', status: 'ok', detail: `${node.version} is a supported line` }
    : {
        name: 'Node',
        status: 'warning',
        detail: `isobox is tested on Node ${SUPPORTED_LINES.join(', ')}, not on ${node.version}`,
      };
  yield binary.isLoaded
    ? { name: 'native binary', status: 'ok', detail: `the ${binary.origin} loads` }
    : { name: 'native binary', status: 'failed', detail: String(binary.message) };
  const { cpuQuota, cores, memoryLimitBytes } = machine;
  if (cpuQuota !== null && cpuQuota < cores) {
    yield {
      name: 'CPU quota',
      status: 'warning',
      detail: `the container may use ${cpuQuota} of ${cores} cores: set the pool's threads to that`,
    };
  }
  if (memoryLimitBytes !== null && memoryLimitBytes < 256 * MiB) {
    yield {
      name: 'memory of the container',
      status: 'warning',
      detail: `${formatSize(memoryLimitBytes)} leaves little room for guests of 64 MiB each`,
    };
  }
}

/** @returns {Promise<Check[]>} */
async function checkRuns() {
  const { IsolatePool } = require('../pool.js');
  const pool = new IsolatePool({ threads: 2 });
  try {
    const checks = [
      await attempt('a guest runs', () => checkValue(pool, { source: 'return 6 * 7' }, 42)),
      await attempt('a guest calls a tool', () =>
        checkValue(
          pool,
          {
            source: 'return (await host.add({ a: 40, b: 2 }))',
            namespaces: { host: { add: async (/** @type {any} */ { a, b }) => a + b } },
          },
          42,
        ),
      ),
      await attempt('types are erased', () => checkTypeScript(pool)),
      await attempt('lines are read', checkLineReader),
    ];
    for (const check of LIMIT_CHECKS) {
      checks.push(await attempt(check.name, () => checkLimit(pool, check)));
    }
    checks.push(
      await attempt('the pool goes on', () => checkValue(pool, { source: 'return 42' }, 42)),
    );
    return checks;
  } finally {
    await pool.dispose();
  }
}

/** @returns {Promise<Check>} a warning at worst: guests run on threads unless they are given processes */
async function checkProcesses() {
  const name = 'guests in processes';
  const { IsolatePool } = require('../pool.js');
  const { missingLocks } = require('../process-host.js');
  try {
    const pool = new IsolatePool({ host: 'process', threads: 1, zygote: 2 });
    const { cause } = await pool.run({ source: 'return 42', limits: { wallMs: 5000 } });
    const { sandbox = [], processesForked = 0 } = pool.stats();
    await pool.dispose();
    if (cause !== 'finished') return { name, status: 'warning', detail: `the run ended: ${cause}` };
    const missing = missingLocks(sandbox);
    return missing.length === 0
      ? {
          name,
          status: 'ok',
          detail: `locked in by ${sandbox.join(', ')}; ${processesForked > 0 ? 'forked with isolates ready' : 'not forked, each makes its isolates'}`,
        }
      : { name, status: 'warning', detail: `this system does not offer ${missing.join(', ')}` };
  } catch (error) {
    return { name, status: 'warning', detail: /** @type {Error} */ (error).message };
  }
}

/**
 * @param {string} name
 * @param {() => Promise<Omit<Check, 'name'>>} look
 * @returns {Promise<Check>}
 */
async function attempt(name, look) {
  try {
    return { name, ...(await look()) };
  } catch (error) {
    return { name, status: 'failed', detail: /** @type {Error} */ (error).message };
  }
}

/**
 * @param {IsolatePool} pool
 * @param {import('../../types/index.js').RunRequest} request
 * @param {unknown} expected
 * @returns {Promise<Omit<Check, 'name'>>}
 */
async function checkValue(pool, request, expected) {
  const start = performance.now();
  const outcome = await pool.run({ ...request, limits: { wallMs: 5000 } });
  const ms = performance.now() - start;
  if (!outcome.ok) {
    return { status: 'failed', detail: `${outcome.cause}: ${outcome.error.message}` };
  }
  if (outcome.value !== expected) {
    return { status: 'failed', detail: `it gave ${JSON.stringify(outcome.value)}` };
  }
  return { status: 'ok', detail: `${ms.toFixed(1)} ms` };
}

/** @param {IsolatePool} pool */
async function checkTypeScript(pool) {
  const { closeSourceWorkers, prepareBody } = require('../source/index.js');
  try {
    const { code } = await prepareBody('const n: number = 42; n as number', { timeoutMs: 10_000 });
    return await checkValue(pool, { source: code }, 42);
  } finally {
    await closeSourceWorkers();
  }
}

/** @returns {Promise<Omit<Check, 'name'>>} */
async function checkLineReader() {
  const { native } = require('../native.js');
  const reader = new native.LineReader(1024);
  const lines = reader.push(Buffer.from('{"type":"cancel","id":"1"}\nnonsense\n'));
  const verdicts = lines.map(({ refusal }) => refusal ?? 'message').join(', ');
  if (verdicts === 'message, not_json') return { status: 'ok', detail: 'for `isobox runner`' };
  return { status: 'failed', detail: `lines were judged as ${verdicts}` };
}

/**
 * @param {IsolatePool} pool
 * @param {typeof LIMIT_CHECKS[number]} check
 * @returns {Promise<Omit<Check, 'name'>>}
 */
async function checkLimit(pool, { request, cause, afterMs }) {
  const start = performance.now();
  const outcome = await pool.run(request);
  const ms = performance.now() - start;
  if (outcome.cause !== cause) {
    return { status: 'failed', detail: `it ended as ${outcome.cause}, not as ${cause}` };
  }
  // How long a guest takes to reach a size is the machine's affair.
  if (afterMs === 0) return { status: 'ok', detail: `stopped after ${ms.toFixed(0)} ms` };
  const lateMs = Math.max(0, ms - afterMs);
  return {
    status: lateMs > LATE_MS ? 'warning' : 'ok',
    detail: `answered ${lateMs.toFixed(1)} ms after its limit`,
  };
}

module.exports = { examine };
