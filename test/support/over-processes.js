'use strict';
// Set up before the test files of the project `process`: their pools give guests processes of their own.

process.env.ISOBOX_TEST_HOST = 'process';
