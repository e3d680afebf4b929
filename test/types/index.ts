// The types of isobox, as callers use them. Checked by tsc; never run.

import diagnostics from 'node:diagnostics_channel';

import {
  DEFAULT_LIMITS,
  IsolatePool,
  type CallContext,
  type DiagnosticsMessages,
  type PoolStats,
  type RunHandle,
  type RunOutcome,
  type StopCause,
} from 'isobox';

async function outcomes(): Promise<unknown> {
  await using pool = new IsolatePool({
    threads: 2,
    maxRunning: 10,
    maxQueued: 10,
    warm: { target: 1, idleMs: 100 },
    maxStuck: 1,
    maxStuckBytes: 2 ** 30,
    limits: { wallMs: Infinity, valueObjects: 1000 },
  });
  await pool.prewarm(2);
  const handle: RunHandle = pool.run({
    source: 'return 1',
    filename: 'a.js',
    namespaces: {
      math: {
        add: ({ a, b }, { name, namespace, runId, signal }: CallContext) =>
          signal.aborted ? [name, namespace, runId] : a + b,
      },
    },
    console: { mode: 'entries', scope: 'lexical' },
    intrinsics: { codeGeneration: true },
    limits: { cpuMs: 5 },
    signal: AbortSignal.timeout(5),
    onLog: ({ level, text = '', args = [] }) => console.log(level, text, args),
  });
  handle.terminate('reason');
  const outcome: RunOutcome = await handle;
  if (outcome.ok) {
    const none: undefined = outcome.error;
    void none;
    return outcome.value;
  }
  const nothing: undefined = outcome.value;
  void nothing;
  // @ts-expect-error: a failure has not finished
  if (outcome.cause === 'finished') return null;
  const cause: StopCause = outcome.cause;
  // @ts-expect-error: the causes are a closed list
  if (cause === 'timeout') return null;
  return [cause, outcome.error.frames[0].line, outcome.facts.calls[0].ms?.toFixed()];
}

function misuse(pool: IsolatePool): void {
  // @ts-expect-error: a request needs a source
  pool.run({});
  // @ts-expect-error: there is no such option
  pool.run({ source: '', timeout: 5 });
  // @ts-expect-error: there is no such kind
  pool.run({ source: '', kind: 'body' });
  // @ts-expect-error: there is no such limit
  void new IsolatePool({ limits: { timeoutMs: 5 } });
  // @ts-expect-error: the defaults are frozen
  DEFAULT_LIMITS.wallMs = 5;
}

function numbers(stats: PoolStats): number {
  return stats.outcomes.deadline + stats.latency.p99Ms + DEFAULT_LIMITS.valueObjects;
}

function listen(): void {
  diagnostics.subscribe('isobox:run:end', (message) => {
    const { runId, cause, facts } = message as DiagnosticsMessages['isobox:run:end'];
    console.log(runId.toFixed(), cause satisfies StopCause, facts.cpuMs);
  });
  diagnostics.subscribe('isobox:call:end', (message) => {
    const { callId, namespace, name, ok, error } =
      message as DiagnosticsMessages['isobox:call:end'];
    console.log(callId, namespace?.length, name, ok, error?.code);
  });
  // @ts-expect-error: there is no such channel
  const none: DiagnosticsMessages['isobox:log'] = {};
  void none;
}

export { listen, misuse, numbers, outcomes };
