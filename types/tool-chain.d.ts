/**
 * isobox/tool-chain: `call_tool_chain`, code and calls over any number of MCP servers. Needs the optional peer
 * `@modelcontextprotocol/sdk`.
 *
 * @packageDocumentation
 */

import type { McpClient, McpServerLike, McpTransport } from './mcp.js';

/** A program that is started and talks MCP on its standard streams. */
export interface ProgramBackend {
  command: string;
  args?: string[];
  env?: Record<string, string>;
  cwd?: string;
}

/** A server that is reached by streamable HTTP. */
export interface AddressBackend {
  url: string;
  headers?: Record<string, string>;
}

export interface BackendLimits {
  /** Milliseconds for one call. Default: none but the request's own. */
  timeout?: number;
  /** Calls under way at once; further ones wait. Default: 64. */
  max_concurrent_calls?: number;
}

/**
 * Where the tools of a backend come from. Programs and addresses are connected again when they are lost; a client or
 * server of the caller's is connected once, and a client stays the caller's.
 */
export type ToolChainBackend = BackendLimits &
  (ProgramBackend | AddressBackend | { client: McpClient } | { server: McpServerLike });

/** What is shown of large outputs. */
export interface OutputConfig {
  /** Replaces JSON above the threshold by a summary. Default: true. */
  auto_chunk_json?: boolean;
  /** Keeps the first 60 % and the last 40 % of what is too long, instead of its beginning. Default: true. */
  smart_truncation?: boolean;
  /** Bytes. Default: 10,240. */
  chunk_threshold?: number;
}

/** Limits of requests; the first two are defaults for what a request may set itself. */
export interface SandboxConfig {
  /** Milliseconds, in every tier and with the wait for a place. Default: 30,000. */
  timeout?: number;
  /** Bytes of an answer's text, marks aside. Default: 200,000. */
  max_output_size?: number;
  /** Isolates under way at once. Default: 8. */
  max_concurrent_sandboxes?: number;
  /** Bytes of V8 heap and ArrayBuffers. Default: 50 MiB. */
  max_heap_size?: number;
}

/** A call that needs somebody's consent. */
export interface ApprovalRequest {
  backend: string;
  tool: string;
  input: Record<string, unknown>;
  annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean; openWorldHint?: boolean };
}

/** True is consent; anything else, and a rejection, is none. The signal aborts when the request has ended. */
export type AskForApproval = (
  request: ApprovalRequest,
  context: { signal: AbortSignal },
) => boolean | Promise<boolean>;

/** Which calls need consent, and who is asked where the context of a request does not say. */
export interface ApprovalOptions {
  /** `backend.tool`, `backend.*`, or a tool's name alone. */
  tools?: string[];
  /** Tools with one of these annotations. */
  annotations?: ('destructiveHint' | 'openWorldHint')[];
  /** A call that it throws for is refused. */
  isNeeded?: (request: ApprovalRequest) => boolean | Promise<boolean>;
  ask?: AskForApproval;
}

