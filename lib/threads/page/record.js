// The log of one thread, newest first, and what its stream tells beside rows.

import {
  arrange,
  badge,
  byId,
  clock,
  drawnOnce,
  facts,
  foldable,
  make,
  readable,
  soon,
} from './elements.js';

const KEPT_EVENTS = 200;

/** @type {Map<string, any>} */
const logs = new Map();
const drawn = drawnOnce();

const redraw = soon(draw);

export function clear() {
  logs.clear();
  drawn.clear();
  byId('events').replaceChildren();
  redraw();
}

/** @param {any} log */
export function put(log) {
  logs.set(log.id, log);
  redraw();
}

/** @param {{ eventType: string, data: any, timestamp: number }} event */
export function addEvent({ eventType, data, timestamp }) {
  const list = byId('events');
  const text = data === undefined ? '' : JSON.stringify(data);
  list.prepend(
    make(
      'li.event',
      {},
      make('b', {}, eventType),
      make('code', { title: text }, text),
      clock(timestamp * 1000),
    ),
  );
  if (list.children.length > KEPT_EVENTS) list.lastElementChild.remove();
}

function draw() {
  const sorted = [...logs.values()].sort((a, b) => b.created_at - a.created_at);
  arrange(
    byId('log'),
    sorted.map((log) => drawn.get(log.id, log, () => drawLog(log))),
  );
}

/** @param {any} log */
function drawLog(log) {
  const numbers = [
    log.prompt_name,
    log.latency_ms !== undefined && `${log.latency_ms} ms`,
    log.total_tokens && `${log.total_tokens} tokens`,
    log.tools_called?.length > 0 && `calls ${log.tools_called.join(', ')}`,
    log.error,
  ].filter(Boolean);
  const state = log.error || log.error_type ? 'error' : log.is_complete ? 'success' : 'running';
  return make(
    'li',
    {},
    foldable(
      `log ${log.id}`,
      'details.entry',
      make(
        'summary',
        {},
        make('b', {}, log.model_name ?? log.kind ?? 'request'),
        badge(
          log.stopReasonCode ?? log.error_type ?? (log.is_complete ? 'done' : 'running'),
          state,
        ),
        clock(log.created_at),
        numbers.length > 0 && make('span.facts', {}, numbers.join(' · ')),
      ),
      facts([
        ['Error', log.error],
        ['System prompt', log.system_prompt],
        ['Request', log.request_body && readable(log.request_body)],
        ['Response', log.response_body && readable(log.response_body)],
        ['Tool results', log.tool_results && JSON.stringify(log.tool_results, null, 2)],
      ]),
    ),
  );
}
