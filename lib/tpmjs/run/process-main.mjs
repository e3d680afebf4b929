// The program of a process that runs one tool. Reads what is asked from standard input; answers on descriptor 3, a line each.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const { drive } = createRequire(import.meta.url)('../guest/driver.js');
const { writeSync } = fs;
const { stringify } = JSON;
const exit = process.exit.bind(process);

/** @param {object} said */
function tell(said) {
  let bytes = Buffer.from(`${stringify(said)}\n`);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(3, bytes));
    } catch (error) {
      // The pipe is full until the executor has read some of it.
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EAGAIN') throw error;
    }
  }
}

/** @param {unknown} error */
function fail(error) {
  const { message } = /** @type {Error} */ (error ?? {});
  tell({
    answer: {
      ok: false,
      kind: 'notImported',
      message: `The package threw when it was imported: ${message ?? String(error)}`,
    },
  });
  exit(0);
}

const { entry, ask } = JSON.parse(fs.readFileSync(0, 'utf8'));
const scratch = process.cwd();
// Variables reach the tool here and not by the system: NODE_OPTIONS among them would change how this process is locked in.
Object.assign(process.env, { HOME: scratch, TMPDIR: scratch }, ask.env);
// Where the permission model does not stop signals. It keeps an honest mistake from the executor, no attacker.
process.kill = (pid) => {
  throw Object.assign(new Error(`Access to process ${pid} is not allowed`), {
    code: 'ERR_ACCESS_DENIED',
  });
};

const imported = await import(pathToFileURL(entry).href).catch(fail);
process.on('unhandledRejection', () => {});
tell({
  answer: await drive(imported.pkg, ask, (/** @type {string} */ text) => tell({ emitted: text })),
});
exit(0);
