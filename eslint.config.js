'use strict';

const js = require('@eslint/js');
const globals = require('globals');

module.exports = [
  { ignores: ['.cache/', 'build/', 'coverage/', 'dist/', 'prebuilds/'] },
  js.configs.recommended,
  {
    files: ['**/*.js', '**/*.mjs'],
    languageOptions: { ecmaVersion: 2023, sourceType: 'commonjs', globals: globals.node },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'array-callback-return': 'error',
      curly: ['error', 'multi-line'],
      eqeqeq: 'error',
      'no-constructor-return': 'error',
      'no-else-return': 'error',
      'no-implicit-coercion': 'error',
      'no-self-compare': 'error',
      'no-shadow': 'error',
      'no-template-curly-in-string': 'error',
      'no-unmodified-loop-condition': 'error',
      'no-unused-vars': ['error', { varsIgnorePattern: '^_', argsIgnorePattern: '^_' }],
      'no-use-before-define': ['error', { functions: false, classes: false }],
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
      'prefer-promise-reject-errors': 'error',
      'require-atomic-updates': 'error',
      strict: ['error', 'safe'],
      yoda: 'error',
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: { sourceType: 'module' },
  },
  {
    // Runs in guests, as parts of their library.
    files: ['guest/*.mjs'],
    languageOptions: {
      globals: {
        ...Object.fromEntries(Object.keys(globals.node).map((name) => [name, 'off'])),
        ...globals.es2021,
        host: 'readonly',
        load: 'readonly',
        require: 'readonly',
        settings: 'readonly',
      },
    },
  },
  {
    // Runs in browsers.
    files: ['lib/threads/page/*.js'],
    languageOptions: { sourceType: 'module', globals: globals.browser },
  },
  {
    files: ['test/**/*.js'],
    languageOptions: { globals: globals.jest },
    rules: {
      'no-restricted-properties': [
        'error',
        ...['describe', 'it', 'test'].flatMap((object) =>
          ['only', 'skip'].map((property) => ({
            object,
            property,
            message: 'Every test runs, everywhere.',
          })),
        ),
      ],
      // Guest programs in tests are written as plain strings.
      'no-template-curly-in-string': 'off',
    },
  },
];
