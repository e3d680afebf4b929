'use strict';
// A host that is not Node: the example in POSIX sh, which every machine that runs these tests has.

const { spawnSync } = require('node:child_process');
const os = require('node:os');
const path = require('node:path');

const { BIN } = require('./runner-process.js');

const HOST = path.join(__dirname, '..', '..', 'examples', 'runner-host.sh');

test('a shell script drives a runner', () => {
  const { status, stdout, stderr } = spawnSync('sh', [HOST, process.execPath, BIN, 'runner'], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({
    type: 'done',
    id: '1',
    ok: true,
    result: `This is ${os.type()}.`,
  });
});
