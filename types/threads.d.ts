/**
 * isobox/threads: durable threads of Standard Agents. A runtime runs agents on threads over a store that survives the
 * process: messages, tool results, queues, files, variables and values. Needs the optional peer `lmdb` for a store in a
 * directory, or `pg` for one in PostgreSQL.
 *
 * @packageDocumentation
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

import type { RunCode } from './run-code.js';

/** A Zod schema (3 or 4), a Zod shape, or a JSON Schema. */
export type Schema = object;

/** Ends a session, or tells of it. As a string: the tool's name. */
export interface SessionBinding {
  name: string;
  /** The argument of the call that is the message for the parent. Default: the tool's result. */
  messageProperty?: string;
  /** The argument of the call that names files for the parent. */
  attachmentsProperty?: string;
}

/** One side of an agent, played by a prompt. */
export interface AgentSide {
  prompt: string;
  label?: string;
  /** Text without tool calls ends the turn. Default: true. */
  stopOnResponse?: boolean;
  /** A call of this tool ends the turn. */
  stopTool?: string;
  /** The argument of `stopTool` that becomes the message. Required with it. */
  stopToolResponseProperty?: string;
  /** Model requests of this side in one execution. */
  maxSteps?: number;
  sessionStop?: string | SessionBinding;
  sessionFail?: string | SessionBinding;
  sessionStatus?: string | SessionBinding;
  /** Subagents that this side may start and speak to, beside those of its prompt's tools. */
  subagents?: SubagentRelationship[];
}

/** A subagent of a side. It stays, and takes further messages. */
export interface SubagentRelationship {
  agent: string;
  /** What the side calls it. Default: the agent's name. */
  as?: string;
  /** The call waits for its result. Default: false. */
  blocking?: boolean;
  maxInstances?: number;
  parentCommunication?: 'implicit' | 'explicit';
  /** A variable that must be `true`, `1` or `yes`; else it is not there. */
  optional?: string;
  /** It starts before the first request of the side. */
  immediate?: ToolEntry['immediate'];
  /** Models are not told of it. Default: false. */
  hidden?: boolean;
}

/** An agent: one side with a human, or two sides that talk to each other. */
export interface AgentDefinition {
  name: string;
  /** Default: `dual_ai` when side B has a prompt, else `ai_human`. */
  type?: 'ai_human' | 'dual_ai';
  sideA: AgentSide;
  sideB?: AgentSide | { handler: string; label?: string } | { human: true; label?: string };
  /** Turns of both sides together, in one session. */
  maxSessionTurns?: number;
  /** May be listed among the tools of a prompt. Default: false. */
  exposeAsTool?: boolean;
  /** What models read of it, among tools. */
  toolDescription?: string;
  description?: string;
  icon?: string;
  title?: string;
  env?: Record<string, string>;
  /** Ids of hooks, for prompts that name none. */
  hooks?: string[];
  primary?: boolean;
  packageName?: string;
  version?: string;
  author?: string;
  license?: string;
}

/** A part of a prompt's text. */
export type PromptPart =
  | { type: 'text'; content: string }
  | { type: 'include'; prompt: string }
  | { type: 'env'; property: string }
  | { type: 'string'; value: string }
  | { type: 'prompt'; id: string }
  | { type: 'variable'; value: string };

/** A variable that a prompt or a tool needs. */
export interface VariableDefinition {
  name: string;
  /** Secrets never reach the text of a prompt. */
  type?: 'text' | 'secret';
  required?: boolean;
  /** Not inherited by subagents: each gets its own. */
  scoped?: boolean;
  description?: string;
}

/** An entry of a prompt's tools: the name of a tool, a prompt or an agent, and how it is used. */
export interface ToolEntry {
  name: string;
  env?: Record<string, string>;
  options?: Record<string, unknown>;
  /** A variable that must be `true`, `1` or `yes`; else the entry is not there. */
  optional?: string;
  /** Of a prompt. Default: true. */
  includeTextResponse?: boolean;
  /** Of a prompt. Default: true. */
  includeToolCalls?: boolean;
  /** Of a prompt. Default: true. */
  includeErrors?: boolean;
  /** The argument that is the first message. */
  initUserMessageProperty?: string;
  /** The argument that names the files of the first message. */
  initAttachmentsProperty?: string;
  /** The argument that is the child's name. */
  initAgentNameProperty?: string;
  /** Of a subagent: the call waits for its result. Default: true. */
  blocking?: boolean;
  /** Of a subagent: it stays, and takes further messages. */
  resumable?:
    | false
    | {
        receives_messages: 'side_a' | 'side_b';
        maxInstances?: number;
        parentCommunication?: 'implicit' | 'explicit';
      };
  /** Of a subagent: it starts before the first request of the prompt. */
  immediate?: boolean | { nameEnv?: string; descriptionEnv?: string; scopedEnv?: string[] };
}

