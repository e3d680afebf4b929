'use strict';
// How rivals run the body of an async function that awaits a host function, `tools.add`, in a guest of its own.

/** What a guest's `tools` are to isolated-vm when `hostAdd` is a Reference. */
const REFERENCE_TOOLS = `{ add: (input) => hostAdd.apply(undefined, [input], {
  arguments: { copy: true }, result: { promise: true, copy: true } }) }`;

/**
 * @param {any} ivm
 * @param {string} source
 * @param {object} hostAdd what the guest gets by that name
 * @param {string} tools the guest's own wrapper of it
 */
async function runIsolatedVm(ivm, source, hostAdd, tools) {
  const isolate = new ivm.Isolate();
  const context = await isolate.createContext();
  await context.global.set('hostAdd', hostAdd);
  const program = `const tools = ${tools}; (async () => { ${source} })()`;
  const answer = await context.eval(program, { promise: true });
  isolate.dispose();
  return answer;
}

/**
 * @template T
 * @param {any} quickJs
 * @param {string} source
 * @param {(input: any) => Promise<T>} add
 * @param {(context: any, sum: T) => any} toHandle what the guest gets for what `add` gave
 */
async function runQuickJs(quickJs, source, add, toHandle) {
  const context = quickJs.newContext();
  const hostAdd = context.newFunction('add', (/** @type {any} */ input) => {
    const reply = context.newPromise();
    add(context.dump(input)).then((sum) => {
      toHandle(context, sum).consume((/** @type {any} */ value) => reply.resolve(value));
      reply.dispose();
      context.runtime.executePendingJobs();
    });
    return reply.handle;
  });
  const tools = context.newObject();
  context.setProp(tools, 'add', hostAdd);
  context.setProp(context.global, 'tools', tools);
  const promise = context.unwrapResult(context.evalCode(`(async () => { ${source} })()`));
  const settled = context.resolvePromise(promise);
  context.runtime.executePendingJobs();
  const answer = context.unwrapResult(await settled).consume(context.dump);
  for (const handle of [promise, tools, hostAdd, context]) handle.dispose();
  return answer;
}

module.exports = { REFERENCE_TOOLS, runIsolatedVm, runQuickJs };
