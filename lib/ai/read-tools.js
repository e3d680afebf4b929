'use strict';
// Tools that people have already, as one provider: those of the AI SDK, of LangChain, and plain objects with `execute`.

const { resolveProvider } = require('../execbox/resolve-provider.js');
const { isRecord } = require('../checks/options.js');

/** @typedef {import('../../types/execbox.js').ResolvedToolProvider} ResolvedToolProvider */
/** @typedef {import('../../types/execbox.js').ToolDescriptor} ToolDescriptor */
/** @typedef {import('../../types/execbox.js').ToolExecutionContext & { call: CallOptions }} CallContext */
/** @typedef {Record<string, any> & { code: string }} CallOptions what the caller of the code tool said about the call */

/**
 * @param {unknown} tools by name, or a list of tools that have one
 * @param {string} namespace
 * @param {import('../../types/ai.js').CodeToolOptions['approve']} approve
 * @returns {ResolvedToolProvider} to be used through `withCall`
 * @throws {TypeError} for what is no tool, or has a schema that cannot be checked
 */
function readTools(tools, namespace, approve) {
  const named = Array.isArray(tools) ? tools.map(nameOf) : isRecord(tools) && Object.entries(tools);
  if (!named) throw new TypeError('options.tools must be an object of tools, or a list of them');
  const names = new Set(named.map(([name]) => name));
  if (names.size < named.length) throw new TypeError('Two of options.tools have the same name');
  return resolveProvider({
    name: namespace,
    tools: Object.fromEntries(named.map(([name, tool]) => [name, readTool(tool, name)])),
    ...(approve && {
      approve: ({ toolName, input }, context) => {
        const { signal, call } = /** @type {CallContext} */ (context);
        const { toolCallId, code } = call;
        return approve({ toolName, input, code, toolCallId }, { signal });
      },
    }),
  });
}

/**
 * @param {any} tool
 * @param {number} i
 * @returns {[string, any]}
 */
function nameOf(tool, i) {
  if (typeof tool?.name !== 'string') {
    throw new TypeError(`options.tools[${i}] must have a name, as the tools of LangChain do`);
  }
  return [tool.name, tool];
}

/**
 * @param {any} tool
 * @param {string} name
 * @returns {ToolDescriptor}
 */
function readTool(tool, name) {
  if (!isRecord(tool)) throw new TypeError(`Tool ${name} must be an object`);
  const { inputSchema, parameters, outputSchema, schema } = tool;
  // From version 7 of the AI SDK on it may depend on the context of a call; there is none yet.
  const description =
    typeof tool.description === 'function' ? tool.description({ context: {} }) : tool.description;
  if (typeof tool.execute === 'function') {
    const { needsApproval } = tool;
    return {
      description,
      inputSchema: inputSchema ?? parameters,
      outputSchema,
      needsApproval:
        typeof needsApproval === 'function'
          ? (input, context) => needsApproval.call(tool, input, optionsFor(context))
          : needsApproval,
      execute: (input, context) =>
        lastOf(tool.execute(input, optionsFor(/** @type {CallContext} */ (context)))),
    };
  }
  if (typeof tool.invoke === 'function') {
    return {
      description,
      inputSchema: schema,
      execute: (input, { signal }) => tool.invoke(input, { signal }),
    };
  }
  throw new TypeError(
    `Tool ${name} has no execute function. A tool that the provider or the client runs cannot be called from code: ` +
      'give it to the model beside the code tool',
  );
}

/** @param {CallContext} context */
function optionsFor({ call, signal }) {
  const { code: _code, ...given } = call;
  return { toolCallId: '', messages: [], ...given, abortSignal: signal };
}

/**
 * @param {any} result a value or a promise of one; tools of the AI SDK may also give several, of which the last counts
 */
async function lastOf(result) {
  if (typeof result?.[Symbol.asyncIterator] !== 'function') return result;
  let last;
  for await (last of result);
  return last;
}

/**
 * @param {ResolvedToolProvider} provider
 * @param {CallOptions} call
 * @returns {ResolvedToolProvider} whose tools are told about this call
 */
function withCall(provider, call) {
  const tools = Object.entries(provider.tools).map(([name, tool]) => [
    name,
    {
      ...tool,
      execute: (/** @type {unknown} */ input, /** @type {any} */ context) =>
        tool.execute(input, { ...context, call }),
    },
  ]);
  return { ...provider, tools: Object.fromEntries(tools) };
}

module.exports = { readTools, withCall };
