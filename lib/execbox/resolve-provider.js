'use strict';
// Providers: tools under safe names, with their schemas checked on both sides of every call.

const { findRefusal } = require('../execution/approval.js');
const { ExecuteFailure, describeToolFailure } = require('../execution/failures.js');
const { messageOf } = require('../foreign-text.js');
const { checkFunction, checkRecord, isRecord } = require('../checks/options.js');
const { atOnce } = require('../turns.js');
const { assignSafeNames, checkNamespace } = require('./safe-names.js');
const { readToolSchema } = require('./tool-schema.js');
const { declareInSteps, takesNothing } = require('./type-declarations.js');

const DEFAULT_NAMESPACE = 'codemode';

/** @typedef {import('../../types/execbox.js').ToolProvider} ToolProvider */
/** @typedef {import('../../types/execbox.js').ResolvedToolProvider} ResolvedToolProvider */
/** @typedef {import('../../types/execbox.js').ResolvedToolDescriptor} ResolvedToolDescriptor */

/**
 * @param {ToolProvider} provider
 * @returns {ResolvedToolProvider}
 */
function resolveProvider(provider) {
  return atOnce(resolveInSteps(provider));
}

/**
 * @param {ToolProvider} provider
 * @returns {Generator<void, ResolvedToolProvider>} yields where it may pause
 */
function* resolveInSteps(provider) {
  if (provider === undefined) throw new TypeError('resolveProvider needs a provider: { tools }');
  const { name = DEFAULT_NAMESPACE, tools, types, approve } = readProvider(provider);
  checkNamespace(name);
  const safeNames = assignSafeNames(Object.keys(tools));
  /** @type {Record<string, ResolvedToolDescriptor>} */
  const resolved = {};
  for (const [originalName, safeName] of safeNames) {
    // Safe names begin with a letter or one underscore, so none is `__proto__`.
    resolved[safeName] = yield* resolveTool(tools[originalName], originalName, safeName, approve);
    yield;
  }
  return {
    name,
    tools: resolved,
    originalToSafeName: Object.fromEntries(safeNames),
    safeToOriginalName: Object.fromEntries(
      [...safeNames].map(([original, safe]) => [safe, original]),
    ),
    types: types ?? (yield* declareInSteps(name, resolved)),
  };
}

/** @param {unknown} provider */
function readProvider(provider) {
  const checked = checkRecord(provider, 'provider', ['name', 'tools', 'types', 'approve']);
  if (!isRecord(checked.tools)) throw new TypeError('provider.tools must be an object');
  if (checked.types !== undefined && typeof checked.types !== 'string') {
    throw new TypeError('provider.types must be a string');
  }
  if (checked.approve !== undefined) checkFunction(checked.approve, 'provider.approve');
  return checked;
}

/**
 * @param {any} tool
 * @param {string} originalName
 * @param {string} safeName
 * @param {ToolProvider['approve']} approve
 * @returns {Generator<void, ResolvedToolDescriptor>}
 */
function* resolveTool(tool, originalName, safeName, approve) {
  if (!isRecord(tool)) throw new TypeError(`Tool ${originalName} must be an object`);
  const { description } = tool;
  if (description !== undefined && typeof description !== 'string') {
    throw new TypeError(`The description of tool ${originalName} must be a string`);
  }
  checkFunction(tool.execute, `The execute of tool ${originalName}`);
  const mayNeedApproval = checkNeedsApproval(tool.needsApproval, originalName, approve);
  const input = yield* readToolSchema(tool.inputSchema, 'input', originalName);
  const output = yield* readToolSchema(tool.outputSchema, 'output', originalName);
  return {
    safeName,
    originalName,
    ...(description !== undefined && { description }),
    ...(input && { inputSchema: input.jsonSchema }),
    ...(output && { outputSchema: output.jsonSchema }),
    ...(mayNeedApproval && { mayNeedApproval }),
    async execute(sent, context) {
      const signal = context?.signal;
      const given = sent === undefined && input && takesNothing(input.jsonSchema) ? {} : sent;
      const checked = await checkValue(input, given, 'input', originalName, signal);
      if (mayNeedApproval) await obtainApproval(tool, checked, context, approve);
      const result = await runTool(tool, checked, context);
      return checkValue(output, result, 'output', originalName, signal);
    },
  };
}

/**
 * @param {unknown} needsApproval
 * @param {string} toolName
 * @param {ToolProvider['approve']} approve
 * @returns {boolean} whether calls may need it
 */
function checkNeedsApproval(needsApproval, toolName, approve) {
  if (needsApproval === undefined || needsApproval === false) return false;
  if (needsApproval !== true && typeof needsApproval !== 'function') {
    throw new TypeError(`The needsApproval of tool ${toolName} must be a boolean or a function`);
  }
  if (needsApproval === true && approve === undefined) {
    throw new TypeError(
      `Tool ${toolName} needs approval for every call: give an approve function, or leave the tool out`,
    );
  }
  return true;
}

/**
 * @param {any} tool
 * @param {unknown} input
 * @param {import('../../types/execbox.js').ToolExecutionContext} context
 * @param {ToolProvider['approve']} approve
 * @returns {Promise<void>} rejects with an ExecuteFailure when the tool may not be called
 */
async function obtainApproval(tool, input, context, approve) {
  const { providerName, originalToolName, signal, whileAsking = (wait) => wait() } = context;
  const name = `${providerName}.${originalToolName}`;
  try {
    const { needsApproval } = tool;
    if (needsApproval !== true && !(await needsApproval.call(tool, input, context))) return;
  } catch (error) {
    const reason = messageOf(error);
    throw new ExecuteFailure('tool_error', `Whether ${name} needs approval is unknown: ${reason}`);
  }
  const request = { providerName, toolName: originalToolName, input };
  const ask = approve && (() => approve(request, context));
  const refusal = await findRefusal({ name, ask, signal, whileAsking });
  if (refusal !== undefined) throw new ExecuteFailure('tool_error', refusal);
}

/**
 * @param {import('./tool-schema.js').ToolSchema | undefined} schema
 * @param {unknown} value
 * @param {'input' | 'output'} direction
 * @param {string} toolName
 * @param {AbortSignal | undefined} signal
 */
async function checkValue(schema, value, direction, toolName, signal) {
  if (schema === undefined) return value;
  const checked = await schema.check(value, direction, signal);
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
async function runTool(tool, input, context) {
  try {
    return await tool.execute(input, context);
  } catch (thrown) {
    const { code, message } = describeToolFailure(thrown);
    throw Object.assign(new ExecuteFailure(code, message), { cause: thrown });
  }
}

module.exports = { resolveInSteps, resolveProvider };
