'use strict';

const { codeMcpServer } = require('./code-server.js');
const { createMcpToolProvider, openMcpToolProvider } = require('./tool-provider.js');
const { getMcpToolSourceServerInfo } = require('./upstream.js');

module.exports = {
  codeMcpServer,
  createMcpToolProvider,
  getMcpToolSourceServerInfo,
  openMcpToolProvider,
};