/** What a model is asked with. */
export interface PromptDefinition {
  name: string;
  toolDescription: string;
  /** `{{name}}` stands for an argument of the thread, a handoff or a call. */
  prompt: string | PromptPart[];
  model: string;
  /** Messages from before the current turn are shown. Default: false. */
  includeChat?: boolean;
  /** With `includeChat`: so are the tool calls of these. Default: false. */
  includePastTools?: boolean;
  parallelToolCalls?: boolean;
  toolChoice?: 'auto' | 'none' | 'required';
  /** The arguments when it is called as a tool. */
  requiredSchema?: Schema;
  variables?: VariableDefinition[];
  tools?: (string | ToolEntry)[];
  env?: Record<string, string>;
  reasoning?: {
    effort?: 'low' | 'medium' | 'high';
    maxTokens?: number;
    exclude?: boolean;
    include?: boolean;
  };
  /** Images of older messages are named instead of shown. Default: 10. */
  recentImageThreshold?: number;
  providerOptions?: Record<string, unknown>;
  /** Ids of hooks; they take the place of the agent's. */
  hooks?: string[];
}

/** One call of a tool, as models make it. */
export interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; /** JSON text. */ arguments: string };
  extra_content?: unknown;
  queued_at?: number;
}

/** A message as a model gets it. */
export interface ModelMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content:
    | string
    | (
        | { type: 'text'; text: string }
        | { type: 'image'; mimeType: string; /** Base64. */ data: string }
      )[];
  tool_calls?: ToolCall[];
  tool_call_id?: string;
}

/** What a provider is asked. */
export interface ModelRequest {
  model: string;
  messages: ModelMessage[];
  tools?: { name: string; description: string; /** JSON Schema. */ parameters: any }[];
  toolChoice?: 'auto' | 'none' | 'required' | { name: string };
  parallelToolCalls?: boolean;
  reasoning?: PromptDefinition['reasoning'];
  providerOptions?: Record<string, any>;
  /** The thread's id. */
  user?: string;
  /** Aborts when the execution ends, or the answer stalls. */
  signal: AbortSignal;
}

export interface ModelUsage {
  promptTokens?: number;
  completionTokens?: number;
  totalTokens?: number;
  cachedTokens?: number;
  reasoningTokens?: number;
}

export interface ModelAnswer {
  content: string | null;
  toolCalls?: ToolCall[];
  finishReason: string;
  usage?: ModelUsage;
  reasoning?: string;
}

export type ModelChunk =
  | { type: 'content-delta'; delta: string }
  | { type: 'reasoning-delta'; delta: string }
  | { type: 'tool-call'; toolCall: ToolCall }
  | { type: 'finish'; finishReason: string; usage?: ModelUsage };

/**
 * Where models answer. Errors may have `retryAfter` (seconds), and `isRetryable: false` when a second attempt is useless.
 */
export interface ModelProvider {
  name: string;
  specificationVersion: '1';
  generate(request: ModelRequest): Promise<ModelAnswer>;
  /** Preferred when it is there. */
  stream?(request: ModelRequest): AsyncIterable<any> | Promise<AsyncIterable<any>>;
}

/** A language model of the AI SDK (`LanguageModelV2` or `V3` of `@ai-sdk/provider`), by its shape. */
export interface AiSdkLanguageModel {
  readonly modelId: string;
  readonly provider: string;
  doGenerate(options: any): PromiseLike<any>;
  doStream(options: any): PromiseLike<any>;
}

export interface ModelOptions {
  name: string;
  /** Models that are asked when this one fails, in order. */
  fallbacks?: string[];
  /** Per million tokens. */
  inputPrice?: number;
  outputPrice?: number;
  cachedPrice?: number;
  providerOptions?: Record<string, unknown>;
  capabilities?: {
    /** Default: false; images are named instead of shown. */
    supportsImages?: boolean;
    supportsToolCalls?: boolean;
    supportsStreaming?: boolean;
    supportsJsonMode?: boolean;
    maxContextTokens?: number;
    maxOutputTokens?: number;
    reasoningLevels?: object;
  };
}

