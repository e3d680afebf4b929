// Timers in the order in which they are due. The host holds one timer for all of them, set to the next.

const MAX_DELAY_MS = 2 ** 31 - 1;

/** @type {Map<number, Timer>} those that are set, by id */
const timers = new Map();
let nextId = 1;
// What the host was last asked for: when to wake us, and which request that was.
let wakeAt = Infinity;
let wakeRequest = 0;
const startedAt = host.now();

class Timer {
  constructor(act, args, delayMs, repeats) {
    const wanted = Math.trunc(Number(delayMs));
    this.delayMs = wanted >= 1 && wanted <= MAX_DELAY_MS ? wanted : 1;
    this.act = act;
    this.args = args;
    this.repeats = repeats;
    this.id = nextId++;
    this.dueAt = host.now() + this.delayMs;
  }
}

function nextDue() {
  let first;
  for (const timer of timers.values()) {
    if (first === undefined || timer.dueAt < first.dueAt) first = timer;
  }
  return first;
}

/** Has the host's timer fit what is due next; without a timer it has none. */
function schedule() {
  const dueAt = nextDue()?.dueAt ?? Infinity;
  if (dueAt === wakeAt) return;
  wakeAt = dueAt;
  const request = ++wakeRequest;
  const delay = dueAt === Infinity ? '' : String(Math.max(0, dueAt - host.now()));
  host.setTimer(delay).then(
    () => request === wakeRequest && wake(),
    () => {},
  );
}

/** One timer per wake, so that all that it set in motion runs before the next. */
function wake() {
  wakeAt = Infinity;
  const timer = nextDue();
  if (timer !== undefined && timer.dueAt <= host.now()) {
    if (timer.repeats) {
      timers.delete(timer.id);
      timer.dueAt = host.now() + timer.delayMs;
      timers.set(timer.id, timer);
    } else {
      timers.delete(timer.id);
    }
    try {
      timer.act(...timer.args);
    } catch (error) {
      host.report(error);
    }
  }
  schedule();
}

function set(act, delayMs, args, repeats) {
  if (typeof act !== 'function') throw new TypeError('The callback must be a function');
  const timer = new Timer(act, args, delayMs, repeats);
  timers.set(timer.id, timer);
  if (timer.dueAt < wakeAt) schedule();
  return timer.id;
}

function clear(id) {
  const timer = timers.get(Number(id));
  timers.delete(timer?.id);
  if (timer?.dueAt === wakeAt) schedule();
}

export function setTimeout(callback, delayMs = 0, ...args) {
  return set(callback, delayMs, args, false);
}

export function setInterval(callback, delayMs = 0, ...args) {
  return set(callback, delayMs, args, true);
}

export function setImmediate(callback, ...args) {
  return set(callback, 0, args, false);
}

export function clearTimeout(id) {
  clear(id);
}

export function clearInterval(id) {
  clear(id);
}

export function clearImmediate(id) {
  clear(id);
}

const done = Promise.resolve();

export function queueMicrotask(callback) {
  if (typeof callback !== 'function') throw new TypeError('The callback must be a function');
  done.then(() => callback()).catch(host.report);
}

export const performance = Object.freeze({
  timeOrigin: Date.now(),
  now: () => host.now() - startedAt,
  toJSON: () => ({ timeOrigin: performance.timeOrigin }),
});
