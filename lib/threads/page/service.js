// The threads' REST paths and streams, with the token that the person has given. It is kept for this tab alone.

const TOKEN = 'isobox-token';
const AGAIN_MS = 1000;

export const tokens = {
  get: () => sessionStorage.getItem(TOKEN),
  /** @param {string} token */
  set: (token) => sessionStorage.setItem(TOKEN, token),
  forget: () => sessionStorage.removeItem(TOKEN),
};

export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 */
export async function ask(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: { authorization: `Bearer ${tokens.get()}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refusal(response.status, answer.error ?? response.statusText);
  return answer;
}

/**
 * A stream that is opened again whenever it ends.
 *
 * @param {string} path
 * @param {{ frame: (frame: any) => void, open?: () => void, end?: () => void }} told `open` also after it was opened again
 * @returns {() => void} ends it for good
 */
export function follow(path, { frame, open = () => {}, end = () => {} }) {
  let isOver = false;
  /** @type {WebSocket} */
  let socket;
  const begin = () => {
    if (isOver) return;
    const url = new URL(path, location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    url.searchParams.set('token', tokens.get() ?? '');
    socket = new WebSocket(url);
    socket.addEventListener('message', ({ data }) => {
      const given = JSON.parse(data);
      if (given.type === 'connected') open();
      else frame(given);
    });
    socket.addEventListener('close', () => {
      if (isOver) return;
      end();
      setTimeout(begin, AGAIN_MS);
    });
  };
  begin();
  return () => {
    isOver = true;
    socket.close();
  };
}
