'use strict';
// Lines in, values out.

const readline = require('node:readline');
const { inspect } = require('node:util');

const { SourceError, closeSourceWorkers } = require('../source/index.js');
const { ReplSession } = require('./repl-session.js');
const { prepareInput } = require('./repl-source.js');
const { isColourful, printable } = require('./terminal.js');

const PROMPT = '> ';
const MORE_PROMPT = '... ';

/** @typedef {{ tools: import('./load-tools.js').Tools, timeout: number, memory: number }} ReplOptions */

/**
 * @param {ReplOptions} options
 * @returns {Promise<void>} when the input has ended
 */
async function converse(options) {
  const { stdin, stdout } = process;
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true;
  const input = readline.createInterface({
    input: stdin,
    ...(isTerminal && { output: stdout }),
    terminal: isTerminal,
  });
  const repl = new Repl(options);
  const ask = () => {
    if (!isTerminal) return;
    input.setPrompt(repl.isPending ? MORE_PROMPT : PROMPT);
    input.prompt();
  };
  // Stops what is under way, drops what is typed, or leaves.
  input.on('SIGINT', () => {
    if (!repl.interrupt() && input.line === '') return input.close();
    input.write(null, { ctrl: true, name: 'u' });
    ask();
  });
  ask();
  for await (const line of input) {
    if (!repl.isPending && line.trim() === '.exit') break;
    await repl.take(line);
    ask();
  }
  // What the input's end leaves incomplete is wrong.
  if (repl.isPending) complain('SyntaxError: Unexpected end of input');
  input.close();
  await Promise.all([repl.close(), closeSourceWorkers()]);
}

class Repl {
  #options;
  #session;
  #pending = '';
  #isBusy = false;

  /** @param {ReplOptions} options */
  constructor(options) {
    this.#options = options;
    this.#session = new ReplSession(options);
  }

  /** Whether there is something that goes on on the next line. */
  get isPending() {
    return this.#pending.trim() !== '';
  }

  /** @param {string} line */
  async take(line) {
    if (!this.isPending && line.trim() === '.clear') return this.#startOver();
    this.#pending = this.isPending ? `${this.#pending}\n${line}` : line;
    if (!this.isPending) return;
    this.#isBusy = true;
    const isWhole = await this.#answer(this.#pending);
    this.#isBusy = false;
    if (isWhole) this.#pending = '';
  }

  /** @returns {boolean} whether there was something to stop or to drop */
  interrupt() {
    if (this.#isBusy) this.#session.stop('Stopped by SIGINT');
    const hadSomething = this.#isBusy || this.isPending;
    if (!this.#isBusy) this.#pending = '';
    return hadSomething;
  }

  close() {
    return this.#session.close();
  }

  async #startOver() {
    const before = this.#session;
    this.#session = new ReplSession(this.#options);
    await before.close();
  }

  /**
   * @param {string} text
   * @returns {Promise<boolean>} false when more is to come
   */
  async #answer(text) {
    try {
      const prepared = await prepareInput(text);
      if (prepared === 'incomplete') return false;
      const result = await this.#session.evaluate(prepared.script);
      if (!('cause' in result)) {
        show(result);
        return true;
      }
      const { error, cause } = /** @type {any} */ (result);
      complain(`${error.name}: ${error.message} (${cause}). What was declared is gone.`);
      await this.#startOver();
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      const { reason, line, column } = error;
      const place = line === undefined ? '' : ` (line ${line}, column ${column})`;
      complain(`SyntaxError: ${reason}${place}`);
    }
    return true;
  }
}

/** @param {import('./repl-session.js').Answer} answer */
function show({ ok, value, text }) {
  if (!ok) return complain(`Uncaught ${text ?? inspect(value)}`);
  if (text !== undefined) return process.stdout.write(`${printable(text, process.stdout)}\n`);
  if (value === undefined) return;
  process.stdout.write(`${inspect(value, { colors: isColourful(process.stdout) })}\n`);
}

/** @param {string} text */
function complain(text) {
  process.stderr.write(`${printable(text, process.stderr)}\n`);
}

module.exports = { converse };
