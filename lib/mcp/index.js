'use strict';

const { codeMcpServer } = require('./code-server.js');
const { createMcpToolProvider, openMcpToolProvider } = require('./tool-provider.js');

module.exports = { codeMcpServer, createMcpToolProvider, openMcpToolProvider };
