'use strict';
// Guests' Web APIs against those of Node, which come with the same standards.

const fc = require('fast-check');

const { usePool } = require('../support/pools.js');

const { valueOf } = usePool();

const PARTS = [
  'href',
  'origin',
  'username',
  'password',
  'host',
  'port',
  'pathname',
  'search',
  'hash',
];

const partsOf = (/** @type {string} */ input, /** @type {string | undefined} */ base) => {
  if (!URL.canParse(input, base)) return null;
  const url = /** @type {any} */ (new URL(input, base));
  return PARTS.map((part) => url[part]);
};

const CASES = [
  ['https://EXAMPLE.com:443/../a/./b/%7Ec?x=%zz#f g'],
  ['//host/path', 'http://base/a/b'],
  ['../../x', 'file:///c:/a/b'],
  ['http://192.168.0.257'],
  ['http://0x7f.1/'],
  ['http://2130706433/'],
  ['http://[::1]:80/'],
  ['http://[1:2::3.4.5.6]'],
  ['http://faß.de/'],
  ['http://xn--ls8h.example/'],
  ['http://ＧＯ.com/'],
  ['http://a b/'],
  ['mailto:a@b?c=d'],
  ['data:text/plain,%41 b'],
  ['javascript:alert(1)#x'],
  ['http://user:p%40ss@h:0099/?q#'],
  ['\u0000 http://a.b/\t\nc '],
  ['http://a.b/\ud800'],
  ['blob:https://a.b/c'],
  ['not a url'],
  ['http://'],
  ['http:\\\\x\\y'],
  ['?only', 'https://a.b/c?d#e'],
  ['', 'https://a.b/c?d#e'],
];

test('URLs are parsed as the standard has it', async () => {
  const generated = fc
    .sample(fc.webUrl({ withQueryParameters: true, withFragments: true }), {
      numRuns: 300,
      seed: 7,
    })
    .map((url) => [url]);
  const inputs = [...CASES, ...generated];
  const source = `
    const inputs = ${JSON.stringify(inputs)};
    const parts = ${JSON.stringify(PARTS)};
    return inputs.map(([input, base]) => {
      if (!URL.canParse(input, base)) return null;
      const url = new URL(input, base);
      return parts.map((part) => url[part]);
    })`;
  const expected = inputs.map(([input, base]) => partsOf(input, base));
  expect(await valueOf({ source, web: true })).toEqual(expected);
});

test('text is encoded and decoded as the standard has it', async () => {
  const texts = ['', 'abc', 'h\u00e9\u20ac\u{1f600}', '\ud800x', '\ufeffbom'];
  const bytes = [
    [0xef, 0xbb, 0xbf, 0x61],
    [0xff, 0x41],
    [0xe2, 0x82],
    [0xf0, 0x9f, 0x98, 0x80],
  ];
  const source = `
    const labels = ['utf-8', 'utf-16le'];
    return [
      ${JSON.stringify(texts)}.map((text) => [...new TextEncoder().encode(text)]),
      ${JSON.stringify(bytes)}.map((list) =>
        labels.map((label) => new TextDecoder(label).decode(new Uint8Array(list)))),
      new TextDecoder('latin1').decode(new Uint8Array([0x41, 0x80, 0xff])),
    ]`;
  const encoder = new TextEncoder();
  expect(await valueOf({ source, web: true })).toEqual([
    texts.map((text) => [...encoder.encode(text)]),
    bytes.map((list) =>
      ['utf-8', 'utf-16le'].map((label) => new TextDecoder(label).decode(new Uint8Array(list))),
    ),
    'A\u20ac\u00ff',
  ]);
});

test('structuredClone copies what can be copied, and refuses the rest', async () => {
  const source = `
    const from = { map: new Map([[1, new Date(5)]]), set: new Set(['a']), view: new Uint8Array([1, 2]), re: /x/gi };
    from.self = from;
    const to = structuredClone(from);
    let refused;
    try { structuredClone(() => {}) } catch (error) { refused = error.name }
    return [to !== from, to.self === to, to.map.get(1).getTime(), [...to.set], [...to.view], String(to.re), refused]`;
  expect(await valueOf({ source, web: true })).toEqual([
    true,
    true,
    5,
    ['a'],
    [1, 2],
    '/x/gi',
    'DataCloneError',
  ]);
});

test('atob and btoa', async () => {
  const source = `
    let refused;
    try { atob('a') } catch (error) { refused = error.name }
    return [btoa('hi\\xff'), atob(' aGk= '), refused]`;
  expect(await valueOf({ source, web: true })).toEqual(['aGn/', 'hi', 'InvalidCharacterError']);
});

test('events reach their listeners, and one that throws stops none of the others', async () => {
  const source = `
    const seen = [];
    const target = new EventTarget();
    target.addEventListener('a', () => { throw new Error('in a listener') });
    target.addEventListener('a', (event) => seen.push(event.type, event.detail), { once: true });
    target.dispatchEvent(new CustomEvent('a', { detail: 1 }));
    target.dispatchEvent(new CustomEvent('a', { detail: 2 }));
    return seen`;
  expect(await valueOf({ source, web: true })).toEqual(['a', 1]);
});

test('signals are aborted by controllers, by time and by each other', async () => {
  const source = `
    const controller = new AbortController();
    const any = AbortSignal.any([controller.signal, AbortSignal.timeout(60_000)]);
    let heard = 0;
    any.onabort = () => { heard += 1 };
    controller.abort('why');
    controller.abort('again');
    const timed = AbortSignal.timeout(1);
    await new Promise((done) => timed.addEventListener('abort', done));
    let thrown;
    try { AbortSignal.abort().throwIfAborted() } catch (error) { thrown = error.name }
    return [any.aborted, any.reason, heard, timed.reason.name, thrown]`;
  expect(await valueOf({ source, web: true })).toEqual([
    true,
    'why',
    1,
    'TimeoutError',
    'AbortError',
  ]);
});

test('crypto has random values and digests', async () => {
  const source = `
    const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    const bytes = new TextEncoder().encode('abc');
    let refused;
    try { crypto.getRandomValues(new Uint8Array(65537)) } catch (error) { refused = error.name }
    return [
      hex(await crypto.subtle.digest('SHA-1', bytes)),
      hex(await crypto.subtle.digest({ name: 'sha-256' }, bytes)),
      crypto.getRandomValues(new Uint32Array(64)).some((value) => value !== 0),
      crypto.randomUUID() !== crypto.randomUUID(),
      refused,
    ]`;
  expect(await valueOf({ source, web: true })).toEqual([
    'a9993e364706816aba3e25717850c26c9cd0d89d',
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    true,
    true,
    'QuotaExceededError',
  ]);
});

test('bodies of requests and responses can be read once, cloned and streamed', async () => {
  const source = `
    const response = new Response('{"a":"\\u20ac"}', { status: 201, headers: { 'x-y': 'z' } });
    const copy = response.clone();
    const read = await response.json();
    let again;
    try { await response.text() } catch (error) { again = error.name }
    const chunks = [];
    for await (const chunk of copy.body) chunks.push(chunk.length);
    const request = new Request('https://a.b', { method: 'post', body: new URLSearchParams({ q: '1' }) });
    return [read, again, chunks, response.ok, response.headers.get('X-Y'), request.method,
      request.headers.get('content-type'), await request.text(), (await Response.json([1]).json())[0]]`;
  expect(await valueOf({ source, web: true })).toEqual([
    { a: '\u20ac' },
    'TypeError',
    [11],
    true,
    'z',
    'POST',
    'application/x-www-form-urlencoded;charset=UTF-8',
    'q=1',
    1,
  ]);
});
