'use strict';

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.js'],
  modulePathIgnorePatterns: ['<rootDir>/.cache/', '<rootDir>/build/', '<rootDir>/prebuilds/'],
  // No transform: the tests run as they are written, on the Node they are meant for.
  transform: {},
  testTimeout: 30_000,
};
