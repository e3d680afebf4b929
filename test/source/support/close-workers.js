'use strict';

const { closeSourceWorkers } = require('../../../lib/source/index.js');

/** Leaves no thread behind when the tests of a file are done. */
function closeWorkersAfterAll() {
  afterAll(() => closeSourceWorkers());
}

module.exports = { closeWorkersAfterAll };
