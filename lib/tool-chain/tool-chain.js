'use strict';
// The tool chain: code and calls over any number of backends, by the cheapest way that gives the answer.

const { messageOf } = require('../foreign-text.js');
const { IsolatePool } = require('../pool.js');
const { Semaphore } = require('../semaphore.js');
const { Approval } = require('./approval.js');
const { ToolCallError } = require('./backend-errors.js');
const { Backend } = require('./backend.js');
const { CatalogueCache } = require('./catalogue-cache.js');
const {
  readCall,
  readChainOptions,
  readContext,
  readInfo,
  readList,
  readSearch,
} = require('./chain-options.js');
const { ChainRun } = require('./chain-run.js');
const { ChainStats } = require('./chain-stats.js');
const { withHint } = require('./error-hints.js');
const { fitContent } = require('./fit-content.js');
const { reduceOutput } = require('./output.js');
const { readChain } = require('./read-chain.js');
const { readResult } = require('./read-result.js');
const { Registry } = require('./registry.js');
const { Resources } = require('./resources.js');
const { renderResult } = require('./render-result.js');
const { ResultsStore } = require('./results-store.js');
const { runCode } = require('./run-code.js');
const { ToolCalls, checkResultSize } = require('./tool-calls.js');
const { assignNames, sanitizeBackendName } = require('./tool-names.js');
const { ToolSearch } = require('./tool-search.js');
const { briefView, fullView } = require('./tool-views.js');
const { ERROR_STATUS, traced } = require('./tracing.js');

/** @typedef {import('../../types/tool-chain.js').ToolChainAnswer} ToolChainAnswer */
/** @typedef {import('../../types/tool-chain.js').ToolChainContext} ToolChainContext */
/** @typedef {import('../../types/tool-chain.js').ToolChainTier} ToolChainTier */
/** @typedef {import('./render-result.js').ContentBlock} ContentBlock */
/** @typedef {import('./render-result.js').Rendered} Rendered */

/** Parked runs hold no thread: those that wait for an approval may be many. */
const MAX_RUNS = 10_000;