/** A model: an id and the provider that has it, or a model of the AI SDK. */
export type ModelDefinition = ModelOptions &
  ({ provider: () => ModelProvider; model: string } | { model: AiSdkLanguageModel });

/** What a tool gives back. Anything else counts as the `result` of a success. */
export interface ToolResult {
  status: 'success' | 'error';
  result?: unknown;
  content?: { type: 'text'; text: string }[];
  error?: string;
  attachments?: (AttachmentRef | AttachmentData)[];
}

export interface AttachmentData {
  name: string;
  mimeType: string;
  /** Base64 text, or bytes. */
  data: string | ArrayBuffer | ArrayBufferView;
  width?: number;
  height?: number;
}

interface ToolCommon {
  description: string;
  args?: Schema | null;
  variables?: VariableDefinition[];
  /** The tools that this one may queue or invoke. Default: all. */
  uses?: string[];
}

/** A tool: a function of yours, or guest code that runs in an isolate of its own. */
export type ToolDefinition =
  | (ToolCommon & {
      executionMode?: 'local';
      /** `args` are given when there is a schema for them. */
      execute: (state: ThreadState, args: any) => unknown;
    })
  | (ToolCommon & {
      executionMode: 'isolate';
      /** A TypeScript module; its default export is called with the arguments. */
      source: string;
      /** Functions that the source sees by name; each gets the state ahead of what the guest passes. */
      functions?: Record<string, (state: ThreadState, ...args: any[]) => unknown>;
    });

export type HookName =
  | 'after_thread_created'
  | 'after_subagent_created'
  | 'after_system_message'
  | 'filter_messages'
  | 'prefilter_llm_history'
  | 'before_create_message'
  | 'after_create_message'
  | 'before_update_message'
  | 'after_update_message'
  | 'before_store_tool_result'
  | 'after_tool_call_success'
  | 'after_tool_call_failure';

export interface HookDefinition {
  hook: HookName;
  id: string;
  execute: (state: ThreadState, ...args: any[]) => unknown;
}

export interface EffectDefinition {
  description: string;
  schema?: Schema;
  execute: (state: ThreadState, args: any) => unknown;
}

/** A path of your own under each thread's. */
export interface EndpointDefinition {
  execute: (request: Request, state: ThreadState, params: Record<string, string>) => unknown;
}

export interface AttachmentRef {
  id: string;
  type: 'file';
  path: string;
  name: string;
  mimeType: string;
  size: number;
  width?: number;
  height?: number;
  description?: string;
}

/** A row of a thread. The role names its author: `assistant` is side A, `user` side B. */
export interface Message {
  id: string;
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | null;
  name?: string;
  /** JSON text of `ToolCall[]`. */
  tool_calls?: string;
  tool_call_id?: string;
  /** Microseconds since the epoch; no two rows of a thread have the same. */
  created_at: number;
  parent_id?: string | null;
  /** 0 at the top; 1 and more in prompts that were called as tools. */
  depth?: number;
  /** Left out of lists; the model sees it. */
  silent?: boolean;
  metadata?: Record<string, any> | null;
  status?: 'pending' | 'completed' | 'failed';
  tool_status?: 'success' | 'error';
  attachments?: AttachmentRef[];
  reasoning_content?: string;
  /** The prompt that wrote it. */
  prompt?: string;
}

/** A row of a thread's log: a model request, or another event, which `kind` names. */
export interface LogRow {
  id: string;
  kind: string | null;
  created_at: number;
  is_complete: boolean;
  message_id?: string;
  model?: string;
  model_name?: string;
  prompt_name?: string;
  request_body?: string;
  response_body?: string;
  system_prompt?: string;
  message_history_length?: number;
  tools_available?: string[];
  tools_called?: string[];
  tool_results?: {
    tool_call_id: string;
    tool_name: string;
    content: string;
    status: 'success' | 'error';
    timestamp: number;
    stack?: string;
  }[];
  input_tokens?: number;
  output_tokens?: number;
  cached_tokens?: number;
  reasoning_tokens?: number;
  total_tokens?: number;
  cost_total?: number;
  latency_ms?: number;
  time_to_first_token_ms?: number | null;
  finish_reason?: string;
  /** Of a row whose kind is `handler_execution`. */
  handler_name?: string;
  /** Why the execution ended, on its last row. */
  stopReasonCode?: string;
  error: string | null;
  error_type?: string;
  error_origin?: string;
  parent_log_id?: string | null;
  retry_of_log_id?: string;
}

