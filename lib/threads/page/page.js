// The page of `isobox threads`: all threads beside one of them, live.

import * as conversation from './conversation.js';
import { ago, arrange, badge, byId, drawnOnce, make, soon } from './elements.js';
import * as record from './record.js';
import { ask, follow, tokens } from './service.js';

const LISTED = 1000;

/** @type {Map<string, any>} */
const threads = new Map();
/** @type {string | null} */
let chosen = null;
let unfollow = () => {};
const drawn = drawnOnce();

const drawThreads = soon(() => {
  const search = byId('search').value.trim().toLowerCase();
  const byActivity = (/** @type {any} */ a, /** @type {any} */ b) =>
    b.last_activity_at - a.last_activity_at || b.created_at - a.created_at;
  const all = [...threads.values()].sort(byActivity);
  const isFound = (/** @type {any} */ row) =>
    `${row.id} ${row.agent_name} ${row.last_message_preview} ${row.tags}`
      .toLowerCase()
      .includes(search);
  const below = (/** @type {any} */ row) => [
    row,
    ...all.filter(({ parent }) => parent === row.id).flatMap(below),
  ];
  const tops = all.filter(({ parent }) => parent === null || !threads.has(parent));
  arrange(
    byId('threads'),
    tops
      .flatMap(below)
      .filter(isFound)
      .map((row) => {
        const isChild = row.parent !== null && threads.has(row.parent);
        const when = ago(row.last_activity_at);
        const shown = [row, when, isChild, row.id === chosen];
        return drawn.get(row.id, shown, () => threadButton(row, when, isChild));
      }),
  );
});

/** @param {any} row */
function statusOf(row) {
  if (row.terminated !== null) return 'terminated';
  return row.executing ? 'running' : 'idle';
}

/**
 * @param {any} row
 * @param {string} when
 * @param {boolean} isChild
 */
function threadButton(row, when, isChild) {
  const status = statusOf(row);
  const button = make(
    'button.thread',
    { type: 'button', title: row.id },
    make(
      'div.top',
      {},
      make(
        'b',
        {},
        row.tags.find((/** @type {string} */ tag) => tag.startsWith('name:'))?.slice(5) ??
          row.agent_name,
      ),
      status !== 'idle' && badge(status),
      make('time', {}, when),
    ),
    make('div.preview', {}, row.last_message_preview ?? 'no messages yet'),
  );
  button.classList.toggle('child', isChild);
  button.setAttribute('aria-current', String(row.id === chosen));
  button.addEventListener('click', () => choose(row.id));
  return button;
}

/** @param {any} row */
function putThread(row) {
  const wasExecuting = threads.get(row.id)?.executing;
  threads.set(row.id, row);
  if (row.id === chosen) {
    drawHead(row);
    // Rows of requests that came to nothing are gone now.
    if (wasExecuting && !row.executing) void readThread(row.id);
  }
  drawThreads();
}

/** @param {any} row */
function drawHead(row) {
  const status = statusOf(row);
  byId('thread-agent').textContent = row.agent_name;
  byId('thread-id').textContent = row.id;
  byId('thread-status').replaceWith(Object.assign(badge(status), { id: 'thread-status' }));
  byId('stop').disabled = status !== 'running';
  byId('continue').disabled = status !== 'idle';
  for (const part of byId('composer').elements) part.disabled = status === 'terminated';
}

/** @param {string} id */
function choose(id) {
  unfollow();
  chosen = id;
  location.hash = id;
  for (const part of ['thread', 'record']) byId(part).hidden = false;
  byId('nothing').hidden = true;
  byId('fault').textContent = '';
  conversation.clear();
  record.clear();
  const row = threads.get(id);
  if (row !== undefined) drawHead(row);
  unfollow = follow(`threads/${id}/stream?logs=1&includeSilent=1&depth=100`, {
    open: () => void readThread(id),
    frame: (frame) => {
      if (frame.type === 'message_data') conversation.put(frame.data);
      else if (frame.type === 'message_chunk') conversation.append(frame.message_id, frame.chunk);
      else if (frame.type === 'log_data') record.put(frame.data);
      else if (frame.type === 'event') record.addEvent(frame);
    },
  });
  drawThreads();
}

