'use strict';
// The compliance test of the protocol, against any executor: only by what it answers over HTTP.

const { KINDS } = require('../base/failures.js');
const { VERSIONS } = require('../serve/versions.js');
const { checkChoice, checkRecord, checkString, isRecord } = require('../../checks/options.js');

/** A pure tool that the registry has. */
const FIXTURE = Object.freeze({
  packageName: '@tpmjs/tools-template-render',
  name: 'templateRenderTool',
  version: '0.1.0',
  params: { template: 'Hello, {{name}}!', data: { name: 'World' } },
});
const UNKNOWN = Object.freeze({
  packageName: '@tpmjs/nonexistent-package-12345',
  name: 'nothing',
  version: '0.0.0',
  params: {},
});
const ISOLATION = ['none', 'process', 'container', 'vm'];
const CAPABILITIES = ['isolation', 'executionModes', 'maxExecutionTimeMs', 'maxRequestBodyBytes'];
/** What an execution may take by the protocol's recommendation. */
const REQUEST_MS = 180_000;

/** @typedef {import('../../../types/tpmjs.js').ComplianceTest} Test */
/** @typedef {{ status: number, headers: Headers, body: any }} Reply */

class Client {
  #base;
  #apiKey;
  #version;

  /**
   * @param {string} base
   * @param {string | undefined} apiKey
   * @param {string} version
   */
  constructor(base, apiKey, version) {
    this.#base = base.replace(/\/+$/, '');
    this.#apiKey = apiKey;
    this.#version = version;
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {{ body?: object, isAnonymous?: boolean, timeoutMs?: number }} [how]
   * @returns {Promise<Reply>}
   */
  async ask(method, path, { body, isAnonymous = false, timeoutMs = REQUEST_MS } = {}) {
    const response = await fetch(this.#base + path, {
      method,
      headers: {
        'x-tpmjs-protocol-version': this.#version,
        ...(body && { 'content-type': 'application/json' }),
        ...(this.#apiKey && !isAnonymous && { authorization: `Bearer ${this.#apiKey}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: readJson(text) };
  }
}

/** @param {string} text */
function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * @param {string} url
 * @param {import('../../../types/tpmjs.js').CheckOptions} [given]
 * @returns {Promise<import('../../../types/tpmjs.js').ComplianceReport>}
 */
async function checkExecutor(url, given) {
  checkString(url, 'url');
  const options = checkRecord(given, 'options', ['apiKey', 'protocol']);
  const version = checkChoice(options.protocol ?? '1.0', 'options.protocol', VERSIONS);
  const client = new Client(url, options.apiKey, version);
  /** @type {Test[]} */
  const tests = [];
  const run = async (/** @type {Test['level']} */ level, /** @type {Checks} */ checks) => {
    for (const [name, check] of checks) tests.push({ level, ...(await outcome(name, check)) });
  };
  await run('core', coreChecks(client, version));
  await run('standard', standardChecks(client, version, options.apiKey));
  const resultsOf = (/** @type {Test['level']} */ level) =>
    tests.filter((one) => one.level === level).map(({ ok }) => ok);
  const core = resultsOf('core').every(Boolean) ? 'PASS' : 'FAIL';
  const standard = resultsOf('standard');
  const someOf = standard.some(Boolean) ? 'PARTIAL' : 'FAIL';
  const report = {
    target: url,
    tests,
    core: /** @type {'PASS' | 'FAIL'} */ (core),
    standard: /** @type {'PASS' | 'PARTIAL' | 'FAIL'} */ (
      standard.every(Boolean) ? 'PASS' : someOf
    ),
  };
  return { ...report, text: textOf(report, version) };
}

/** @typedef {[name: string, check: () => Promise<void>][]} Checks a check throws when it fails, with what is to be shown */

/**
 * @param {string} name
 * @param {() => Promise<void>} check
 */
async function outcome(name, check) {
  try {
    await check();
    return { name, ok: true };
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    return { name: message.startsWith('Missing: ') ? message : name, ok: false, reason: message };
  }
}

/**
 * @param {unknown} isRight
 * @param {string} reason
 */
function expect(isRight, reason) {
  if (!isRight) throw new Error(reason);
}

/**
 * @param {Client} client
 * @param {string} version
 * @returns {Checks}
 */
function coreChecks(client, version) {
  /** @type {Promise<Reply> | undefined} */
  let executed;
  const execute = () => (executed ??= client.ask('POST', '/execute-tool', { body: FIXTURE }));
  const health = () => client.ask('GET', '/health', { timeoutMs: 10_000 });
  return [
    ['GET /health returns 200', async () => expectStatus(await health(), 200)],
    [
      'GET /health includes protocolVersion',
      async () => expectField((await health()).body, 'protocolVersion', '/health'),
    ],
    [
      'GET /health includes implementationVersion',
      async () => expectField((await health()).body, 'implementationVersion', '/health'),
    ],
    ['POST /execute-tool accepts valid request', async () => expectStatus(await execute(), 200)],
    [
      'POST /execute-tool returns success response',
      async () => {
        const { body } = await execute();
        expect(
          body?.success === true,
          `success is ${body?.success}: ${JSON.stringify(body?.error)}`,
        );
        expect(body.output !== undefined, 'Missing: output in the response');
        expect(
          typeof body.executionTimeMs === 'number',
          'Missing: executionTimeMs in the response',
        );
      },
    ],
    [
      'POST /execute-tool returns error for invalid tool',
      async () =>
        expectFailure(await client.ask('POST', '/execute-tool', { body: UNKNOWN }), version),
    ],
    [
      'POST /execute-tool refuses a request without fields',
      async () => expectStatus(await client.ask('POST', '/execute-tool', { body: {} }), 400),
    ],
    [
      'CORS headers present',
      async () =>
        expect(
          (await health()).headers.get('access-control-allow-origin'),
          'No Access-Control-Allow-Origin',
        ),
    ],
    [
      'OPTIONS preflight works',
      async () => {
        const reply = await client.ask('OPTIONS', '/execute-tool', { isAnonymous: true });
        expect([200, 204].includes(reply.status), `The status is ${reply.status}`);
        for (const header of ['access-control-allow-methods', 'access-control-allow-headers']) {
          expect(reply.headers.get(header), `No ${header}`);
        }
      },
    ],
  ];
}

/**
 * @param {Client} client
 * @param {string} version
 * @param {string | undefined} apiKey
 * @returns {Checks}
 */
function standardChecks(client, version, apiKey) {
  const capabilities = async () => {
    const reply = await client.ask('GET', '/info');
    expectStatus(reply, 200);
    expect(isRecord(reply.body?.capabilities), 'Missing: capabilities in /info');
    return reply.body.capabilities;
  };
  return [
    ['GET /info returns capabilities', async () => void (await capabilities())],
    [
      'GET /info includes protocolVersion',
      async () => expectField((await client.ask('GET', '/info')).body, 'protocolVersion', '/info'),
    ],
    ...CAPABILITIES.map(
      (field) =>
        /** @type {Checks[number]} */ ([
          `GET /info includes ${field}`,
          async () => expectField(await capabilities(), field, 'capabilities'),
        ]),
    ),
    [
      'GET /info names a known isolation',
      async () => {
        const { isolation } = await capabilities();
        expect(ISOLATION.includes(isolation), `isolation is ${isolation}`);
      },
    ],
    [
      'Authentication enforced when configured',
      async () => {
        expectStatus(await client.ask('GET', '/info'), 200);
        if (apiKey === undefined) return;
        const body = FIXTURE;
        const refused = await client.ask('POST', '/execute-tool', { body, isAnonymous: true });
        expectStatus(refused, 401);
        expectStatus(await client.ask('POST', '/execute-tool', { body }), 200);
      },
    ],
    [
      'Execution timeout enforced',
      async () => {
        const { maxExecutionTimeMs } = await capabilities();
        expect(
          maxExecutionTimeMs >= 60_000,
          `maxExecutionTimeMs is ${maxExecutionTimeMs}: at least 60000`,
        );
      },
    ],
    [
      'Error codes are those of the protocol',
      async () => {
        const { body } = await client.ask('POST', '/execute-tool', { body: UNKNOWN });
        const kinds = Object.values(KINDS);
        const isKnown =
          version === '1.0'
            ? kinds.some(({ code }) => code === body?.error?.code)
            : kinds.some(
                (kind) => kind.errorCode === body?.errorCode && kind.stage === body?.errorStage,
              );
        expect(isKnown, `The error is ${JSON.stringify(body?.error)}`);
      },
    ],
  ];
}

/**
 * @param {Reply} reply
 * @param {number} status
 */
function expectStatus(reply, status) {
  expect(reply.status === status, `The status is ${reply.status}`);
}

/**
 * @param {any} body
 * @param {string} field
 * @param {string} where
 */
function expectField(body, field, where) {
  expect(body?.[field] !== undefined, `Missing: ${field} in ${where}`);
}

/**
 * @param {Reply} reply
 * @param {string} version
 */
function expectFailure({ body }, version) {
  expect(body?.success === false, `success is ${body?.success}`);
  if (version === '1.0') {
    for (const field of ['code', 'message']) expectField(body.error, field, 'error');
    return;
  }
  for (const field of ['error', 'errorStage', 'errorCode']) {
    expectField(body, field, 'the response');
  }
  expect(typeof body.error === 'string', 'error is no string');
  expect(typeof body.retryable === 'boolean', 'Missing: retryable in the response');
}

/**
 * @param {{ target: string, tests: Test[], core: string, standard: string }} report
 * @param {string} version
 */
function textOf({ target, tests, core, standard }, version) {
  const lines = (/** @type {Test['level']} */ level) =>
    tests
      .filter((one) => one.level === level)
      .map(({ name, ok, reason }) => {
        const isSaid = ok || reason === undefined || name === reason;
        return `  ${ok ? '✓' : '✗'} ${name}${isSaid ? '' : ` (${reason})`}`;
      });
  const passed = tests.filter(({ ok }) => ok).length;
  return [
    `TPMJS Executor Compliance Test v${version}.0`,
    `Target: ${target}`,
    '',
    'Core Requirements:',
    ...lines('core'),
    '',
    'Standard Requirements:',
    ...lines('standard'),
    '',
    `Result: ${passed}/${tests.length} tests passed (Core: ${core}, Standard: ${standard})`,
  ].join('\n');
}

module.exports = { checkExecutor };