export interface FileRecord {
  path: string;
  name: string;
  mimeType: string;
  storage: 'local';
  size: number;
  isDirectory: boolean;
  metadata?: unknown;
  width?: number;
  height?: number;
  createdAt: number;
}

/** A child of a thread. */
export interface SubagentRegistryEntry {
  /** The child thread's id. */
  reference: string;
  /** The agent. */
  name: string;
  title?: string;
  description: string;
  owner: 'a' | 'b';
  resumable: boolean;
  blocking: boolean;
  parentCommunication: 'implicit' | 'explicit';
  /** The name it was given. */
  threadName: string;
  initialArguments: Record<string, unknown>;
  createdAt: number;
  /** `running`, `idle`, `failed`, `terminated`, or a text of its own. */
  status: string;
}

export interface ScheduledEffect {
  id: string;
  name: string;
  args: any;
  /** Microseconds. */
  scheduledAt: number;
  createdAt: number;
}

/** The execution of a thread, while there is one. */
export interface ExecutionState {
  readonly flowId: string;
  readonly currentSide: 'a' | 'b';
  readonly stepCount: number;
  readonly sideAStepCount: number;
  readonly sideBStepCount: number;
  readonly stopped: boolean;
  readonly stoppedBy?: string | undefined;
  readonly messageHistory: ModelMessage[];
  readonly promptPath: string[];
  /** The call that is being answered. The same after a crash: an idempotency key. */
  readonly toolCallId: string | null;
  readonly abortSignal: AbortSignal;
  /** That side plays next, whatever the stop conditions say. */
  forceTurn(side: 'a' | 'b'): void;
  /** Ends the execution after the current operation. */
  stop(): void;
}

export interface MessageList {
  messages: Message[];
  total: number;
  hasMore: boolean;
}

/** What tools, hooks, effects and callers hold of a thread. */
export interface ThreadState {
  readonly threadId: string;
  readonly agentId: string;
  readonly userId: string | null;
  /** Microseconds. */
  readonly createdAt: number;
  readonly children: SubagentRegistryEntry[];
  /** Microseconds, or null. */
  readonly terminated: number | null;
  readonly arguments: Record<string, any>;
  /** Null at rest. */
  readonly execution: ExecutionState | null;
  /** In memory, for one execution. */
  context: Record<string, any>;

  /** The newest `limit` (100), oldest first; queued ones are `pending`. */
  getMessages(options?: {
    limit?: number;
    offset?: number;
    order?: 'asc' | 'desc';
    includeSilent?: boolean;
    maxDepth?: number;
  }): Promise<MessageList>;
  getMessage(id: string): Promise<Message | null>;
  /** Adds a row; starts nothing. */
  injectMessage(message: {
    role: 'system' | 'user' | 'assistant';
    content: string;
    silent?: boolean;
    metadata?: Record<string, any>;
    attachments?: (string | AttachmentRef | AttachmentData)[];
  }): Promise<Message>;
  updateMessage(
    id: string,
    updates: { content?: string; silent?: boolean; metadata?: Record<string, any> },
  ): Promise<Message>;
  deleteMessage(id: string): Promise<boolean>;
  /** Durable when resolved; goes into the history before the next request, and starts the thread when it is at rest. */
  queueMessage(message: {
    role: 'user' | 'assistant';
    content: string;
    silent?: boolean;
    metadata?: Record<string, any>;
    attachments?: (string | AttachmentRef | AttachmentData)[];
  }): Promise<{ id: string }>;
  /** Durable when resolved. */
  queueTool(name: string, args?: object): Promise<{ id: string }>;
  /** Runs a function tool now; nothing is stored. */
  invokeTool(name: string, args?: object): Promise<ToolResult>;
  runAgent(name: string): Promise<void>;
  loadAgent(name: string): Promise<AgentDefinition>;
  loadPrompt(name: string): Promise<PromptDefinition>;
  loadModel(name: string): Promise<ModelDefinition>;
  getAgentNames(): Promise<string[]>;
  getPromptNames(): Promise<string[]>;
  getModelNames(): Promise<string[]>;
  runCode: RunCode;

  /** Null when there is none. */
  getValue(key: string): Promise<any>;
  /** Durable when resolved. Null and undefined delete the key. */
  setValue(key: string, value: unknown): Promise<void>;
  /** Rejects when it is not set. */
  env(name: string): Promise<string>;
  envType(name: string): Promise<'text' | 'secret'>;
  setEnv(name: string, value: string, options?: { type?: 'text' | 'secret' }): Promise<void>;

