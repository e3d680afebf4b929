'use strict';

const { usePool } = require('../support/pools.js');

const { valueOf, errorOf } = usePool();

// Each closes the function it stands in and opens another one.
const BREAKOUTS = {
  'a second function': '}); (async () => {',
  'a function in a comma expression': '}), (() => { return 5',
  'statements between two functions':
    '}); globalThis.escaped = true; (async () => { return globalThis.escaped',
  'a call of the function itself': '})(), (async () => {',
  'a block and a second function': '}); { escaped() } (async () => {',
  'a member access': '}).constructor, (async () => {',
  'a template literal': '})`${1}`, (async () => {',
  'an object literal': '}), ({ a() {',
  'a class': '}), (class { static {',
  'a conditional': '}) ? (() => {}) : (() => {',
};

test.each(Object.entries(BREAKOUTS))('%s is refused', async (_name, source) => {
  const error = await errorOf({ source });
  expect(error).toMatchObject({ cause: 'link_error', name: 'SyntaxError' });
});

test('nothing of a refused text is run', async () => {
  const called = jest.fn();
  const source = '}); host.called(); (async () => {';
  await errorOf({ source, namespaces: { host: { called } } });
  expect(called).not.toHaveBeenCalled();
});

test.each(['}', ')', '})', '}, 1', '}]', '{', '(', '/*', '`', "'", '"', '<!--\n}'])(
  'the unbalanced text %j is a syntax error',
  async (source) => {
    const error = await errorOf({ source });
    expect(error).toMatchObject({ cause: 'link_error', name: 'SyntaxError' });
  },
);

test('braces in strings, templates, comments and regular expressions break nothing', async () => {
  const source = `
    // })
    /* }); ( */
    const parts = ['})', "})", \`})\${'}'}\`, /[})]/.source];
    return parts.join(' ')`;
  expect(await valueOf({ source })).toBe('}) }) })} [})]');
});

test('super and new.target have no meaning there', async () => {
  for (const source of ['super.x', 'return new.target']) {
    expect(await errorOf({ source })).toMatchObject({ cause: 'link_error', name: 'SyntaxError' });
  }
});
