'use strict';
// Numbers on the command line: what is wrong with one is said by commander, with the option's name.

const { InvalidArgumentError } = require('commander');

const UNITS = Object.freeze({ '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 });

/**
 * @param {{ min: number, max: number }} range in bytes
 * @returns {(text: string) => number} reads `1500000`, `64m`, `64MB` or `1.5GiB`; units are powers of 1,024
 */
function sizeBetween({ min, max }) {
  return (text) => {
    const [, digits, unit] = /^(\d+(?:\.\d+)?)\s*(k|m|g|)(?:i?b)?$/i.exec(text.trim()) ?? [];
    if (digits === undefined) {
      throw new InvalidArgumentError('It takes a size such as 64m, 512k or 67108864.');
    }
    const factor = UNITS[/** @type {keyof typeof UNITS} */ (unit.toLowerCase())];
    const bytes = Math.floor(Number(digits) * factor);
    if (bytes < min || bytes > max) {
      throw new InvalidArgumentError(
        `It must be between ${formatSize(min)} and ${formatSize(max)}.`,
      );
    }
    return bytes;
  };
}

/**
 * @param {{ min: number, max: number }} range
 * @returns {(text: string) => number}
 */
function numberBetween({ min, max }) {
  return (text) => {
    const value = text.trim() === '' ? NaN : Number(text);
    if (!(value >= min && value <= max)) {
      throw new InvalidArgumentError(`It must be a number between ${min} and ${max}.`);
    }
    return value;
  };
}

/** @param {number} bytes */
function formatSize(bytes) {
  const [unit, name] = /** @type {const} */ ([
    [2 ** 30, 'GiB'],
    [2 ** 20, 'MiB'],
    [2 ** 10, 'KiB'],
  ]).find(([size]) => bytes >= size) ?? [1, 'bytes'];
  return `${Number((bytes / unit).toFixed(1))} ${name}`;
}

module.exports = { formatSize, numberBetween, sizeBetween };
