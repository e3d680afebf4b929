'use strict';
// Entry of child processes, and of workers in them: runs the function it is given as text.

const { argv } = process;
const tools = require('./child-tools.js');

const [source, args] = argv.slice(-2);
const body = new Function(`return (${source});`)();

// Not awaited: what it rejects with is an unhandled rejection of this process, as it would be anywhere.
body(tools, JSON.parse(args));
