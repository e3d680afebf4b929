'use strict';

const { setMaxListeners } = require('node:events');

/** @returns {AbortController} whose signal all calls of a run share: any number of listeners is no leak */
function sharedAbortController() {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

module.exports = { sharedAbortController };