/** @param {string} id */
async function readThread(id) {
  await attempt(async () => {
    const [{ messages }, { logs }, row] = await Promise.all([
      ask('GET', `threads/${id}/messages?limit=1000&includeSilent=1&depth=100`),
      ask('GET', `threads/${id}/logs?limit=200`),
      ask('GET', `threads/${id}`),
    ]);
    if (id !== chosen) return;
    conversation.replace(messages);
    logs.forEach(record.put);
    threads.set(id, row);
    drawHead(row);
    drawThreads();
  });
}

/** @param {() => Promise<unknown>} act what goes wrong is shown below the thread */
async function attempt(act) {
  try {
    byId('fault').textContent = '';
    await act();
  } catch (error) {
    byId('fault').textContent = /** @type {Error} */ (error).message;
  }
}

/** @param {any} frame of the stream of all threads */
function hear({ type, thread_id: id, data }) {
  if (type !== 'thread_deleted') putThread(data);
  else {
    threads.delete(id);
    drawThreads();
  }
}

async function readThreads() {
  const found = (await ask('GET', `threads?limit=${LISTED}&include_children=1`)).threads;
  for (const row of found) putThread(row);
}

/** @param {string} [fault] */
function askForToken(fault = '') {
  byId('sign-in').hidden = false;
  byId('app').hidden = true;
  byId('sign-in-fault').textContent = fault;
}

async function start() {
  if (tokens.get() === null) {
    askForToken();
    return;
  }
  try {
    const { agents } = await ask('GET', 'agents');
    byId('new-thread').elements.agent.replaceChildren(
      ...agents.map((/** @type {any} */ { name, title }) =>
        make('option', { value: name }, title ?? name),
      ),
    );
    await readThreads();
  } catch (error) {
    tokens.forget();
    askForToken(/** @type {Error} */ (error).message);
    return;
  }
  byId('sign-in').hidden = true;
  byId('app').hidden = false;
  const link = byId('link');
  follow('stream', {
    open: () => {
      link.className = 'open';
      link.title = 'Connected';
      void readThreads().catch(() => {});
    },
    frame: hear,
    end: () => {
      link.className = '';
      link.title = 'Not connected';
    },
  });
  const asked = decodeURIComponent(location.hash.slice(1));
  if (threads.has(asked)) choose(asked);
}

/**
 * @param {string} id
 * @param {(form: any) => unknown} act
 */
function onSubmit(id, act) {
  byId(id).addEventListener('submit', (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void act(event.target);
  });
}

onSubmit('sign-in', (form) => {
  tokens.set(form.elements.token.value);
  return start();
});
onSubmit('new-thread', (form) =>
  attempt(async () => {
    const { threadId } = await ask('POST', 'threads', { agent_id: form.elements.agent.value });
    putThread(await ask('GET', `threads/${threadId}`));
    choose(threadId);
  }),
);
onSubmit('composer', (form) =>
  attempt(async () => {
    await ask('POST', `threads/${chosen}/messages`, { content: form.elements.content.value });
    form.reset();
    await readThread(/** @type {string} */ (chosen));
  }),
);
byId('composer').addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
  if (event.key !== 'Enter' || event.shiftKey) return;
  event.preventDefault();
  byId('composer').requestSubmit();
});
byId('stop').addEventListener('click', () => attempt(() => ask('POST', `threads/${chosen}/stop`)));
byId('continue').addEventListener('click', () =>
  attempt(() => ask('POST', `threads/${chosen}/continue`)),
);
byId('search').addEventListener('input', drawThreads);
setInterval(drawThreads, 10_000);
byId('with-silent').addEventListener('change', conversation.redraw);
byId('earlier').addEventListener('click', conversation.showEarlier);
for (const name of ['log', 'events']) {
  byId(`tab-${name}`).addEventListener('click', () => {
    for (const one of ['log', 'events']) {
      byId(one).hidden = one !== name;
      byId(`tab-${one}`).setAttribute('aria-selected', String(one === name));
    }
  });
}
void start();