  notifyParent(text: string): Promise<void>;
  setStatus(text: string): Promise<void>;
  /** Only while executing. */
  stopSession(end?: { result?: string; notifyParent?: boolean; status?: string }): void;
  getChildThread(reference: string): Promise<ThreadState | null>;
  getParentThread(): Promise<ThreadState | null>;

  writeFile(
    path: string,
    data: string | ArrayBuffer | ArrayBufferView,
    mimeType?: string,
    options?: { metadata?: unknown; width?: number; height?: number },
  ): Promise<FileRecord>;
  readFile(path: string): Promise<ArrayBuffer | null>;
  readFileStream(
    path: string,
  ): AsyncIterable<{ data: ArrayBuffer; index: number; totalChunks: number; isLast: boolean }>;
  statFile(path: string): Promise<FileRecord | null>;
  readdirFile(path?: string): Promise<{ entries: FileRecord[] }>;
  unlinkFile(path: string): Promise<boolean>;
  mkdirFile(path: string): Promise<FileRecord>;
  /** Only when it is empty. */
  rmdirFile(path: string): Promise<boolean>;
  moveFile(from: string, to: string): Promise<FileRecord>;
  getFileStats(): Promise<{ fileCount: number; directoryCount: number; totalSize: number }>;
  grepFiles(text: string): Promise<{ path: string; matches: string[] }[]>;
  findFiles(glob: string): Promise<{ paths: string[] }>;

  scheduleEffect(name: string, args?: unknown, delayMs?: number): Promise<string>;
  getScheduledEffects(name?: string): Promise<ScheduledEffect[]>;
  removeScheduledEffect(id: string): Promise<boolean>;
  getLogs(options?: { limit?: number; offset?: number; order?: 'asc' | 'desc' }): Promise<LogRow[]>;
  /** For those who follow the thread now; not durable. */
  emit(event: string, data?: unknown): void;
  /** Soft and final: the thread can be read, and does nothing any more. */
  terminate(): Promise<void>;
}

/** Code that plays side B of an agent. */
export interface HandlerDefinition {
  /**
   * Gets the last message of side A, at most once. Its text becomes the message of side B; with none the execution ends as
   * `handler_idle`.
   */
  execute(state: ThreadState, message: Message | null): HandlerAnswer | Promise<HandlerAnswer>;
}
export type HandlerAnswer = string | { content?: string | null } | null | undefined | void;

export interface ThreadRuntimeOptions {
  /** A directory, or the address of a PostgreSQL database: `postgres://…`. */
  store: string;
  agents?: AgentDefinition[];
  prompts?: PromptDefinition[];
  models?: ModelDefinition[];
  hooks?: HookDefinition[];
  /** By name. */
  tools?: Record<string, ToolDefinition>;
  /** By name. */
  effects?: Record<string, EffectDefinition>;
  /** By name. */
  handlers?: Record<string, HandlerDefinition>;
  /** By method and path under a thread: `'GET /reports/:id'`. */
  endpoints?: Record<string, EndpointDefinition>;
  limits?: ThreadLimits;
  /** 32 bytes, or their base64 or hexadecimal text. Default: a key that the store directory keeps beside it. */
  encryptionKey?: string | Uint8Array;
  /** Where code of `state.runCode` runs: on threads, or in processes that the kernel locks in (Linux). Default: `thread`. */
  host?: 'thread' | 'process';
}

export interface ThreadLimits {
  /** How long a thread stays with a process that gives no sign of life. Default: 10,000. */
  leaseMs?: number;
  /** How often work is looked for that another process has left. Default: 2,000. */
  pollMs?: number;
  /** Threads that this process runs at once. Default: 1,000. */
  activeThreads?: number;
  /** Model requests of one execution, unless a side allows more. Default: 250. */
  stepsPerExecution?: number;
  /** From a request to the first chunk; five times that for a provider that does not stream. Default: 120,000. */
  firstChunkMs?: number;
  /** Between chunks. Default: 45,000. */
  stallMs?: number;
  /** Before the second attempt. Default: 1,000. */
  retryDelayMs?: number;
}

/** A subagent that waits for variables. */
export interface VariableRequest {
  request_id: string;
  endpoint: string;
  required: { name: string; type?: 'text' | 'secret'; description?: string }[];
  missing: string[];
  agent: string;
  status: 'pending';
}

