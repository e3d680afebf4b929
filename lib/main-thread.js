'use strict';
// Lets a Worker load a module in the main thread. Only the inspector leads from one to the other.

/**
 * Does not wait for the main thread, which gets to it between two of its statements.
 *
 * @param {string} file the module's own, absolute
 * @param {{ message: string, code: string }} warning of the process if the module does not load there
 */
function loadInMainThread(file, { message, code }) {
  const [name, text, label] = [file, message, code].map((argument) => JSON.stringify(argument));
  try {
    const { Session } = require('node:inspector');
    const session = new Session();
    session.connectToMainThread();
    session.post('Runtime.evaluate', {
      expression: `try { require(${name}) } catch (cause) {
        process.emitWarning(${text}, { code: ${label}, detail: String(cause) });
      }`,
      includeCommandLineAPI: true, // which has `require`, also where the main module is no CommonJS
      silent: true,
    });
    // What was posted is done before. A process that ends while a session is open says that it waits for a debugger.
    session.disconnect();
  } catch (cause) {
    // This Node has no inspector, or does not permit it.
    process.emitWarning(message, { code, detail: String(cause) });
  }
}

module.exports = { loadInMainThread };
