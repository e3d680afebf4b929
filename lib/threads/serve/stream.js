'use strict';
// What happens in threads, as it happens, over WebSockets. Frames are for those who listen now: whoever connects again reads
// the thread again. A reader who is too slow loses chunks first, then the connection.

const { loadWs } = require('../base/peers.js');
const { keys } = require('../store/keys.js');
const { Changes } = require('./changes.js');
const { isTrue } = require('./request.js');
const { Tail } = require('./tail.js');
const { toRow } = require('./thread-row.js');

/** Above this, pieces of text are left out: the whole message follows. */
const SKIP_BYTES = 2 ** 20;
/** Above this, the reader is let go. */
const DROP_BYTES = 8 * 2 ** 20;
/** What happens to a thread within this time is one frame of the stream of all threads. */
const GATHER_MS = 50;
/** How late what another process did may be seen. */
const ELSEWHERE_MICROS = 1e6;

/** @typedef {(type: string, frame: any, isChunk?: boolean) => void} Send */
/** @typedef {{ tail: InstanceType<typeof Tail>, sends: Set<Send> }} Followed */
/** @typedef {import('./access.js').Caller} Caller */

class ThreadStreams {
  #parts;
  /** @type {import('ws').WebSocketServer | undefined} */
  #server;
  /** Readers of one thread, by its id. @type {Map<string, Followed>} */
  #followed = new Map();
  /** Readers of all threads. @type {Map<Send, Caller>} */
  #watchers = new Map();
  #changes;
  /** Threads that have changed since the last frame about them, and whether elsewhere. @type {Map<string, boolean>} */
  #gathered = new Map();
  /** @type {NodeJS.Timeout | undefined} */
  #gathering;
  #toldAt;

