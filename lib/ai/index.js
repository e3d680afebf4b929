'use strict';

const { codeFunction } = require('./code-function.js');
const { codeTool } = require('./code-tool.js');

module.exports = { codeFunction, codeTool };
