'use strict';

const http = require('node:http');
const zlib = require('node:zlib');

const { readFetchRules } = require('../../lib/web/fetch-rules.js');
const { GuestFetch } = require('../../lib/web/guest-fetch.js');
const { usePool } = require('../support/pools.js');
const { until } = require('../support/time.js');

const { run, valueOf } = usePool();

const MiB = 2 ** 20;

/** @type {http.Server} */
let server;
/** @type {string} */
let origin;
/** Requests that are open on the server's side. */
let open = 0;
/** @type {string[]} */
const seen = [];

const portOf = () => /** @type {import('node:net').AddressInfo} */ (server.address()).port;

/** @type {Record<string, (request: http.IncomingMessage, response: http.ServerResponse) => void>} */
const PAGES = {
  '/echo': (request, response) => {
    const chunks = /** @type {Buffer[]} */ ([]);
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { method, headers } = request;
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      response.end(
        JSON.stringify({ method, headers, body: Buffer.concat(chunks).toString('hex') }),
      );
    });
  },
  '/gzip': (_, response) => {
    response.setHeader('content-encoding', 'gzip');
    response.end(zlib.gzipSync('packed'));
  },
  '/bomb': (_, response) => {
    response.setHeader('content-encoding', 'gzip');
    response.end(zlib.gzipSync(Buffer.alloc(64 * MiB)));
  },
  '/endless': (_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65536)));
    };
    response.on('drain', more);
    more();
  },
  '/silent': () => {},
  '/none': (_, response) => response.writeHead(204).end(),
  '/loop': (_, response) => response.writeHead(302, { location: '/loop' }).end(),
  '/hop': (_, response) => response.writeHead(302, { location: '/echo' }).end(),
  '/to-metadata': (_, response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
  '/elsewhere': (_, response) =>
    response.writeHead(307, { location: `http://other.test:${portOf()}/echo` }).end(),
  '/to-file': (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
};

beforeAll(async () => {
  server = http.createServer((request, response) => {
    open += 1;
    seen.push(String(request.url));
    response.on('close', () => (open -= 1));
    const page = PAGES[new URL(String(request.url), 'http://x').pathname];
    if (page) page(request, response);
    else response.writeHead(404).end('no such page');
  });
  await new Promise((done) => {
    server.listen(0, '127.0.0.1', () => done(undefined));
  });
  origin = `http://127.0.0.1:${portOf()}`;
});

afterAll(async () => {
  await until(() => open === 0);
  await new Promise((done) => {
    server.close(() => done(undefined));
    server.closeAllConnections();
  });
});

const allowed = (/** @type {object} */ more = {}) => ({
  fetch: { origins: [origin], allowPrivate: true, ...more },
});

/** Names of tests lead here, wherever the machine is. */
const toLoopback = (
  /** @type {any} */ _host,
  /** @type {any} */ _options,
  /** @type {any} */ answer,
) => answer(null, [{ address: '127.0.0.1', family: 4 }]);

async function failureOf(/** @type {string} */ expression, /** @type {any} */ web) {
  const source = `
    try { const r = ${expression}; return { status: r.status ?? null } }
    catch (error) { return { name: error.name, message: error.message, code: error.cause?.code ?? null } }`;
  return valueOf({ source, web, limits: { wallMs: 20_000 } });
}

test('a guest fetches from an origin that it was given', async () => {
  const source = `
    const response = await fetch('${origin}/echo?x', {
      method: 'POST',
      headers: { 'X-Own': 'yes', host: 'evil.test', 'content-length': '1', connection: 'upgrade' },
      body: new Uint8Array([0, 255, 128]),
    });
    const { method, headers, body } = await response.json();
    return [response.status, response.ok, response.url, method, headers['x-own'], headers.host, headers.connection, body,
      response.headers.getSetCookie()]`;
  expect(await valueOf({ source, web: allowed() })).toEqual([
    200,
    true,
    `${origin}/echo?x`,
    'POST',
    'yes',
    origin.slice('http://'.length),
    'close',
    '00ff80',
    ['a=1', 'b=2'],
  ]);
});

test.each(/** @type {const} */ (['json', 'clone']))(
  'bodies are decoded, absent, missing or followed to, under the profile %s',
  async (values) => {
    const source = `
      const packed = await (await fetch('${origin}/gzip')).text();
      const none = await fetch('${origin}/none');
      const lost = await fetch('${origin}/nowhere');
      const hop = await fetch('${origin}/hop');
      const manual = await fetch('${origin}/hop', { redirect: 'manual' });
      await lost.text(); await hop.body.cancel(); await manual.text();
      return [packed, none.body, lost.status, hop.redirected, hop.url, manual.status]`;
    expect(await valueOf({ source, values, web: allowed() })).toEqual([
      'packed',
      null,
      404,
      true,
      `${origin}/echo`,
      302,
    ]);
  },
);

test.each([
  'http://127.0.0.1',
  'http://2130706433',
  'http://0x7f.1',
  'http://0177.0.0.1',
  'http://127.1',
  'http://0.0.0.0',
  'http://10.0.0.1',
  'http://169.254.169.254',
  'http://192.168.1.1',
  'http://172.16.0.1',
  'http://100.64.0.1',
  'http://[::1]',
  'http://[::]',
  'http://[::ffff:127.0.0.1]',
  'http://[fe80::1]',
  'http://[fd00::1]',
  'http://[64:ff9b::7f00:1]',
  'http://[2002:7f00:1::]',
  'http://localhost',
])('%s is not public, and not asked', async (place) => {
  const before = seen.length;
  const url = `${place}:${portOf()}/echo`;
  const failure = await failureOf(`await fetch('${url}')`, { fetch: { origins: ['*'] } });
  expect(failure).toMatchObject({ name: 'TypeError', code: 'ERR_ISOBOX_FETCH_ADDRESS' });
  expect(seen).toHaveLength(before);
});

test('a name that leads to a private address is refused, and so is one of several', async () => {
  const url = `http://rebound.test:${portOf()}/echo`;
  const before = seen.length;
  const addresses = [
    { address: '93.184.215.14', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ];
  const lookups = [
    toLoopback,
    (/** @type {any} */ _h, /** @type {any} */ _o, /** @type {any} */ answer) =>
      answer(null, addresses),
  ];
  for (const lookup of lookups) {
    const web = { fetch: { origins: ['*'], lookup } };
    expect(await failureOf(`await fetch('${url}')`, web)).toMatchObject({
      code: 'ERR_ISOBOX_FETCH_ADDRESS',
    });
  }
  expect(seen).toHaveLength(before);
});

test('a name is looked up once, and the connection is to that address', async () => {
  let lookups = 0;
  const lookup = (
    /** @type {any} */ host,
    /** @type {any} */ options,
    /** @type {any} */ answer,
  ) => {
    lookups += 1;
    toLoopback(host, options, answer);
  };
  const url = `http://known.test:${portOf()}`;
  const web = { fetch: { origins: [url], allowPrivate: true, lookup } };
  expect(await failureOf(`await fetch('${url}/none')`, web)).toEqual({ status: 204 });
  expect(lookups).toBe(1);
});

test('other origins are refused, also behind a redirect', async () => {
  const code = 'ERR_ISOBOX_FETCH_ORIGIN';
  const web = allowed({ lookup: toLoopback });
  expect(await failureOf("await fetch('http://other.test/')", web)).toMatchObject({ code });
  expect(await failureOf(`await fetch('${origin}/elsewhere')`, web)).toMatchObject({ code });
  expect(await failureOf(`await fetch('${origin}/to-file')`, web)).toMatchObject({ code });
  expect(await failureOf("await fetch('file:///etc/passwd')", web)).toMatchObject({ code });
  expect(await failureOf("await fetch('data:,x')", web)).toMatchObject({ code });
});

test('a redirect to a private address is refused where only public ones are allowed', async () => {
  const rules = readFetchRules({ origins: ['*'], allowPrivate: true }, 'fetch');
  const fetch = new GuestFetch(rules, () => {});
  const url = new URL(`${origin}/to-metadata`);
  const opened = fetch.open({ url, method: 'GET', headers: new Map(), body: undefined }, 'follow');
  // The first hop is under way; it is to a private address, as all are that a test can have.
  rules.allowPrivate = false;
  await expect(opened).rejects.toMatchObject({ code: 'ERR_ISOBOX_FETCH_ADDRESS' });
  expect(seen.at(-1)).toBe('/to-metadata');
});

test('credentials stay with the origin that they were meant for', async () => {
  const source = `
    const response = await fetch('${origin}/elsewhere', { headers: { authorization: 'secret', cookie: 'c', 'x-k': '1' } });
    const { headers } = await response.json();
    return [headers.authorization ?? null, headers.cookie ?? null, headers['x-k']]`;
  const web = {
    fetch: { origins: ['*'], allowPrivate: true, lookup: toLoopback },
  };
  expect(await valueOf({ source, web })).toEqual([null, null, '1']);
});

test('redirects end', async () => {
  const failure = await failureOf(`await fetch('${origin}/loop')`, allowed());
  expect(failure).toMatchObject({ code: 'ERR_ISOBOX_FETCH_REDIRECT' });
  const refused = await failureOf(`await fetch('${origin}/hop', { redirect: 'error' })`, allowed());
  expect(refused).toMatchObject({ code: 'ERR_ISOBOX_FETCH_REDIRECT' });
});

test.each(['/bomb', '/endless'])('%s is cut off at its size', async (page) => {
  const read = `await (await fetch('${origin}${page}')).arrayBuffer()`;
  const failure = await failureOf(read, allowed({ maxBodyBytes: MiB }));
  expect(failure).toMatchObject({ name: 'TypeError', code: 'ERR_ISOBOX_FETCH_SIZE' });
  await until(() => open === 0);
});

test('a body that is too large is not sent', async () => {
  const ask = `await fetch('${origin}/echo', { method: 'PUT', body: 'x'.repeat(2000) })`;
  const failure = await failureOf(ask, allowed({ maxRequestBytes: 1000 }));
  expect(failure).toMatchObject({ code: 'ERR_ISOBOX_FETCH_SIZE' });
});

test('a server that says nothing is given up', async () => {
  const failure = await failureOf(`await fetch('${origin}/silent')`, allowed({ timeoutMs: 50 }));
  expect(failure).toMatchObject({ code: 'ERR_ISOBOX_FETCH_TIMEOUT' });
  await until(() => open === 0);
});

test('a guest aborts a request, and its connection is closed', async () => {
  const ask = `await fetch('${origin}/silent', { signal: AbortSignal.timeout(20) })`;
  expect(await failureOf(ask, allowed())).toMatchObject({ name: 'TimeoutError' });
  await until(() => open === 0);
});

test('so many requests are open at a time, and the end of the run closes them', async () => {
  const source = `
    const all = Array.from({ length: 5 }, () => fetch('${origin}/silent').catch((error) => error.cause.code));
    return [await Promise.race(all)]`;
  const web = allowed({ maxInFlight: 3 });
  expect(await valueOf({ source, web })).toEqual(['ERR_ISOBOX_FETCH_BUSY']);
  await until(() => open === 0);
  const stopped = await run({
    source: `await fetch('${origin}/silent')`,
    web,
    limits: { wallMs: 100 },
  });
  expect(stopped.cause).toBe('deadline');
  await until(() => open === 0);
});

test('a guest that says nonsense to its host hears so, and nothing else happens', async () => {
  // The library's host functions come to light where the guest has its own JSON.
  const source = `

    const given = JSON.stringify;
    const answers = [];
    for (const text of ['', '[]', 'null', '{"op":"read","id":{}}', '{"op":"open"}',
      '{"op":"open","id":1,"url":"${origin}/none","method":"a b","headers":[]}',
      '{"op":"open","id":2,"url":"${origin}/none","method":"GET","headers":[["a\\\\nb","c"]]}',
      '{"op":"open","id":3,"url":"${origin}/none","method":"GET","headers":7}']) {
      JSON.stringify = () => text;
      answers.push(await fetch('${origin}/none').then(() => 'done', (error) => error.name));
    }
    JSON.stringify = given;
    answers.push((await fetch('${origin}/none')).status);
    return answers`;
  expect(await valueOf({ source, web: allowed() })).toEqual([...Array(8).fill('TypeError'), 204]);
});