  /** @param {import('../parts.js').Parts} parts */
  constructor(parts) {
    this.#parts = parts;
    this.#toldAt = parts.store.now();
    this.#changes = new Changes(parts.store, {
      changed: (id, isElsewhere) => this.#changed(id, isElsewhere),
      deleted: (id, user) => this.#tellAll('thread_deleted', { thread_id: id }, user),
    });
    parts.store.follow(({ records }) => {
      if (this.#followed.size === 0) return;
      for (const { key, value } of records) {
        const [kind, id] = key.split('/');
        if (kind !== 'message' && kind !== 'log') continue;
        this.#followed.get(id)?.tail.note(kind, key, value);
      }
    });
    parts.events.on('chunk', ({ threadId, ...frame }) =>
      this.#tell(threadId, 'message_chunk', frame, true),
    );
    parts.events.on('event', ({ threadId, ...frame }) => this.#tell(threadId, 'event', frame));
    parts.events.on('telemetry', ({ threadId, type, ...data }) =>
      this.#tell(threadId, 'event', { eventType: type, data, timestamp: Date.now() }),
    );
  }

  /**
   * @param {string} id
   * @param {string} type
   * @param {object} frame
   * @param {boolean} [isChunk]
   */
  #tell(id, type, frame, isChunk = false) {
    for (const send of this.#followed.get(id)?.sends ?? []) send(type, frame, isChunk);
  }

  /**
   * @param {string} id
   * @param {'message' | 'log'} kind
   * @param {any} value
   */
  #tellRow(id, kind, value) {
    if (kind === 'log') this.#tell(id, 'log_data', { log_id: value.id, data: value });
    else {
      const { id: message_id, depth = 0 } = value;
      this.#tell(id, 'message_data', { message_id, depth, data: value });
    }
  }

  /**
   * @param {string} id
   * @param {boolean} isElsewhere
   */
  #changed(id, isElsewhere) {
    if (this.#watchers.size > 0) {
      this.#gathered.set(id, isElsewhere);
      this.#gathering ??= setTimeout(() => void this.#tellGathered(), GATHER_MS).unref();
    }
    if (isElsewhere) void this.#followed.get(id)?.tail.look();
  }

  async #tellGathered() {
    const gathered = [...this.#gathered];
    this.#gathered.clear();
    this.#gathering = undefined;
    const toldAt = this.#toldAt;
    this.#toldAt = this.#parts.store.now();
    for (const [id, isElsewhere] of gathered) {
      const since = isElsewhere ? toldAt - ELSEWHERE_MICROS : toldAt;
      const record = await this.#parts.store.get(keys.thread(id)).catch(() => undefined);
      if (record === undefined) continue;
      const isNew = record.created_at >= since;
      const type = record.last_activity_at >= since ? 'thread_activity' : 'thread_updated';
      const data = toRow(this.#parts, record);
      this.#tellAll(isNew ? 'thread_created' : type, { thread_id: id, data }, record.user_id);
    }
  }

  /**
   * @param {string} type
   * @param {object} frame
   * @param {string | null} user whose thread it is about
   */
  #tellAll(type, frame, user) {
    for (const [send, caller] of this.#watchers) {
      if (caller.user === null || caller.user === user) send(type, frame);
    }
  }

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:stream').Duplex} socket
   * @param {Buffer} head
   * @param {{ id: string, query: URLSearchParams, caller: Caller }} asked all threads when the id is empty
   */
  open(request, socket, head, { id, query, caller }) {
    const { WebSocketServer } = loadWs();
    this.#server ??= new WebSocketServer({ noServer: true });
    this.#server.handleUpgrade(request, socket, head, (client) => {
      if (id === '') this.#watch(client, caller);
      else this.#follow(client, id, query);
    });
  }

  /**
   * @param {import('ws').WebSocket} client
   * @param {Caller} caller
   */
  #watch(client, caller) {
    const send = sender(client);
    this.#watchers.set(send, caller);
    this.#begin(client, {}, () => this.#watchers.delete(send));
  }

  /**
   * @param {import('ws').WebSocket} client
   * @param {string} id
   * @param {URLSearchParams} query
   */
  #follow(client, id, query) {
    const depth = Number(query.get('depth') ?? 0);
    const withSilent = isTrue(query.get('includeSilent'));
    const withLogs = isTrue(query.get('logs'));
    const sendAny = sender(client);
    /** @type {Send} */
    const send = (type, frame, isChunk) => {
      if (type === 'log_data' && !withLogs) return;
      if (frame.depth > depth || (frame.data?.silent === true && !withSilent)) return;
      sendAny(type, frame, isChunk);
    };
    const followed = this.#followed.get(id) ?? {
      tail: new Tail(this.#parts.store, id, (kind, value) => this.#tellRow(id, kind, value)),
      sends: new Set(),
    };
    followed.sends.add(send);
    this.#followed.set(id, followed);
    this.#begin(client, { thread_id: id }, () => {
      followed.sends.delete(send);
      if (followed.sends.size === 0 && this.#followed.get(id) === followed) {
        this.#followed.delete(id);
      }
    });
  }

  /**
   * @param {import('ws').WebSocket} client
   * @param {object} about
   * @param {() => void} end
   */
  #begin(client, about, end) {
    const look = () => this.#changes.want(this.#followed.size + this.#watchers.size > 0);
    const gone = () => {
      end();
      look();
    };
    client.on('close', gone);
    client.on('error', gone);
    look();
    client.send(JSON.stringify({ type: 'connected', ...about }));
  }

  close() {
    this.#changes.want(false);
    clearTimeout(this.#gathering);
    for (const client of this.#server?.clients ?? []) client.close(1001, 'the runtime is closed');
    this.#server?.close();
  }
}

/**
 * @param {import('ws').WebSocket} client
 * @returns {Send} to a reader who may be too slow for it
 */
function sender(client) {
  return (type, frame, isChunk = false) => {
    // Who does not read would not read the reason either.
    if (client.bufferedAmount > DROP_BYTES) client.terminate();
    else if (!isChunk || client.bufferedAmount <= SKIP_BYTES) {
      client.send(JSON.stringify({ type, ...frame }));
    }
  };
}

module.exports = { ThreadStreams };
