'use strict';

const { IsolateExecutor } = require('../../lib/execbox/index.js');
const { describeExecutorContract } = require('./contract.js');

describeExecutorContract((options) => new IsolateExecutor({ host: 'process', ...options }));
