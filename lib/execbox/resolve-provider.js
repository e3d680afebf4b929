'use strict';
// Providers: tools under safe names, with their schemas checked on both sides of every call.

const { checkFunction, checkRecord, isRecord } = require('../options.js');
const { ExecuteFailure, describeToolFailure } = require('./failures.js');
const { assignSafeNames, checkNamespace } = require('./safe-names.js');
const { readToolSchema } = require('./tool-schema.js');
const { declareNamespace } = require('./type-declarations.js');

const DEFAULT_NAMESPACE = 'codemode';

/** @typedef {import('../../types/execbox.js').ToolProvider} ToolProvider */
/** @typedef {import('../../types/execbox.js').ResolvedToolProvider} ResolvedToolProvider */
/** @typedef {import('../../types/execbox.js').ResolvedToolDescriptor} ResolvedToolDescriptor */

/**
 * @param {ToolProvider} provider
 * @returns {ResolvedToolProvider}
 */
function resolveProvider(provider) {
  if (provider === undefined) throw new TypeError('resolveProvider needs a provider: { tools }');
  const { name = DEFAULT_NAMESPACE, tools, types } = readProvider(provider);
  checkNamespace(name);
  const safeNames = assignSafeNames(Object.keys(tools));
  const resolved = Object.fromEntries(
    [...safeNames].map(([originalName, safeName]) => [
      safeName,
      resolveTool(tools[originalName], originalName, safeName),
    ]),
  );
  return {
    name,
    tools: resolved,
    originalToSafeName: Object.fromEntries(safeNames),
    safeToOriginalName: Object.fromEntries(
      [...safeNames].map(([original, safe]) => [safe, original]),
    ),
    types: types ?? declareNamespace(name, resolved),
  };
}

/** @param {unknown} provider */
function readProvider(provider) {
  const checked = checkRecord(provider, 'provider', ['name', 'tools', 'types']);
  if (!isRecord(checked.tools)) throw new TypeError('provider.tools must be an object');
  if (checked.types !== undefined && typeof checked.types !== 'string') {
    throw new TypeError('provider.types must be a string');
  }
  return checked;
}

/**
 * @param {any} tool
 * @param {string} originalName
 * @param {string} safeName
 * @returns {ResolvedToolDescriptor}
 */
function resolveTool(tool, originalName, safeName) {
  if (!isRecord(tool)) throw new TypeError(`Tool ${originalName} must be an object`);
  const { description } = tool;
  if (description !== undefined && typeof description !== 'string') {
    throw new TypeError(`The description of tool ${originalName} must be a string`);
  }
  checkFunction(tool.execute, `The execute of tool ${originalName}`);
  const input = readToolSchema(tool.inputSchema, 'input', originalName);
  const output = readToolSchema(tool.outputSchema, 'output', originalName);
  return {
    safeName,
    originalName,
    ...(description !== undefined && { description }),
    ...(input && { inputSchema: input.jsonSchema }),
    ...(output && { outputSchema: output.jsonSchema }),
    async execute(given, context) {
      const checked = await checkValue(input, given, 'input', originalName);
      const result = await callTool(tool, checked, context);
      return checkValue(output, result, 'output', originalName);
    },
  };
}

/**
 * @param {import('./tool-schema.js').ToolSchema | undefined} schema
 * @param {unknown} value
 * @param {'input' | 'output'} direction
 * @param {string} toolName
 */
async function checkValue(schema, value, direction, toolName) {
  if (schema === undefined) return value;
  const checked = await schema.check(value, direction);
  if (checked.ok) return checked.value;
  throw new ExecuteFailure(
    'validation_error',
    `Invalid ${direction} for tool ${toolName}: ${checked.reason}`,
  );
}

/**
 * @param {any} tool called as a method, as its author wrote it
 * @param {unknown} input
 * @param {import('../../types/execbox.js').ToolExecutionContext} context
 */
async function callTool(tool, input, context) {
  try {
    return await tool.execute(input, context);
  } catch (thrown) {
    const { code, message } = describeToolFailure(thrown);
    throw Object.assign(new ExecuteFailure(code, message), { cause: thrown });
  }
}

module.exports = { resolveProvider };
