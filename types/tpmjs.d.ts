/**
 * isobox/tpmjs: an executor of the TPMJS protocol, which runs tools of npm packages. Needs the packages `esbuild` and
 * `npm-package-arg`, and npm's own command.
 *
 * @packageDocumentation
 */

import type { IncomingMessage, ServerResponse } from 'node:http';

import type { PoolOptions } from './index.js';

/** A version of the protocol. */
export type ProtocolVersion = '1.0' | '1.1';

/** Times in milliseconds, sizes in bytes. */
export interface ExecutorLimits {
  /** For npm to install a package, and again for the bundler. Default: 60,000. */
  installTimeoutMs?: number;
  /** For the tool. Default: 120,000. */
  executionTimeoutMs?: number;
  /** For a request in all. Default: 180,000. */
  requestTimeoutMs?: number;
  /** For the body of a request to arrive. Default: 30,000. */
  bodyTimeoutMs?: number;
  /** Of the body of a request. Default: 10 MiB. */
  maxBodyBytes?: number;
  /** Of what a tool returns, as JSON. Default: 4 MiB. */
  maxOutputBytes?: number;
  /** Of a package with all it depends on, installed. Default: 512 MiB. */
  maxPackageBytes?: number;
  /** Of all packages that are kept. Default: 4 GiB. */
  maxCacheBytes?: number;
  /** Packages that nobody used for this long are removed. Default: 30 days. */
  maxCacheAgeMs?: number;
  /** For how long a tag or a range stands for the version it was found to be. Default: 60,000. */
  tagTtlMs?: number;
  /** Of a tool in an isolate. Default: 128 MiB. */
  memoryBytes?: number;
  /** Of a tool in a process. Default: 512 MiB. */
  processMemoryBytes?: number;
  /** Requests that are served at once; one more is answered 429. Default: 64. */
  concurrency?: number;
  /** Requests in one batch. Default: 32. */
  maxBatch?: number;
}

export interface ExecutorOptions extends ExecutorLimits {
  /** What requests must bring as `Authorization: Bearer <key>`. Default: the environment's `EXECUTOR_API_KEY`; without one, all may ask. */
  apiKey?: string;
  /** Whether the key guards `/health` too. Default: false. */
  guardHealth?: boolean;
  /** The version for requests that name none. Default: `'1.0'`. */
  protocol?: ProtocolVersion;
  /** Where packages are kept. Default: `isobox/tpmjs` in the user's cache directory. */
  cacheDir?: string;
  /** npm's command. Default: `npm`, by the PATH. */
  npm?: string;
  /** A file of npm's configuration, beside the user's own. Default: `.npmrc` in the current directory, where there is one. */
  npmrc?: string;
  /** Refuses packages that need a process of their own. Default: false. */
  isolateOnly?: boolean;
  /** What Node's permission model gives to tools in processes. Each of them lets a tool out of it. Default: nothing. */
  allow?: ('addons' | 'child-process' | 'worker')[];
  /** Whether webhooks, and `fetch` of tools in isolates, may go to addresses that are not public. Default: false. */
  allowPrivateAddresses?: boolean;
  /** The name in `/info`. Default: `'isobox'`. */
  name?: string;
  /** The region in `/info`. */
  region?: string;
  /** A prefix of all paths, where the executor is mounted beside others. Default: none. */
  basePath?: string;
  /** Options of the pool whose isolates run tools. */
  pool?: PoolOptions;
}

export interface TpmjsExecutor extends AsyncDisposable {
  /** For `http.createServer`, Express, and what else takes a listener of `node:http`. */
  handler(request: IncomingMessage, response: ServerResponse): void;
  /** For Hono, and what else takes a function from `Request` to `Response`. */
  fetch(request: Request): Promise<Response>;
  /** Accepts nothing more, and resolves when all that was accepted is answered. Idempotent. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Makes an executor. Throws for options that are wrong, and when a package it needs is missing.
 *
 * @example
 * const executor = createExecutor({ cacheDir: './packages' });
 * http.createServer(executor.handler).listen(3000);
 */
export function createExecutor(options?: ExecutorOptions): TpmjsExecutor;

export interface CheckOptions {
  /** The executor's key, if it has one. */
  apiKey?: string;
  /** The version to speak. Default: `'1.0'`. */
  protocol?: ProtocolVersion;
}

export interface ComplianceTest {
  level: 'core' | 'standard';
  name: string;
  ok: boolean;
  /** Why it failed. */
  reason?: string;
}

export interface ComplianceReport {
  target: string;
  tests: ComplianceTest[];
  core: 'PASS' | 'FAIL';
  standard: 'PASS' | 'PARTIAL' | 'FAIL';
  /** All of it, for people. */
  text: string;
}

/** Tests any executor over HTTP, with `@tpmjs/tools-template-render` as its tool. Never rejects for what the executor does. */
export function checkExecutor(url: string, options?: CheckOptions): Promise<ComplianceReport>;