class ToolChain {
  #registry = new Registry();
  #results = new ResultsStore();
  #search = new ToolSearch(this.#registry);
  #stats = new ChainStats();
  #resources = new Resources({
    registry: this.#registry,
    results: this.#results,
    stats: this.#stats,
  });
  #options;
  #semaphore;
  #calls;
  #pool;
  /** @type {InstanceType<typeof CatalogueCache> | undefined} */
  #cache;
  #isClosed = false;

  /** @param {import('../../types/tool-chain.js').ToolChainOptions} options */
  constructor(options) {
    this.#options = readChainOptions(options);
    const { backends, sandbox, approval, tracer, cacheFile, host } = this.#options;
    const onWarning = /** @type {(message: string) => void} */ (this.#options.onWarning);
    this.#semaphore = new Semaphore(sandbox.maxRuns);
    this.#calls = new ToolCalls({
      registry: this.#registry,
      approval: new Approval(approval),
      tracer,
    });
    this.#pool = new IsolatePool({ host, maxRunning: MAX_RUNS });
    const safeNames = assignNames(
      backends.map(({ name }) => name),
      sanitizeBackendName,
    );
    const identities = new Map(
      backends.flatMap(({ name, source }) =>
        source.identity === undefined ? [] : [[name, source.identity]],
      ),
    );
    if (cacheFile !== undefined) {
      this.#cache = new CatalogueCache({ file: cacheFile, identities, onWarning });
    }
    this.#registry.backends = backends.map((backend) => {
      const { name } = backend;
      return new Backend({
        ...backend,
        safeName: /** @type {string} */ (safeNames.get(name)),
        cachedTools: this.#cache?.toolsOf(name) ?? [],
        onListed: (tools) => {
          this.#registry.noteChange();
          this.#search.prepare();
          this.#cache?.keep(name, tools);
        },
        onWarning,
      });
    });
    this.#search.prepare();
  }

  /** Resolves when every backend has been tried once. */
  async ready() {
    await Promise.all(this.#registry.backends.map((backend) => backend.whenTried));
  }

  /**
   * @param {import('../../types/tool-chain.js').ToolChainRequest} request
   * @param {ToolChainContext} [context]
   * @returns {Promise<ToolChainAnswer>}
   */
  async callToolChain(request, context) {
    const call = readCall(request, this.#options.sandbox);
    const { tier, act } = this.#route(call.code);
    const { timeoutMs } = call;
    const run = new ChainRun({
      timeoutMs,
      semaphore: this.#semaphore,
      context: readContext(context),
    });
    const attributes = { 'isobox.tier': tier };
    return traced(this.#options.tracer, 'call_tool_chain', attributes, async (span) => {
      let isError = false;
      try {
        if (this.#isClosed) throw new ToolCallError('The tool chain is closed');
        const { text, content } = await act(run);
        return await this.#answer({ text, content: [...content, ...run.content] }, tier, call);
      } catch (error) {
        isError = true;
        const message = messageOf(error);
        span?.setStatus({ code: ERROR_STATUS, message });
        return failedAnswer(withHint(message, this.#registry), tier);
      } finally {
        span?.setAttribute('isobox.calls', run.callsDone);
        run.end();
        this.#stats.noteRequest(tier, { calls: run.callsDone, isError });
      }
    });
  }

  /** @param {import('../../types/tool-chain.js').SearchToolsRequest} request */
  async searchTools(request) {
    const { query, limit, isBrief } = readSearch(request);
    const { total, entries } = await this.#search.search(query, limit);
    return { total, tools: entries.map(isBrief ? briefView : fullView) };
  }

  /** @param {import('../../types/tool-chain.js').ToolInfoRequest} request */
  async toolInfo(request) {
    const { name, isBrief } = readInfo(request);
    const entry = this.#registry.find(name);
    return isBrief ? briefView(entry) : fullView(entry);
  }

  /** @param {import('../../types/tool-chain.js').ListToolsRequest} [request] */
  async listToolsMeta(request) {
    const { start, size } = readList(request);
    const all = this.#search.list();
    const end = start + size;
    return {
      total: all.length,
      tools: all.slice(start, end).map(briefView),
      ...(end < all.length && { next_cursor: String(end) }),
    };
  }

  listResources() {
    return this.#resources.list();
  }

  /** @param {string} uri */
  readResource(uri) {
    return this.#resources.read(uri);
  }

  async close() {
    this.#isClosed = true;
    this.#semaphore.close();
    this.#search.close();
    await this.#pool.dispose();
    await Promise.allSettled(this.#registry.backends.map((backend) => backend.close()));
    await this.#cache?.flush();
  }

  [Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')]() {
    return this.close();
  }

  /**
   * @param {string} code
   * @returns {{ tier: ToolChainTier, act: (run: InstanceType<typeof ChainRun>) => Promise<Rendered> }}
   */
  #route(code) {
    const chain = readChain(code);
    const registry = this.#registry;
    switch (chain.kind) {
      case 'direct': {
        const { tool, input } = chain;
        return {
          tier: 'direct',
          act: async (run) => this.#callOne(await this.#calls.find(tool, run), input, run),
        };
      }
      case 'call': {
        const entry = registry.findCall(chain.path);
        if (entry === undefined) break;
        return { tier: 'call', act: (run) => this.#callOne(entry, chain.input, run) };
      }
      case 'interfaces':
        return { tier: 'introspection', act: async () => render(registry.interfaces()) };
      case 'interface': {
        const { name } = chain;
        return { tier: 'introspection', act: async () => render(registry.interfaceOf(name)) };
      }
      default:
    }
    return { tier: 'isolate', act: (run) => this.#runCode(code, run) };
  }

  /**
   * @param {import('./registry.js').Entry} entry
   * @param {unknown} input
   * @param {InstanceType<typeof ChainRun>} run
   */
  async #callOne(entry, input, run) {
    return render(await this.#calls.call(entry, input, run));
  }

  /**
   * @param {string} code
   * @param {InstanceType<typeof ChainRun>} run
   */
  async #runCode(code, run) {
    await run.enter();
    return runCode(code, {
      pool: this.#pool,
      registry: this.#registry,
      run,
      heapBytes: this.#options.sandbox.heapBytes,
      host: {
        call: (input) => this.#calls.callFromGuest(input, run),
        readResult: (input) => this.#readFromGuest(input),
      },
    });
  }

  /** @param {any} input */
  async #readFromGuest(input) {
    const [id, options] = JSON.parse(String(input));
    return readResult(this.#results.get(String(id).replace(/^.*\//, '')), options);
  }

  /**
   * @param {Rendered} result
   * @param {ToolChainTier} tier
   * @param {ReturnType<typeof readCall>} call
   * @returns {Promise<ToolChainAnswer>}
   */
  async #answer({ text, content }, tier, { intent, maxOutputBytes }) {
    const keep = (/** @type {Buffer} */ whole) => `isobox://results/${this.#results.keep(whole)}`;
    const blocks = content.length === 0 ? content : fitContent(content, keep);
    const output = Buffer.from(text);
    const settings = { ...this.#options.output, intent, maxBytes: maxOutputBytes };
    const reduced = await reduceOutput(output, settings);
    this.#stats.noteOutput(output.length, Buffer.byteLength(reduced ?? output));
    if (reduced === null) return answer(text, blocks, { tier });
    const resultUri = keep(output);
    return answer(`${reduced}\n[Full output: ${resultUri}]`, blocks, { tier, resultUri });
  }
}

/** @param {unknown} value */
function render(value) {
  const rendered = renderResult(value);
  checkResultSize(rendered.text);
  return rendered;
}

/**
 * @param {string} text
 * @param {ContentBlock[]} content
 * @param {{ tier: ToolChainTier, resultUri?: string }} facts
 * @returns {ToolChainAnswer}
 */
function answer(text, content, facts) {
  return { content: [{ type: 'text', text }, ...content], isError: false, ...facts };
}

/**
 * @param {string} text
 * @param {ToolChainTier} tier
 * @returns {ToolChainAnswer}
 */
function failedAnswer(text, tier) {
  return { content: [{ type: 'text', text }], isError: true, tier };
}

module.exports = { ToolChain };
