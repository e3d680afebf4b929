// A model that follows a script and streams its words, so that the page has something to show.
import { defineModel } from '../../../../../lib/threads/index.mjs';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const usage = { promptTokens: 412, completionTokens: 58, totalTokens: 470 };

const call = (id, name, args) => ({
  type: 'tool-call',
  toolCall: { id, type: 'function', function: { name, arguments: JSON.stringify(args) } },
});

const ANSWER =
  'Three orders are late, worth 1,284 euros in all. The oldest is A-1042, which has waited for 9 days.\n\n' +
  'I have asked for a note to the customers. <img src=x onerror="window.harm = true">';

/** What a side says next, as chunks without their pauses. */
function next({ messages }) {
  const [{ content: role }] = messages;
  const results = messages.filter((one) => one.role === 'tool').length;
  const last = messages.findLast((one) => one.role === 'user').content;
  if (role.startsWith('You write')) {
    return [call(`n${results}`, 'finish', { note: 'Dear customer, your order is on its way.' })];
  }
  if (last === 'wait') return results === 0 ? [call('w1', 'wait', {})] : ['Waited.'];
  if (results === 0) {
    return ['I look at the orders. ', call('c1', 'find_orders', { state: 'late' })];
  }
  if (results === 1) return [call('c2', 'run_code', { code: 'export default 420 + 640 + 224' })];
  if (results === 2) return [call('c3', 'writer', { message: 'Write a note to the customers.' })];
  if (results === 3) return [call('c4', 'send_mail', { to: 'everybody' })];
  return [ANSWER];
}

async function* stream(request) {
  const parts = next(request);
  for (const part of parts) {
    if (typeof part !== 'string') yield part;
    else {
      for (const word of part.match(/\S+\s*/g) ?? []) {
        yield { type: 'content-delta', delta: word };
        await sleep(15);
      }
    }
  }
  yield {
    type: 'finish',
    finishReason: typeof parts.at(-1) === 'string' ? 'stop' : 'tool_calls',
    usage,
  };
}

export default defineModel({
  name: 'script',
  model: 'script-1',
  provider: () => ({
    name: 'script',
    specificationVersion: '1',
    generate: () => Promise.reject(new Error('it streams')),
    stream,
  }),
});
