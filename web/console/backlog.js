// What a channel has shown so far, for a page that was opened in the middle of a stream.

import { connect, endpoint } from '../wire.js';

const SENTENCES = 100; // finished ones; the table of sentences shows no more

// Resolves with {stream, event, messages}: the messages up to this event of this stream; `stream` is undefined if the
// channel has no words. The one `write` of a finished sentence has `whole`: its time is not that of the first. Resolves
// with null if they cannot be loaded, for example because the token may not watch.
export function loadBacklog(home, channel, token, WebSocket = globalThis.WebSocket) {
  const path = `v1/channels/${encodeURIComponent(channel)}`;
  const url = endpoint(home, path, 'ws', { backlog: SENTENCES, token });
  return new Promise((resolve) => {
    let backlog = null;
    const done = (result) => {
      resolve(result);
      socket.close();
    };
    const socket = connect(WebSocket, url, {
      message: ({ data }) => {
        const message = JSON.parse(data);
        if (backlog === null) backlog = { ...message.backlog, left: message.backlog?.messages ?? 0, messages: [] };
        else backlog.messages.push(message);
        if (backlog.messages.length < backlog.left) return;
        const { stream, event, messages } = backlog;
        done({ stream, event, messages: markWhole(messages) });
      },
      close: () => done(null),
    });
  });
}

function markWhole(messages) {
  const keyOf = ({ sentence, track = '' }) => `${sentence} ${track}`;
  const finished = new Set(messages.filter(({ type }) => type === 'sentence').map(keyOf));
  return messages.map((message) => (message.type === 'write' && finished.has(keyOf(message)) ? { ...message, whole: true } : message));
}
