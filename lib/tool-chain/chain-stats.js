'use strict';
// What a tool chain has done since it was opened: requests by tier, and how much of their outputs was shown.

/** @typedef {import('../../types/tool-chain.js').ToolChainTier} ToolChainTier */

class ChainStats {
  #startedAt = performance.now();
  #errors = 0;
  /** @type {Record<ToolChainTier, number>} */
  #tiers = { direct: 0, call: 0, introspection: 0, isolate: 0 };
  #calls = 0;
  #processed = 0;
  #returned = 0;

  /**
   * @param {ToolChainTier} tier
   * @param {{ calls: number, isError: boolean }} facts
   */
  noteRequest(tier, { calls, isError }) {
    this.#tiers[tier]++;
    this.#calls += calls;
    if (isError) this.#errors++;
  }

  /**
   * @param {number} processed bytes of an output
   * @param {number} returned bytes that are shown of it
   */
  noteOutput(processed, returned) {
    this.#processed += processed;
    this.#returned += returned;
  }

  view() {
    const processed = this.#processed;
    const reduced = Math.max(0, processed - this.#returned);
    return {
      uptime_seconds: Math.floor((performance.now() - this.#startedAt) / 1000),
      requests: Object.values(this.#tiers).reduce((sum, count) => sum + count, 0),
      errors: this.#errors,
      tiers: this.#tiers,
      tool_calls: this.#calls,
      output: {
        bytes_processed: processed,
        bytes_returned: this.#returned,
        percent_reduced: processed === 0 ? 0 : Math.floor((reduced * 100) / processed),
      },
    };
  }
}

module.exports = { ChainStats };
