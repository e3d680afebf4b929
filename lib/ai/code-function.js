'use strict';
// The code tool for function calling: descriptions in the forms that providers take, and one handler for all of them.

const { checkSignal, checkString, checkRecord, checkFunction } = require('../checks/options.js');
const { CodeRunner, inputJsonSchema } = require('./code-runner.js');

/**
 * @param {import('../../types/ai.js').CodeFunctionOptions} options
 * @returns {import('../../types/ai.js').CodeFunction}
 */
function codeFunction(options) {
  const runner = new CodeRunner(options, ['name']);
  const { name = 'run_code' } = options;
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(checkString(name, 'options.name'))) {
    throw new TypeError(
      'options.name must have 1 to 64 letters, digits, underscores and hyphens: providers take no other',
    );
  }
  const { description } = runner;
  const parameters = inputJsonSchema();
  return {
    name,
    description,
    inputSchema: parameters,
    openai: { type: 'function', function: { name, description, parameters, strict: true } },
    openaiResponses: { type: 'function', name, description, parameters, strict: true },
    anthropic: { name, description, input_schema: parameters },
    langchain: { name, description, schema: parameters },
    async call(input, given) {
      const { signal, onLog } = checkRecord(given, 'options', ['signal', 'onLog']);
      checkSignal(signal, 'options.signal');
      if (onLog !== undefined) checkFunction(onLog, 'options.onLog');
      const result = await runner.run(input, { signal, onLog });
      return { text: runner.textOf(result), isError: !result.ok, result };
    },
  };
}

module.exports = { codeFunction };
