'use strict';
// `runCode` on a pool of the test file's own, disposed of behind it and looked over for what was left in it.

const { createRunCode } = require('../../lib/run-code/index.js');
const { usePool } = require('../support/pools.js');

/**
 * @param {object} [settings] for createRunCode
 * @param {object} [poolOptions]
 * @returns {{
 *   runCode: (source: any, options?: any) => any,
 *   runJs: (source: any, options?: any) => any,
 *   resultOf: (source: string, options?: object) => Promise<any>,
 *   errorOf: (source: string, options?: object) => Promise<any>,
 *   readonly pool: any,
 * }} `runJs` runs JavaScript; so do `resultOf`, for a run that must succeed, and `errorOf`, which gives status and error
 *   of one that must not
 */
function useRunCode(settings, poolOptions) {
  const used = usePool(poolOptions);
  let made;
  const runCode = (source, options) => {
    made ??= createRunCode({ pool: used.pool, ...settings });
    return made(source, options);
  };
  const runJs = (source, options) => runCode(source, { language: 'javascript', ...options });
  return {
    runCode,
    runJs,
    async resultOf(source, options) {
      const ending = await runJs(source, options);
      if (ending.status !== 'success') {
        throw new Error(`${ending.status}: ${JSON.stringify(ending.error)}`);
      }
      return ending.result;
    },
    async errorOf(source, options) {
      const { status, error, result } = await runJs(source, options);
      if (status === 'success') throw new Error(`succeeded with ${JSON.stringify(result)}`);
      return { status, ...error };
    },
    get pool() {
      return used.pool;
    },
  };
}

module.exports = { useRunCode };
