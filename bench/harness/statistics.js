'use strict';

/**
 * @param {readonly number[]} values
 * @param {number} part 0.5 for the median
 * @returns {number} with linear interpolation between the neighbours; NaN for no values
 */
function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  return sorted.length === 0 ? NaN : below + (above - below) * (place - Math.floor(place));
}

/** @param {readonly number[]} values */
const median = (values) => quantile(values, 0.5);

/**
 * @param {readonly number[][]} blocks one system's samples, by round; a round may be empty
 * @param {readonly number[][]} reference isobox's samples of the same rounds, or none
 * @param {'lower' | 'higher'} better
 * @returns {import('./contract.d.ts').Measured}
 */
function summarize(blocks, reference, better) {
  const samples = blocks.flat();
  const medians = blocks.filter((block) => block.length > 0).map(median);
  const p50 = median(samples);
  // Blocks of one round ran side by side: what disturbed one is likely to have disturbed the other.
  const ratios = blocks
    .map((block, round) => median(block) / median(reference[round] ?? []))
    .filter(Number.isFinite);
  const reach = (/** @type {number} */ part) =>
    quantile(samples, better === 'lower' ? part : 1 - part);
  return {
    p1: reach(0.01),
    p25: reach(0.25),
    p50,
    p75: reach(0.75),
    p95: reach(0.95),
    p99: reach(0.99),
    spread: (quantile(medians, 0.75) - quantile(medians, 0.25)) / p50,
    ratio: ratios.length > 0 ? median(ratios) : null,
    samples: samples.length,
  };
}

module.exports = { median, quantile, summarize };
