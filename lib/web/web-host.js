'use strict';
// What the guest library asks its host for, in one run: one timer, and fetches. Texts in, texts out, so that it is the
// same under every profile of values; all of them are a guest's, and believed in nothing.

const { refusal } = require('./fetch-rules.js');
const { GuestFetch, readHeaders } = require('./guest-fetch.js');

const MAX_DELAY_MS = 2 ** 31 - 1;

class WebHost {
  #rules;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  #wake = () => {};
  /** @type {Map<number, InstanceType<typeof GuestFetch>>} */
  #fetches = new Map();

  /** @param {import('./fetch-rules.js').FetchRules | undefined} rules */
  constructor(rules) {
    this.#rules = rules;
  }

  /** @returns {Record<string, Function>} the host functions */
  get functions() {
    const setTimer = (/** @type {unknown} */ delay) => this.#setTimer(delay);
    const fetch = (/** @type {unknown} */ text) => this.#fetch(text);
    return this.#rules === undefined ? { setTimer } : { setTimer, fetch };
  }

  /** The one timer of the run, set anew: what waited for it before is let go. Without a delay there is none. */
  #setTimer(/** @type {unknown} */ delay) {
    clearTimeout(this.#timer);
    this.#wake();
    this.#wake = () => {};
    const ms = Number(delay);
    if (delay === '' || !(ms > 0)) return null;
    return new Promise((resolve) => {
      this.#wake = () => resolve(null);
      this.#timer = setTimeout(this.#wake, Math.min(Math.ceil(ms), MAX_DELAY_MS));
    });
  }

  /** @param {unknown} text */
  async #fetch(text) {
    const { op, id, ...more } = JSON.parse(String(text));
    if (op === 'open') return this.#open(Number(id), more);
    const open = this.#fetches.get(Number(id));
    if (op === 'read') {
      if (open === undefined) throw refusal('the request has ended', 'ERR_ISOBOX_FETCH_ENDED');
      return open.read();
    }
    open?.stop(refusal('the guest gave it up', 'ERR_ISOBOX_FETCH_ENDED'));
    return null;
  }

  /**
   * @param {number} id
   * @param {Record<string, any>} asked
   */
  async #open(id, asked) {
    const rules = /** @type {import('./fetch-rules.js').FetchRules} */ (this.#rules);
    if (this.#fetches.has(id)) throw refusal('the request is open', 'ERR_ISOBOX_FETCH_ENDED');
    if (this.#fetches.size >= rules.maxInFlight) {
      throw refusal(
        `${rules.maxInFlight} requests are open, which is the most at a time`,
        'ERR_ISOBOX_FETCH_BUSY',
      );
    }
    const body = asked.body === undefined ? undefined : Buffer.from(String(asked.body), 'latin1');
    if (body !== undefined && body.length > rules.maxRequestBytes) {
      throw refusal(
        `the body is larger than ${rules.maxRequestBytes} bytes`,
        'ERR_ISOBOX_FETCH_SIZE',
      );
    }
    const request = {
      url: new URL(String(asked.url)),
      method: String(asked.method),
      headers: readHeaders(asked.headers),
      body,
    };
    const fetch = new GuestFetch(rules, () => this.#fetches.delete(id));
    this.#fetches.set(id, fetch);
    return JSON.stringify(await fetch.open(request, String(asked.redirect)));
  }

  /** The run has ended: nothing of it is left. */
  dispose() {
    clearTimeout(this.#timer);
    const ended = refusal('the run has ended', 'ERR_ISOBOX_RUN_ENDED');
    for (const fetch of [...this.#fetches.values()]) fetch.stop(ended);
  }
}

module.exports = { WebHost };
