'use strict';
// The specification of call_tool_chain: what is shown of an output.

const { useChain } = require('./chains.js');

describe('Output processing pipeline', () => {
  const rows = 'Array.from({ length: 500 }, (_, id) => ({ id, name: "row " + id }))';

  test('an intent leaves the sections that fit', async () => {
    const { textOf } = await useChain();
    const code = `return Array.from({ length: 400 }, (_, i) => i === 7 ? 'about plums' : 'about other things').join('\\n\\n')`;
    expect(await textOf(code, { intent: 'plums' })).toMatch(
      /^\[Filtered by intent: 'plums' — 1\/400 sections\]\n\nabout plums\n\n\[Output: 0\.1KB returned, 7\.8KB processed, 99% reduced\]\n/,
    );
  });

  test('a uniform array is told by its first items', async () => {
    const { textOf } = await useChain();
    expect(await textOf(`return ${rows}`)).toMatch(
      /^\[Array of 500 items with uniform structure \(2 keys: id, name\)\]\n\nShowing first 3:\n\{"id":0,"name":"row 0"\},\n/,
    );
  });

  test('other JSON is told by its paths', async () => {
    const { textOf } = await useChain();
    expect(await textOf(`return { results: { items: ${rows} }, title: 'x' }`)).toMatch(
      /^\[JSON chunked: 5 chunks, 13\.0KB total\]\n\n {2}results > items > \[0-158\] — 4\.0KB \(id=0, name=row 0\)\n/,
    );
  });

  test('every field of OutputConfig is read', async () => {
    const plain = await useChain(undefined, { output: { auto_chunk_json: false } });
    expect(await plain.textOf(`return ${rows}`)).toMatch(/^\[\n {2}\{/);
    const low = await useChain(undefined, { output: { chunk_threshold: 100 } });
    expect(await low.textOf(`return ${rows}.slice(0, 10)`)).toMatch(/^\[Array of 10 items/);
    const head = await useChain(undefined, { output: { smart_truncation: false } });
    expect(await head.textOf('return "x".repeat(100)', { max_output_size: 10 })).toMatch(
      /^x{10}\n\.\.\. \[output truncated\]/,
    );
  });

  test('long lines keep their first 60 % and last 40 %', async () => {
    const { textOf } = await useChain();
    const text = await textOf('return "a".repeat(5000) + "b".repeat(5000)', {
      max_output_size: 1000,
    });
    expect(text).toMatch(
      /^a{600}\n\.\.\. \[truncated middle — 8\.8KB omitted\] \.\.\.\nb{400}\n\n\[Output: /,
    );
  });

  test('lines are kept whole', async () => {
    const { textOf } = await useChain(undefined, { sandbox: { max_output_size: 100 } });
    const text = await textOf(
      'return Array.from({ length: 50 }, (_, i) => "line " + (100 + i)).join("\\n")',
    );
    expect(text).toMatch(
      /^line 100\n(?:line 10\d\n){5}\n\.\.\. \[40 lines \/ 0\.4KB truncated — showing first 6 \+ last 4 lines\] \.\.\.\nline 146\n/,
    );
  });

  test('the size footer comes when more than 200 bytes are gone', async () => {
    const { textOf } = await useChain(undefined, { output: { smart_truncation: false } });
    const cut = async (bytes) => textOf(`return "x".repeat(${bytes})`, { max_output_size: 100 });
    expect(await cut(300)).not.toContain('[Output:');
    expect(await cut(400)).toContain('[Output: 0.1KB returned, 0.4KB processed, 69% reduced]');
  });

  test('JSON of exactly the threshold, JSON of one part and text that is no JSON pass unchanged', async () => {
    const { call } = await useChain(undefined, { output: { chunk_threshold: 102 } });
    for (const code of [
      'return "x".repeat(300)',
      'return { only: "x".repeat(300) }',
      'return "{" + "x".repeat(300)',
      'return JSON.stringify({ a: "x".repeat(40), b: "x".repeat(43), c: 1 })',
    ]) {
      const { content, resultUri } = await call(code);
      expect(content[0].text).not.toMatch(/^\[(?:JSON|Array)/);
      expect(resultUri).toBeUndefined();
    }
    const { content } = await call(
      'return JSON.stringify({ a: ["x".repeat(40)], b: ["x".repeat(44)], c: 1 })',
    );
    expect(content[0].text).toMatch(/^\[JSON chunked: 3 chunks/);
  });

  test('items are labelled with id, name, title, slug, key or label', async () => {
    const { textOf } = await useChain();
    const code = `return Object.fromEntries(['id', 'name', 'title', 'slug', 'key', 'label', 'other'].map((field) =>
      [field, [{ [field]: 'the ' + field, rest: ['x'.repeat(2000)] }]]))`;
    const text = await textOf(code);
    for (const field of ['id', 'name', 'title', 'slug', 'key', 'label']) {
      expect(text).toMatch(
        new RegExp(`^  ${field} > \\[0\\] — 2\\.0KB \\(${field}=the ${field}\\)$`, 'm'),
      );
    }
    expect(text).toMatch(/^ {2}other > \[0\] — 2\.0KB$/m);
  });

  test('sizes are added up for the session', async () => {
    const { chain, call, errorOf } = await useChain();
    await call(`return ${rows}`);
    await call('exa.say({ text: "x" })');
    await errorOf('throw 1');
    const { output, ...stats } = JSON.parse((await chain.readResource('isobox://stats')).text);
    expect(stats).toMatchObject({
      requests: 3,
      errors: 1,
      tool_calls: 1,
      tiers: { direct: 0, call: 1, introspection: 0, isolate: 2 },
    });
    expect(output.bytes_processed).toBeGreaterThan(10_240);
    expect(output.bytes_returned).toBeLessThan(2000);
    expect(output.percent_reduced).toBeGreaterThan(80);
    expect(chain.listResources().map(({ uri }) => uri)).toContain('isobox://stats');
  });

  test('whatever was left out stays readable', async () => {
    const { call, textOf } = await useChain();
    const { resultUri, content } = await call(`return ${rows}`);
    expect(content[0].text).toMatch(new RegExp(`\\n\\[Full output: ${resultUri}\\]$`));
    const read = (options) =>
      textOf(`let x; return await __readResult('${resultUri}', ${options})`);
    expect(await read('{ pointer: "/499/name" }')).toBe('row 499');
    expect(await read('{ search: "row 42\\"" }')).toMatch(
      /^\[Places of 'row 42"' by offset\]\n\d+: /,
    );
    expect(await read('{ offset: 2, limit: 10 }')).toMatch(
      /\n\n\[Bytes 2 to 12 of \d+; go on with offset 12\]$/,
    );
  });
});
