'use strict';
// The end of an execution reaches the upstream, whatever it is that ends, and whatever state it is in.

const { setTimeout: sleep } = require('node:timers/promises');

const { createMcpToolProvider } = require('../../lib/mcp/index.js');
const {
  closeAfterTest,
  connectClient,
  makeAnsweringServer,
  makeRawServer,
  useCodeServer,
  useExecutor,
} = require('./upstreams.js');

/** Resolves when it is told to: `const gate = new Gate(); gate.open(); await gate.opened`. */
class Gate {
  constructor() {
    this.opened = new Promise((resolve) => (this.open = resolve));
  }
}

/**
 * An upstream whose calls wait until they are cancelled.
 *
 * @param {{ calls?: number, isDeaf?: boolean }} [options] `reached` opens when so many calls are there; a deaf one does
 *   not answer even then
 */
function makeWaitingServer({ calls = 1, isDeaf = false } = {}) {
  const reached = new Gate();
  const cancelled = new Gate();
  let [started, ended] = [0, 0];
  const server = makeAnsweringServer(
    (_params, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          if ((ended += 1) === calls) cancelled.open(ended);
          if (!isDeaf) reject(new Error('cancelled'));
        });
        if ((started += 1) === calls) reached.open(started);
      }),
  );
  return { server, reached: reached.opened, cancelled: cancelled.opened };
}

/** An executor that lets a test see its first result, also where no client does. */
function makeWatchedExecutor() {
  const first = new Gate();
  return {
    firstResult: first.opened,
    execute: async (
      /** @type {Parameters<import('isobox/execbox').IsolateExecutor['execute']>} */ ...args
    ) => {
      const result = await useExecutor().execute(...args);
      first.open(result);
      return result;
    },
  };
}

const timedOut = { ok: false, error: { code: 'timeout', message: 'Execution timed out' } };

describe('a cancelled request', () => {
  const cancelWhen = async (upstream, code, moment) => {
    const executor = makeWatchedExecutor();
    const { run } = await useCodeServer(upstream, { executor });
    const controller = new AbortController();
    const request = run(code, { signal: controller.signal });
    const rejected = expect(request).rejects.toThrow();
    await moment;
    controller.abort('enough');
    await rejected;
    return executor.firstResult;
  };

  test('ends a guest that waits for a tool, and the tool', async () => {
    const { server, reached, cancelled } = makeWaitingServer();
    expect(await cancelWhen(server, 'await mcp.get()', reached)).toMatchObject(timedOut);
    await cancelled;
  });

  test('ends every open call', async () => {
    const { server, reached, cancelled } = makeWaitingServer({ calls: 100 });
    const code = 'await Promise.all(Array.from({ length: 100 }, () => mcp.get()))';
    expect(await cancelWhen(server, code, reached)).toMatchObject(timedOut);
    expect(await cancelled).toBe(100);
  });

  test('ends a guest that computes', async () => {
    const { server } = makeWaitingServer();
    expect(await cancelWhen(server, 'for (;;) {}', sleep(50))).toMatchObject(timedOut);
  });

  test('ends a guest that computes while a tool is open', async () => {
    const { server, reached, cancelled } = makeWaitingServer();
    const code = 'mcp.get(); await null; for (;;) {}';
    expect(await cancelWhen(server, code, reached)).toMatchObject(timedOut);
    await cancelled;
  });

  test('ends one that catches what it can', async () => {
    const { server, reached, cancelled } = makeWaitingServer();
    const code = 'for (;;) { try { await mcp.get() } catch {} finally { await mcp.get() } }';
    expect(await cancelWhen(server, code, reached)).toMatchObject(timedOut);
    await cancelled;
  });

  test('ends one that has just been sent', async () => {
    const { server } = makeWaitingServer();
    expect(await cancelWhen(server, 'await mcp.get()', sleep(0))).toMatchObject(timedOut);
  });

  test('need not wait for an upstream that ignores it', async () => {
    const { server, reached } = makeWaitingServer({ isDeaf: true });
    expect(await cancelWhen(server, 'await mcp.get()', reached)).toMatchObject(timedOut);
  });
});

