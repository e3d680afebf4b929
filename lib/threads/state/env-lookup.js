'use strict';
// Where a variable is looked up: the thread's own, then the agent's, then the prompt's, then that of the tool's entry.

const { keys } = require('../store/keys.js');
const { isOn, readEnv, refuse } = require('./env.js');

class EnvLookup {
  #parts;

  /** @param {import('../parts.js').Parts} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /**
   * @param {import('../parts.js').ThreadState} state
   * @param {string} name
   * @returns {Promise<string | undefined>}
   */
  async find(state, name) {
    const { library, tools } = this.#parts;
    const own = (await this.#read(state.threadId)).values[name];
    if (own !== undefined) return own;
    const agent = library.agents.get(state.agentId);
    const prompt = library.prompts.get(state.execution?.promptPath.at(-1) ?? agent?.sideA.prompt);
    const entry = tools.entryOf(state.execution);
    return [agent, prompt, entry].map((one) => one?.env?.[name]).find((one) => one !== undefined);
  }

  /**
   * A variable for the text of a prompt: what is secret or scoped is not told.
   *
   * @param {import('../parts.js').ThreadState} state
   * @param {any} prompt
   * @param {string} name
   */
  async findForPrompt(state, prompt, name) {
    const { types } = await this.#read(state.threadId);
    const declared = this.declarations(prompt).filter((one) => one.name === name);
    const isHidden =
      types[name] === 'secret' ||
      declared.some((one) => one.type === 'secret' || one.scoped === true);
    return isHidden ? '' : ((await this.find(state, name)) ?? '');
  }

  /**
   * @param {import('../parts.js').ThreadState} state
   * @param {any} entry of a prompt's tools
   */
  async isEnabled(state, entry) {
    return entry.optional === undefined || isOn(await this.find(state, entry.optional));
  }

  /**
   * @param {any} prompt
   * @returns {any[]} the variables that it and its tools declare
   */
  declarations(prompt) {
    const { library } = this.#parts;
    const tools = (prompt.tools ?? []).map((/** @type {any} */ { name }) =>
      library.tools.get(name),
    );
    return [prompt, ...tools].flatMap((one) => one?.variables ?? []);
  }

  /**
   * @param {string} agentName
   * @returns {any[]} the variables of an agent: of its prompts, and of the tools and prompts these call
   */
  graphOf(agentName) {
    const { library } = this.#parts;
    const agent = library.agents.get(agentName);
    const seen = new Set();
    const visit = (/** @type {string | undefined} */ name) => {
      const prompt = name === undefined ? undefined : library.prompts.get(name);
      if (prompt === undefined || seen.has(name)) return /** @type {any[]} */ ([]);
      seen.add(name);
      /** @type {any[]} */
      const inner = prompt.tools.flatMap((/** @type {any} */ entry) => visit(entry.name));
      return [...this.declarations(prompt), ...inner];
    };
    return [agent?.sideA.prompt, agent?.sideB?.prompt].flatMap(visit);
  }

  /**
   * @param {string} id
   * @param {string} name
   * @param {string} value
   * @param {'text' | 'secret' | undefined} type
   * @param {number} [token]
   */
  async set(id, name, value, type, token) {
    if (typeof name !== 'string' || name === '') throw refuse('A variable must have a name');
    if (typeof value !== 'string') throw refuse(`The variable ${name} must be a string`);
    if (type !== undefined && type !== 'text' && type !== 'secret') {
      throw refuse("The type of a variable is 'text' or 'secret'");
    }
    const { store } = this.#parts;
    await this.update(
      id,
      (env) => {
        env.values[name] = value;
        if (type !== undefined) env.types[name] = type;
      },
      token,
    );
    for (const { value: child } of await store.list(`child/${id}/`)) {
      const isScoped = this.graphOf(child.name).some((one) => one.name === name && one.scoped);
      if (child.status !== 'terminated' && !isScoped) {
        await this.set(child.reference, name, value, type);
      }
    }
  }

  /**
   * @param {string} id
   * @param {(env: import('./env.js').ThreadEnv) => void} edit
   * @param {number} [token]
   */
  update(id, edit, token) {
    const cipher = this.#parts.cipher();
    return this.#parts.store.change(
      id,
      ({ values: [sealed], batch }) => {
        const env = cipher.open(sealed?.sealed);
        edit(env);
        batch.put(keys.env(id), { sealed: cipher.seal(env) });
      },
      { reads: [keys.env(id)], token },
    );
  }

  /** @param {string} id */
  async #read(id) {
    const { store, cipher } = this.#parts;
    if ((await store.get(keys.env(id))) === undefined) return { values: {}, types: {} };
    return readEnv(store, cipher(), id);
  }
}

module.exports = { EnvLookup };
