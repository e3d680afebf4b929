'use strict';

const { execFileSync } = require('node:child_process');
const path = require('node:path');

/**
 * @param {string[]} codes
 * @returns {{ value?: any, error?: string, line?: number, column?: number }[]}
 */
function evaluateModules(codes) {
  const argv = [
    '--experimental-vm-modules',
    '--no-warnings',
    path.join(__dirname, 'module-evaluator.js'),
  ];
  const output = execFileSync(process.execPath, argv, {
    input: JSON.stringify(codes),
    timeout: 20_000,
  });
  return JSON.parse(output.toString());
}

module.exports = { evaluateModules };
