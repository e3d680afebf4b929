#!/usr/bin/env node
'use strict';

const { main } = require('../lib/cli/index.js');

void main(process.argv.slice(2));
