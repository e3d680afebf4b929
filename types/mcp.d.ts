/**
 * isobox/mcp: tools of MCP servers for guest code, and code execution as an MCP server. Needs the optional peer
 * `@modelcontextprotocol/sdk`.
 *
 * @packageDocumentation
 */

import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';

import type { Executor, JsonSchema, ResolvedToolProvider } from './execbox.js';

// The SDK has other classes for `import` than for `require`, which TypeScript keeps apart. What is taken of them is said
// by shape, so both fit; what is given is the class of the importer (mcp.d.mts has the other one).

/** A transport of the SDK. */
export interface McpTransport {
  start(): Promise<void>;
  send(message: any, options?: any): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: any, extra?: any) => void) | undefined;
  sessionId?: string | undefined;
  setProtocolVersion?: ((version: string) => void) | undefined;
}

/** The SDK's `Client`, connected. It stays the caller's: nothing here closes it. */
export interface McpClient {
  request(request: any, resultSchema: any, options?: any): Promise<any>;
  callTool(params: any, resultSchema?: any, options?: any): Promise<any>;
  getServerCapabilities(): { tools?: object } | undefined;
  getServerVersion(): McpImplementation | undefined;
  get transport(): McpTransport | undefined;
}

/** The SDK's `McpServer` or `Server`. */
export interface McpServerLike {
  connect(transport: any): Promise<void>;
  close(): Promise<void>;
}

/** Name and version, as MCP's handshake tells them. */
export interface McpImplementation {
  name: string;
  version: string;
  title?: string | undefined;
}

/**
 * Where tools come from: a connected client, or a server that is not connected yet and gets a connection in memory. By
 * itself, or as execbox takes it.
 */
export type McpToolSource = McpClient | McpServerLike | McpToolClientSource | McpToolServerSource;

/** A client, and how its server introduces itself. Default: what it said when the client connected. */
export interface McpToolClientSource {
  client: McpClient;
  serverInfo?: McpImplementation;
}

/** A server, and how it introduces itself. Default: it does not. */
export interface McpToolServerSource {
  server: McpServerLike;
  serverInfo?: McpImplementation;
}

/** How the server of a source introduces itself, if that is known. */
export function getMcpToolSourceServerInfo(source: McpToolSource): McpImplementation | undefined;

export interface McpToolProviderOptions {
  /** The guest's global for the tools. Default: `'mcp'`. */
  namespace?: string;
  /** How a server that is connected here sees its client. Default: isobox and its version. */
  clientInfo?: McpImplementation;
  /**
   * What a tool gives to the guest. `envelope` (default): the whole result of the call, as in execbox, with `isError` where
   * the tool failed. `value`: the structured content; without one the text; the content blocks when not all of them are
   * text; a tool that failed throws.
   */
  results?: 'value' | 'envelope';
}

/** A provider for executors, and the end of its connection. */
export interface McpToolProvider extends ResolvedToolProvider, AsyncDisposable {
  /** Closes the connection if it was made here; does nothing to a caller's client. */
  close(): Promise<void>;
}

/** What execbox calls a handle. */
export interface McpToolProviderHandle {
  provider: McpToolProvider;
  /** How the server introduces itself, if that is known. */
  serverInfo?: McpImplementation;
  close(): Promise<void>;
}

/**
 * Makes the tools of an MCP server callable by guest code: all pages of its list, under safe names, with its schemas
 * checked on both sides of a call as far as they can be compiled. The catalogue is that of the moment. An upstream that
 * is gone is a `tool_error`; so is a tool that answers `isError`, under `results: 'value'`. When an execution ends, its
 * open calls are cancelled upstream. Rejects when the source is none, is not connected, or does not list its tools.
 *
 * @example
 * const docs = await createMcpToolProvider(client, { namespace: 'docs', results: 'value' });
 * const result = await executor.execute('(await docs.search({ query: "isolates" })).hits.length', [docs]);
 */
export function createMcpToolProvider(
  source: McpToolSource,
  options?: McpToolProviderOptions,
): Promise<McpToolProvider>;

/** The same in execbox's words: the provider, and apart from it what ends its connection. */
export function openMcpToolProvider(
  source: McpToolSource,
  options?: McpToolProviderOptions,
): Promise<McpToolProviderHandle>;

/** One of several upstreams. Its namespace is its name, made an identifier. */
export type McpUpstream = { name: string } & ({ client: McpClient } | { server: McpServerLike });

export interface CodeMcpServerOptions extends McpToolProviderOptions {
  /** Runs the code. It stays the caller's: closing the server does not dispose of it. */
  executor: Executor;
  /** How clients see the server. Default: as the one upstream introduces itself, if that is known; else as isobox. */
  serverInfo?: McpImplementation;
  /** What clients tell their models about the server. Default: how its tools are used. */
  instructions?: string;
  /**
   * Told of each of several upstreams whose tools cannot be listed; the server does without it. Without this function, and
   * when none is left, such an upstream is an error.
   */
  onUpstreamError?: (error: Error) => void;
  /** `split`: search and execute. `single`: the one that does both. `both` (default): all three. */
  mode?: 'both' | 'single' | 'split';
  /** Default: `mcp_search_tools`, `mcp_execute_code`, `mcp_code`. */
  names?: { search?: string; execute?: string; single?: string };
  /**
   * UTF-16 units of each text in an answer, with the note that it was cut; structured content is never cut. Default:
   * 24,000.
   */
  maxTextChars?: number;
  /**
   * Of an execution as JSON, with its logs. A larger one is a `serialization_error`, because a message that is too large
   * for a client's transport would end the connection. Default: 8 MiB.
   */
  maxAnswerBytes?: number;
}

/** The structured content of a search. */
export interface CatalogueSearch {
  /** How many tools were found, of which `tools` are the best. */
  total: number;
  tools: {
    namespace: string;
    safeName: string;
    originalName: string;
    description?: string;
    inputSchema?: JsonSchema;
    outputSchema?: JsonSchema;
  }[];
  /** TypeScript declarations of these tools. */
  types: string;
  /** That of all tools, where there is one upstream; so are the next two. With several, each tool has its own. */
  namespace?: string;
  /** Of every tool, found or not. */
  originalToSafeName?: Record<string, string>;
  safeToOriginalName?: Record<string, string>;
}

/**
 * A server with three tools in the place of all those of its upstreams: one searches the catalogue, one executes code
 * that calls the tools, one does both. An execution's structured content is the executor's result; a failed one is
 * `isError` as well. Cancelling a request ends its execution and the calls it has open. It is an `McpServer` of the SDK,
 * to which more can be registered; its `close()` also ends the connections that were made here. Rejects when an upstream
 * cannot be used, and then leaves none of them open.
 *
 * @example
 * const server = await codeMcpServer(client, { executor: new IsolateExecutor() });
 * await server.connect(new StdioServerTransport());
 */
export function codeMcpServer(
  upstream: McpToolSource | McpUpstream[],
  options: CodeMcpServerOptions,
): Promise<McpServer>;
