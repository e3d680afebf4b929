// The rows of one thread: messages, and tool calls with their results.

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

const PAGE = 200;

/** Rows by id. @type {Map<string, any>} */
const rows = new Map();
/** Text that has been streamed for a row, by the row's id. @type {Map<string, string>} */
const streamed = new Map();
const drawn = drawnOnce();
let shown = PAGE;

export const redraw = soon(draw);

export function clear() {
  rows.clear();
  streamed.clear();
  drawn.clear();
  shown = PAGE;
  redraw();
}

/** @param {any[]} all what the thread has now; anything else is gone */
export function replace(all) {
  const ids = new Set(all.map(({ id }) => id));
  for (const id of rows.keys()) if (!ids.has(id)) rows.delete(id);
  for (const row of all) put(row);
}

/** @param {any} row */
export function put(row) {
  const before = rows.get(row.id);
  // A row that was read may be older than one that was heard of.
  const isStale = before?.status === 'completed' && row.status === 'pending';
  if (!isStale) rows.set(row.id, row);
  if (row.status !== 'pending') streamed.delete(row.id);
  redraw();
}

/**
 * @param {string} id
 * @param {string} text
 */
export function append(id, text) {
  streamed.set(id, (streamed.get(id) ?? '') + text);
  redraw();
}

export function showEarlier() {
  shown += PAGE;
  redraw();
}

function draw() {
  const scroll = byId('scroll');
  const isAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 60;
  const withSilent = byId('with-silent').checked;
  const sorted = [...rows.values()].sort((a, b) => a.created_at - b.created_at);
  const results = new Map(
    sorted.filter(({ role }) => role === 'tool').map((row) => [row.tool_call_id, row]),
  );
  const called = new Set(sorted.flatMap((row) => callsOf(row).map(({ id }) => id)));
  const wanted = sorted.filter(
    (row) => (withSilent || !row.silent) && !(row.role === 'tool' && called.has(row.tool_call_id)),
  );
  byId('earlier').hidden = wanted.length <= shown;
  arrange(
    byId('messages'),
    wanted.slice(-shown).map((row) => elementOf(row, results)),
  );
  if (isAtEnd) scroll.scrollTop = scroll.scrollHeight;
}

/** @param {any} row @returns {any[]} */
function callsOf(row) {
  return row.tool_calls ? JSON.parse(row.tool_calls) : [];
}

/**
 * @param {any} row
 * @param {Map<string, any>} results
 */
function elementOf(row, results) {
  const calls = callsOf(row);
  const text = row.content ?? streamed.get(row.id) ?? '';
  const answers = calls.map(({ id }) => results.get(id));
  return drawn.get(row.id, [row, text, answers], () => drawRow(row, text, calls, results));
}

/**
 * @param {any} row
 * @param {string} text
 * @param {any[]} calls
 * @param {Map<string, any>} results
 */
function drawRow(row, text, calls, results) {
  const { stopReasonCode, queued, scheduledEffect } = row.metadata ?? {};
  const element = make(
    `li.message.${row.role}`,
    {},
    make(
      'header',
      {},
      make('b', {}, row.role === 'tool' ? (row.name ?? 'tool') : row.role),
      row.prompt && make('span.faint', {}, row.prompt),
      queued ? badge('queued') : row.status === 'pending' && badge('writing', 'running'),
      row.status === 'failed' && badge('failed'),
      scheduledEffect && badge(`effect ${scheduledEffect.name}`, 'effect'),
      stopReasonCode && badge(stopReasonCode, 'stop'),
      clock(row.created_at),
    ),
    text !== '' && make('div.text', {}, text),
    ...(row.attachments ?? []).map((/** @type {any} */ { path, mimeType, size }) =>
      make('p.faint', {}, `${path} (${mimeType}, ${size} bytes)`),
    ),
    ...calls.map((call) => drawCall(call, results.get(call.id))),
  );
  element.classList.toggle('silent', row.silent === true);
  element.classList.toggle('failed', row.status === 'failed');
  element.classList.toggle('inner', row.depth > 0);
  return element;
}

/**
 * @param {any} call
 * @param {any} result
 */
function drawCall(call, result) {
  const status = result === undefined ? 'running' : result.tool_status;
  const element = foldable(
    `call ${call.id}`,
    'details.call',
    make(
      'summary',
      {},
      make('b', {}, call.function.name),
      make('code.brief', {}, result?.content ?? call.function.arguments),
      badge(status),
    ),
    facts([
      ['Arguments', readable(call.function.arguments)],
      ['Result', result && readable(result.content)],
    ]),
  );
  element.classList.add(status);
  return element;
}
