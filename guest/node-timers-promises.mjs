import { clearTimeout, setImmediate as set, setTimeout as setLater } from 'part:timers';

function wait(start, value, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const id = start(() => resolve(value));
    signal?.addEventListener('abort', () => {
      clearTimeout(id);
      reject(signal.reason);
    });
  });
}

const setTimeout = (ms, value, options) => wait((act) => setLater(act, ms), value, options?.signal);
const setImmediate = (value, options) => wait(set, value, options?.signal);

export default { setImmediate, setTimeout, scheduler: { wait: (ms) => setTimeout(ms) } };
