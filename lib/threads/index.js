'use strict';

const {
  defineAgent,
  defineEffect,
  defineHandler,
  defineHook,
  defineModel,
  defineThreadEndpoint,
  defineTool,
} = require('./definitions/define.js');
const { definePrompt } = require('./definitions/define-prompt.js');
const { createThreadRuntime } = require('./runtime.js');

module.exports = {
  createThreadRuntime,
  defineAgent,
  defineEffect,
  defineHandler,
  defineHook,
  defineModel,
  definePrompt,
  defineThreadEndpoint,
  defineTool,
};
