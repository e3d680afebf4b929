/**
 * isobox/ai: your tools as one tool through which a model writes code. For the AI SDK, and for function calling of OpenAI,
 * Anthropic and LangChain. None of their packages is imported.
 *
 * @packageDocumentation
 */

import type {
  ExecuteResult,
  Executor,
  ExecutorRuntimeOptions,
  JsonSchema,
  StandardSchemaLike,
} from './execbox.js';

/**
 * A tool to call from code: one of the AI SDK (`execute`), one of LangChain (`invoke`), or a plain object. Its schema is
 * checked on every call; one that cannot be checked is a `TypeError`.
 */
export interface CallableTool {
  /** A function, as version 7 of the AI SDK allows, is called once, with an empty context. */
  description?: string | ((options: any) => string) | undefined;
  /** Any schema that `resolveProvider` takes. */
  inputSchema?: any;
  /** The same, under the name of older tools. */
  parameters?: any;
  outputSchema?: any;
  /** Needs `approve` in the options of the code tool. */
  needsApproval?: any;
  execute?: ((...args: any[]) => any) | undefined;
  /** LangChain's. */
  schema?: any;
  /** LangChain's. */
  invoke?: ((...args: any[]) => any) | undefined;
}

/** What somebody is asked to approve. */
export interface CodeApprovalRequest {
  toolName: string;
  input: unknown;
  /** The code that makes the call. */
  code: string;
  /** Of the call of the code tool, from the AI SDK. */
  toolCallId: string | undefined;
}

/** What all forms have in common. `timeoutMs` is 30,000 unless given; the other limits are those of the executor. */
export interface CodeOptions extends ExecutorRuntimeOptions {
  /** The tools that code may call: by name, or a list of tools that have a `name`. */
  tools: Record<string, CallableTool> | readonly (CallableTool & { name: string })[];
  /** The object that code finds them in. Default: `'tools'`. */
  namespace?: string;
  /** In the place of the usual description, or made from it. `types` are the declarations of the tools. */
  description?: string | ((parts: { description: string; types: string }) => string);
  /**
   * Asked before a call of a tool that needs approval: only `true` lets it through. The code waits meanwhile without a
   * thread, and its deadline stands still.
   */
  approve?: (
    request: CodeApprovalRequest,
    options: { signal: AbortSignal },
  ) => boolean | PromiseLike<boolean>;
  /** Where code runs. Default: an `IsolateExecutor` that the process shares. */
  executor?: Executor;
  /** Called for each line of the console, as it comes. */
  onLog?: (line: string) => void;
  /** The most characters that the model gets as an answer. Default: 20,000. */
  maxTextChars?: number;
}

export interface CodeToolOptions extends CodeOptions {
  /** Gives the console so far as preliminary results of the tool. Default: `false`. */
  streamLogs?: boolean;
}

/** What the code came to, or, with `streamLogs`, its console so far. */
export type CodeToolOutput =
  | ExecuteResult
  | { ok?: undefined; running: true; logs: string[]; result?: undefined; error?: undefined };

/** A tool of the AI SDK. */
export interface CodeTool {
  description: string;
  inputSchema: StandardSchemaLike<unknown, { code: string }>;
  execute(
    input: { code: string },
    options: { toolCallId: string; abortSignal?: AbortSignal | undefined; [more: string]: any },
  ): Promise<CodeToolOutput> | AsyncIterable<CodeToolOutput>;
  /** What the model sees: the result, or the error with its place and a hint, and the console. */
  toModelOutput(options: { output: CodeToolOutput }): {
    type: 'text' | 'error-text';
    value: string;
  };
}

/**
 * Makes one tool of the AI SDK out of many: the model writes code that calls them. Failures are results that the model can
 * read. Throws a `TypeError` for tools and options that cannot be used.
 *
 * @example
 * const { text } = await generateText({
 *   model,
 *   tools: { code: codeTool({ tools: { getWeather, sendMail } }) },
 *   stopWhen: stepCountIs(5),
 *   prompt: 'Which of Oslo, Rome and Lima is warmest?',
 * });
 */
export function codeTool(options: CodeToolOptions): CodeTool;

export interface CodeFunctionOptions extends CodeOptions {
  /** What the model calls it. Default: `'run_code'`. */
  name?: string;
}

/** What a call came to. */
export interface CodeAnswer {
  /** For the model. */
  text: string;
  isError: boolean;
  /** For you. */
  result: ExecuteResult;
}

/** The same tool for function calling. */
export interface CodeFunction {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  /** For `tools` of OpenAI's chat completions. */
  openai: {
    type: 'function';
    function: { name: string; description: string; parameters: JsonSchema; strict: true };
  };
  /** For `tools` of OpenAI's responses. */
  openaiResponses: {
    type: 'function';
    name: string;
    description: string;
    parameters: JsonSchema;
    strict: true;
  };
  /** For `tools` of Anthropic's messages. */
  anthropic: {
    name: string;
    description: string;
    input_schema: { type: 'object'; [more: string]: unknown };
  };
  /** The second argument of LangChain's `tool()`. */
  langchain: { name: string; description: string; schema: JsonSchema };
  /**
   * Runs what a model sent: `{ code }`, or the same as JSON text. What is wrong with it is an answer to the model; rejects
   * only for options of the wrong type.
   */
  call(
    input: unknown,
    options?: { signal?: AbortSignal; onLog?: (line: string) => void },
  ): Promise<CodeAnswer>;
}

/**
 * Makes one function out of many tools, for models that are called without the AI SDK.
 *
 * @example
 * const code = codeFunction({ tools });
 * const reply = await client.chat.completions.create({ model, messages, tools: [code.openai] });
 * for (const call of reply.choices[0].message.tool_calls ?? []) {
 *   const { text } = await code.call(call.function.arguments);
 *   messages.push({ role: 'tool', tool_call_id: call.id, content: text });
 * }
 */
export function codeFunction(options: CodeFunctionOptions): CodeFunction;
