'use strict';
// `isobox runner` as a child process, and the test as its host.

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { isRunnerMessage } = require('../../lib/protocol/index.js');

const BIN = path.join(__dirname, '..', '..', 'bin', 'isobox.js');

const OPTIONS = Object.freeze({
  timeoutMs: 5000,
  memoryLimitBytes: 67108864,
  maxLogLines: 100,
  maxLogChars: 64000,
});

/** @type {Set<RunnerProcess>} */
const started = new Set();

class RunnerProcess {
  /** Every line of standard output, without its line feed. */
  lines = [];
  stderr = '';
  #waiting = new Set();
  #rest = '';
  /** Told of each message as it comes. */
  onMessage = (_message) => {};

  /** @param {string[]} [args] */
  constructor(args = []) {
    started.add(this);
    const start = performance.now();
    this.child = spawn(process.execPath, [BIN, 'runner', ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child.stdin.on('error', () => {}); // a runner that has left takes no more input
    this.child.stderr.setEncoding('utf8').on('data', (text) => {
      this.stderr += text;
      this.#look();
    });
    this.child.stdout.setEncoding('utf8').on('data', (text) => this.#receive(text));
    /** Ends of the process: `{ code, signal, ms }`. */
    this.exit = new Promise((resolve) => {
      this.child.on('close', (code, signal) => {
        started.delete(this);
        resolve({ code, signal, ms: performance.now() - start });
        this.#look();
      });
    });
  }

  #receive(text) {
    if (!text.includes('\n')) {
      this.#rest += text;
      return;
    }
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      this.lines.push(line);
      this.onMessage(JSON.parse(line));
    }
    this.#look();
  }

  get messages() {
    return this.lines.map((line) => JSON.parse(line));
  }

  #look() {
    for (const look of [...this.#waiting]) look();
  }

  /**
   * @param {() => any} find
   * @param {string} what for the error when it never comes
   */
  async when(find, what, boundMs = 10_000) {
    const found = find();
    if (found) return found;
    return new Promise((resolve, reject) => {
      let look = () => {};
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new Error(`${what} never came; stdout: ${this.lines.slice(-3)}, ${this.stderr}`));
      }, boundMs);
      look = () => {
        const now = find();
        if (!now) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(now);
      };
      this.#waiting.add(look);
    });
  }

  /** The first message of a type, or of an execution. */
  first(type, id) {
    const fits = (one) => one.type === type && (id === undefined || one.id === id);
    return this.when(() => this.messages.find(fits), `${type} ${id ?? ''}`);
  }

  complaint(text) {
    return this.when(() => this.stderr.includes(text), `"${text}" on stderr`);
  }

  write(bytes) {
    this.child.stdin.write(bytes);
  }

  send(message) {
    this.write(`${JSON.stringify(message)}\n`);
  }

  /**
   * @param {string} id
   * @param {string} code
   * @param {ExecuteParts} [parts]
   * @returns {object} the message, which has been sent
   */
  execute(id, code, parts) {
    const message = executeMessage(id, code, parts);
    this.send(message);
    return message;
  }

  /** That it still works, whatever came before. */
  async expectToServe(id = `after-${Math.random()}`) {
    this.execute(id, '6 * 7');
    expect(await this.first('done', id)).toMatchObject({ ok: true, result: 42 });
    for (const message of this.messages) expect(isRunnerMessage(message)).toBe(true);
  }

  end() {
    this.child.stdin.end();
    return this.exit;
  }

  kill(signal) {
    this.child.kill(signal);
    return this.exit;
  }
}

/**
 * @typedef {{ tools?: string[], options?: object }} ExecuteParts the names of tools, and limits
 *
 * @param {string} id
 * @param {string} code
 * @param {ExecuteParts} [parts]
 */
function executeMessage(id, code, { tools = [], options = {} } = {}) {
  const manifest = {
    name: 'tools',
    tools: Object.fromEntries(tools.map((name) => [name, { safeName: name, originalName: name }])),
    types: '',
  };
  return {
    type: 'execute',
    id,
    code,
    options: { ...OPTIONS, ...options },
    providers: tools.length > 0 ? [manifest] : [],
  };
}

/** To be called once per test file: nothing outlives its test. */
function endAfterEach() {
  afterEach(async () => {
    await Promise.all([...started].map((runner) => runner.kill('SIGKILL')));
  });
}

/** @param {number | undefined} pid */
function residentMiB(pid) {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}

module.exports = { BIN, RunnerProcess, endAfterEach, executeMessage, residentMiB };