describe('other ends', () => {
  test('a deadline cancels what is open', async () => {
    const { server, cancelled } = makeWaitingServer();
    const provider = closeAfterTest(await createMcpToolProvider(server, { results: 'value' }));
    const options = { timeoutMs: 500 };
    expect(await useExecutor().execute('await mcp.get()', [provider], options)).toMatchObject(
      timedOut,
    );
    await cancelled;
  });

  test.each([
    ['returns without waiting', 'mcp.get(); await null; 1', { ok: true, result: 1 }],
    ['throws', 'mcp.get(); await null; throw new Error("mine")', { error: { message: 'mine' } }],
  ])('a guest that %s leaves no call open', async (_name, code, expected) => {
    const { server, cancelled } = makeWaitingServer();
    const { run } = await useCodeServer(server);
    expect(await run(code)).toMatchObject(expected);
    await cancelled;
  });

  test('a client that goes away ends its executions', async () => {
    const { server, reached, cancelled } = makeWaitingServer();
    const executor = makeWatchedExecutor();
    const { run, client } = await useCodeServer(server, { executor });
    const rejected = expect(run('await mcp.get()')).rejects.toThrow('Connection closed');
    await reached;
    await client.close();
    await rejected;
    await cancelled;
    expect(await executor.firstResult).toMatchObject(timedOut);
  });

  test('a call made with an aborted signal is not made', async () => {
    let calls = 0;
    const server = makeAnsweringServer(() => ({ content: [], calls: (calls += 1) }));
    const provider = closeAfterTest(await createMcpToolProvider(server, { results: 'value' }));
    const context = /** @type {any} */ ({ signal: AbortSignal.abort() });
    await expect(provider.tools.get.execute({}, context)).rejects.toMatchObject({
      code: 'tool_error',
    });
    await sleep(10);
    expect(calls).toBe(0);
  });

  test('a call that was answered is not cancelled afterwards', async () => {
    const cancellations = [];
    const server = makeAnsweringServer(() => ({ content: [{ type: 'text', text: 'done' }] }));
    const { run } = await useCodeServer(server);
    const transport = /** @type {any} */ (server.transport);
    const { onmessage } = transport;
    transport.onmessage = (message, extra) => {
      if (message.method === 'notifications/cancelled') cancellations.push(message.params);
      onmessage(message, extra);
    };
    const code = 'for (let i = 0; i < 20; i++) await mcp.get(); "end"';
    expect(await run(code)).toMatchObject({ result: 'end' });
    await sleep(20);
    expect(cancellations).toEqual([]);
  });

  test('many open calls are no leak to warn of', async () => {
    const warnings = [];
    const warn = (warning) => warnings.push(warning.message);
    process.on('warning', warn);
    const server = makeAnsweringServer(async () => {
      await sleep(5);
      return { content: [] };
    });
    const { run } = await useCodeServer(server);
    await run('await Promise.all(Array.from({ length: 50 }, () => mcp.get()))');
    await sleep(10);
    process.off('warning', warn);
    expect(warnings).toEqual([]);
  });
});

describe('an upstream that goes away', () => {
  test('during a call fails the call, and the guest may go on', async () => {
    const { server, reached } = makeWaitingServer();
    const client = await connectClient(server);
    const { run } = await useCodeServer(client);
    const running = run('await mcp.get().catch((error) => [error.code, error.message])');
    await reached;
    await server.close();
    expect(await running).toMatchObject({
      ok: true,
      result: ['tool_error', 'The MCP server raw is not connected any more, so get has no answer'],
    });
  });

  test('fails every later call at once', async () => {
    const { server } = makeWaitingServer();
    const client = await connectClient(server);
    const { run } = await useCodeServer(client);
    await server.close();
    expect(await run('await mcp.get()')).toMatchObject({
      ok: false,
      error: { code: 'tool_error', message: expect.stringContaining('not connected any more') },
    });
    expect(await run('"still here"')).toMatchObject({ ok: true });
  });

  test('while it lists its tools is told', async () => {
    const server = makeRawServer({
      list: () => {
        void server.close();
        return new Promise(() => {});
      },
    });
    await expect(createMcpToolProvider(server)).rejects.toThrow(
      'Cannot list the tools of the MCP server raw: MCP error -32000: Connection closed',
    );
  });
});