/** What is used of an OpenTelemetry `Span`. */
export interface ToolChainSpan {
  setAttribute(key: string, value: string | number | boolean): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

/** What is used of an OpenTelemetry `Tracer`. */
export interface ToolChainTracer {
  startActiveSpan<T>(
    name: string,
    options: { attributes: Record<string, string | number | boolean> },
    act: (span: ToolChainSpan) => Promise<T>,
  ): Promise<T>;
}

export interface ToolChainOptions {
  /** By name; in the form of `mcpServers`. */
  backends: Record<string, ToolChainBackend>;
  /**
   * A file for what programs and addresses tell of their tools: the next chain lists and declares them from it before they
   * are connected. It is read when the chain is opened, and written whenever a catalogue has changed. Default: none.
   */
  cache?: string | false;
  output?: OutputConfig;
  sandbox?: SandboxConfig;
  /** Where code runs: on threads, or in processes that the kernel locks in (Linux). Default: `thread`. */
  host?: 'thread' | 'process';
  approval?: ApprovalOptions;
  /** Gets a span for each request and, below it, one for each call. */
  tracer?: ToolChainTracer;
  /** Told what people should know: a backend that cannot be reached, or was lost. */
  onWarning?: (message: string) => void;
}

export interface ToolChainRequest {
  /** A call as JSON, or JavaScript or TypeScript. */
  code: string;
  /** Milliseconds. Default: `sandbox.timeout`. */
  timeout?: number;
  /** Bytes. Default: `sandbox.max_output_size`. */
  max_output_size?: number;
  /** Of an output above 5,000 bytes, only sections that have to do with it are shown. */
  intent?: string;
}

/** What one request has done so far. */
export interface ToolChainProgress {
  callsDone: number;
  /** `backend.tool`; none before the first has ended. */
  lastCall?: string;
  /** `backend.tool` for whose call somebody has just been asked. */
  waitingFor?: string;
}

export interface ToolChainContext {
  /** Cancels the request and its open calls. */
  signal?: AbortSignal;
  /** Called behind every call of a tool, and when somebody is asked for consent. */
  onProgress?: (progress: ToolChainProgress) => void;
  /** Asked for consent in the place of `approval.ask`. */
  ask?: AskForApproval;
}

/** `direct`: a call as JSON. `call`: code that is one call. `introspection`: of interfaces. `isolate`: code that was run. */
export type ToolChainTier = 'direct' | 'call' | 'introspection' | 'isolate';

export interface ToolChainAnswer {
  /** The text first; behind it images, audio and resources that were in the result. */
  content: { type: string; [key: string]: unknown }[];
  isError: boolean;
  tier: ToolChainTier;
  /** Where the whole output is, when something was left out of it. */
  resultUri?: string;
}

export interface SearchToolsRequest {
  /** Without a word in it, everything is found. */
  task_description: string;
  /** Default: 10. */
  limit?: number;
  /** Without schemas and declarations. Default: true. */
  brief?: boolean;
}

export interface ToolInfoRequest {
  /** `backend.tool`, or the name of a tool alone. */
  tool_name: string;
  /** Default: `'full'`. */
  detail?: 'brief' | 'full';
}

export interface ListToolsRequest {
  /** `next_cursor` of the page before. */
  cursor?: string;
  /** Default: 50. */
  page_size?: number;
}

export interface ToolView {
  /** `backend.tool`, as their servers call them. */
  name: string;
  /** How code calls it. */
  call: string;
  description: string;
  input_schema?: object;
  output_schema?: object;
  annotations?: object;
  /** Its TypeScript declaration. */
  types?: string;
}

export interface ToolViews {
  total: number;
  /** The best first, in a search. */
  tools: ToolView[];
  /** Of a list that goes on. */
  next_cursor?: string;
}

export interface ToolChainResource {
  uri: string;
  name: string;
  description: string;
  mimeType: string;
}

/** Made by `createToolChain`. */
export interface ToolChain extends AsyncDisposable {
  /** Resolves when every backend has been tried once. Nothing needs to wait for it. */
  ready(): Promise<void>;
  /**
   * Answers a request by the cheapest way. Failures of code, tools and backends are answers with `isError`; rejects for a
   * malformed request alone.
   */
  callToolChain(request: ToolChainRequest, context?: ToolChainContext): Promise<ToolChainAnswer>;
  /** Finds tools by words, in spite of typing errors. */
  searchTools(request: SearchToolsRequest): Promise<ToolViews>;
  /** Rejects unless the name stands for one tool. */
  toolInfo(request: ToolInfoRequest): Promise<ToolView>;
  listToolsMeta(request?: ListToolsRequest): Promise<ToolViews>;
  /** `isobox://backends`, each `isobox://backend/<name>`, `isobox://stats`, and the outputs that are kept. */
  listResources(): ToolChainResource[];
  /** Rejects for what is not there. */
  readResource(uri: string): Promise<{ uri: string; mimeType: string; text: string }>;
  /** Ends every request, backend and isolate. Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens a tool chain. Its backends connect in the background, each for itself. Throws for malformed options.
 *
 * @example
 * const chain = createToolChain({ backends: { files: { command: 'mcp-server-filesystem', args: ['.'] } } });
 * const answer = await chain.callToolChain({ code: 'return await files.list_directory({ path: "." })' });
 * await chain.close();
 */
export function createToolChain(options: ToolChainOptions): ToolChain;

/** What `toolChainMcpServer` gives: a `Server` of the SDK. */
export interface ToolChainServer extends McpServerLike {
  connect(transport: McpTransport): Promise<void>;
  /** Ends the connection; the tool chain stays open. */
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

/**
 * Serves a tool chain as an MCP server with the tools `call_tool_chain`, `search_tools`, `tool_info` and
 * `list_tools_meta`, and its resources. Cancelling a request ends its run and open calls; a client that wants progress
 * hears of calls; consent is asked for by elicitation where the client has it. Closing the server leaves the chain open.
 *
 * @example
 * const server = toolChainMcpServer(chain);
 * await server.connect(new StdioServerTransport());
 */
export function toolChainMcpServer(chain: ToolChain): ToolChainServer;
