// Whether the holder of the page's token may send words, and may therefore use the console.

import { connect, endpoint } from './wire.js';

const LINK = /^sl\.([a-z]+)\./u;

// REQUIRES: the daemon has let the page watch its channel. A page without a token then has every right, and the role of
// a link is in its token. Only the daemon knows that of other tokens: the connection of a sender is opened and closed.
export function maySend(home, token, WebSocket = globalThis.WebSocket) {
  if (!token) return Promise.resolve(true);
  const link = LINK.exec(token);
  if (link) return Promise.resolve(link[1] === 'send');
  return new Promise((resolve) => {
    const socket = connect(WebSocket, endpoint(home, 'v1/stream', 'ws', { token }), {
      open: () => {
        resolve(true);
        socket.close();
      },
      close: () => resolve(false),
    });
  });
}
