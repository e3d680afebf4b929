'use strict';
// Tools found by words, by name and in spite of typing errors.

const { runChild } = require('../support/child.js');
const { listOf, useChain } = require('./chains.js');

const tool = (name, description, properties = {}) => ({
  name,
  description,
  inputSchema: { type: 'object', properties },
});

const useOffice = async () =>
  useChain({
    'git-hub': {
      list: () => ({
        tools: [
          tool('create_issue', 'Opens a new issue in a repository.', { title: {}, labels: {} }),
          tool('listPullRequests', 'Lists the pull requests of a repository.'),
          tool('merge', 'Merges a branch.\nThe second line is for those who look closer.'),
        ],
      }),
    },
    mail: { list: () => ({ tools: [tool('send_message', 'Sends a letter to somebody.')] }) },
  });

describe('search_tools', () => {
  test.each([
    ['words of a description', 'open an issue', 'git-hub.create_issue'],
    ['a name', 'create_issue', 'git-hub.create_issue'],
    ['words in a name', 'list pull requests', 'git-hub.listPullRequests'],
    ['typing errors', 'creaet isue', 'git-hub.create_issue'],
    ['a missing letter', 'mesage', 'mail.send_message'],
    ['the beginning of a word', 'repo pull', 'git-hub.listPullRequests'],
    ['a parameter', 'labels', 'git-hub.create_issue'],
    ['a backend', 'mail', 'mail.send_message'],
    ['a word of many tools beside one of none', 'repository xylophone', 'git-hub.create_issue'],
  ])('finds by %s', async (_name, query, expected) => {
    const { chain } = await useOffice();
    const { tools } = await chain.searchTools({ task_description: query });
    expect(tools[0].name).toBe(expected);
  });

  test('is brief, or has schemas and declarations', async () => {
    const { chain } = await useOffice();
    const search = async (brief) =>
      (await chain.searchTools({ task_description: 'merge', limit: 1, brief })).tools[0];
    expect(await search(true)).toEqual({
      name: 'git-hub.merge',
      call: 'git_hub.merge(input)',
      description: 'Merges a branch.',
    });
    expect(await search(false)).toEqual({
      name: 'git-hub.merge',
      call: 'git_hub.merge(input)',
      description: 'Merges a branch.\nThe second line is for those who look closer.',
      input_schema: { type: 'object', properties: {} },
      types: expect.stringContaining('declare namespace git_hub {'),
    });
  });

  test('finds everything without a word, and nothing for words that are nowhere', async () => {
    const { chain } = await useOffice();
    expect(await chain.searchTools({ task_description: '', limit: 1 })).toMatchObject({
      total: 4,
      tools: [{ name: 'git-hub.create_issue' }],
    });
    expect(await chain.searchTools({ task_description: 'xylophone' })).toEqual({
      total: 0,
      tools: [],
    });
  });

  test.each([
    [{}, /task_description must be a string/],
    [{ task_description: 'x', limit: 0 }, /limit must be between 1 and 100/],
    [{ task_description: 'x', breif: true }, /Unknown option 'breif'/],
  ])('refuses %j', async (/** @type {any} */ request, message) => {
    const { chain } = await useOffice();
    await expect(chain.searchTools(request)).rejects.toThrow(message);
  });

  test('answers within ten milliseconds over ten thousand tools, and makes its index in turns of the loop', async () => {
    const { reports, stderr } = await runChild(async ({ report, require }) => {
      const { ToolIndex } = require('../../lib/mcp/tool-index.js');
      const verbs = 'read write list create delete update merge send fetch sort'.split(' ');
      const nouns = 'file issue branch letter table picture invoice ticket event user'.split(' ');
      const tools = Array.from({ length: 10_000 }, (_, i) => {
        const [verb, noun] = [verbs[i % 10], nouns[Math.floor(i / 10) % 10]];
        const description = `To ${verb} one ${noun} of department ${i % 97}, and to tell its number ${i}.`;
        return { name: `${verb}_${noun}_${i}`, backend: 'big', description };
      });
      let turns = 0;
      const watch = setInterval(() => turns++, 1);
      const index = await ToolIndex.build(tools);
      clearInterval(watch);
      report({ turns });
      const timed = (query) => {
        // Time of the processor: others may use the machine.
        const start = process.cpuUsage();
        const { best } = index.search(query, 10);
        const { user, system } = process.cpuUsage(start);
        return [(user + system) / 1000, best.length];
      };
      for (const query of [
        'merge a branch',
        'delte ticekt',
        'invoice 4711',
        'send a letter to department 12',
        // Words that every tool has.
        'to tell its number of one department and',
      ]) {
        const [[ms, found]] = Array.from({ length: 9 }, () => timed(query)).sort(
          ([a], [b]) => a - b,
        );
        report({ query, ms, found });
      }
    });
    expect(stderr).toBe('');
    const [{ turns }, ...searches] = reports;
    expect(turns).toBeGreaterThan(10);
    expect(searches).toHaveLength(5);
    for (const { ms, found } of searches) {
      expect(found).toBe(10);
      expect(ms).toBeLessThan(10);
    }
  });
});

test('tool_info names the choices where a name is not clear', async () => {
  const { chain } = await useChain({ a: { list: listOf('t') }, b: { list: listOf('t', 'u') } });
  expect(await chain.toolInfo({ tool_name: 'u', detail: 'brief' })).toEqual({
    name: 'b.u',
    call: 'b.u(input)',
    description: '',
  });
  await expect(chain.toolInfo({ tool_name: 't' })).rejects.toThrow(
    "'t' is ambiguous: name one of a.t, b.t",
  );
  await expect(chain.toolInfo({ tool_name: 'x.y' })).rejects.toThrow("tool 'x.y' not found");
});

test('list_tools_meta goes through all tools once', async () => {
  const names = Array.from({ length: 7 }, (_, i) => `t${i}`);
  const { chain } = await useChain({ b: { list: listOf(...names) } });
  const seen = [];
  let cursor;
  do {
    const page = await chain.listToolsMeta({ page_size: 3, ...(cursor && { cursor }) });
    expect(page.total).toBe(7);
    seen.push(...page.tools.map((one) => one.name));
    cursor = page.next_cursor;
  } while (cursor);
  expect(seen).toEqual(names.map((name) => `b.${name}`));
  await expect(chain.listToolsMeta({ cursor: 'x' })).rejects.toThrow(/cursor must be/);
});