export interface VariableRequests {
  /** Null when there is none, or it is done. */
  get(request: string): Promise<VariableRequest | null>;
  /** Starts the subagent with these values, which nobody else gets. Rejects while some are missing. */
  complete(
    request: string,
    env: Record<string, string>,
  ): Promise<{ request_id: string; child_thread_id: string; status: 'success' }>;
}

/** A listener for `http.createServer`. */
export interface ThreadHandler {
  (request: IncomingMessage, response: ServerResponse): void;
  /** For the server's `upgrade` event: the stream of a thread over a WebSocket. Needs the optional peer `ws`. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Threads over a store. */
export interface ThreadRuntime extends AsyncDisposable {
  createThread(options: {
    agent: string;
    env?: Record<string, string>;
    envTypes?: Record<string, 'text' | 'secret'>;
    /** For the prompt's text, and as `state.arguments`. */
    arguments?: Record<string, unknown>;
    userId?: string | null;
    tags?: string[];
    properties?: Record<string, unknown>;
  }): Promise<ThreadState>;
  /** Null when there is none. */
  thread(id: string): Promise<ThreadState | null>;
  /** Resolved when the message is durable. Starts the thread, or queues behind what it does. */
  send(
    id: string,
    message: {
      content: string;
      /** Default: `'user'`, which side A answers. */
      role?: 'user' | 'assistant';
      attachments?: (string | AttachmentRef | AttachmentData)[];
      silent?: boolean;
      metadata?: Record<string, any>;
    },
  ): Promise<{ messageId: string }>;
  /** Ends what the thread does; what is queued waits for the next user message or `continue`. */
  stop(id: string): Promise<void>;
  /** Goes on after a stop. */
  continue(id: string, side?: 'a' | 'b'): Promise<void>;
  /** Deletes a thread with all it has, its children first. False when there is none. */
  deleteThread(id: string): Promise<boolean>;
  /** The subagents of a thread that wait for variables: section 7.5. */
  variableRequests(id: string): VariableRequests;
  /** Resolved when the thread, or every thread that this process runs, is at rest with its children. */
  idle(id?: string): Promise<void>;
  /**
   * Threads over HTTP, with and without `/api` in front.
   *
   * @param options `tokens`: those that may see everything, or an object that says for which user a token stands; a
   *   user's token sees that user's threads. `page`: `/` is a page that shows threads in a browser. Default: false.
   */
  handler(options: {
    tokens: string[] | Record<string, { user?: string }>;
    page?: boolean;
  }): ThreadHandler;
  /** Ends cleanly: what is under way is taken up by the next runtime. */
  close(): Promise<void>;
}

/**
 * Opens a store, takes up what was left undone, and runs threads. Throws when a definition is not valid, with the path
 * of every bad field.
 *
 * @example
 * const runtime = await createThreadRuntime({ store: './threads', agents, prompts, models, tools });
 * const thread = await runtime.createThread({ agent: 'support' });
 * await runtime.send(thread.threadId, { content: 'Hello' });
 * await runtime.idle(thread.threadId);
 */
export function createThreadRuntime(options: ThreadRuntimeOptions): Promise<ThreadRuntime>;

/** Checks an agent and gives it back, frozen. */
export function defineAgent(agent: AgentDefinition): AgentDefinition;
/** Checks a prompt and gives it back, frozen. */
export function definePrompt(prompt: PromptDefinition): PromptDefinition;
/** Checks a model and gives it back, frozen. */
export function defineModel(model: ModelDefinition): ModelDefinition;
/** Checks a tool and gives it back, frozen. */
export function defineTool(tool: ToolDefinition): ToolDefinition;
/** Checks a hook and gives it back, frozen. */
export function defineHook(hook: HookDefinition): HookDefinition;
/** Makes an effect: work for a later time. */
export function defineEffect(
  description: string,
  handler: (state: ThreadState, args: any) => unknown,
): EffectDefinition;
export function defineEffect(
  description: string,
  schema: Schema | undefined,
  handler: (state: ThreadState, args: any) => unknown,
): EffectDefinition;
/** Checks a handler and gives it back, frozen. */
export function defineHandler(handler: HandlerDefinition): HandlerDefinition;
/**
 * Makes an endpoint of your own under each thread's path. `handler` gets the web's `Request`, the thread (its `execution`
 * is null) and what the placeholders of the path stand for. It gives a `Response`, or a value that is sent as JSON.
 */
export function defineThreadEndpoint(handler: EndpointDefinition['execute']): EndpointDefinition;
