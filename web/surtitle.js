// Client of Surtitle's wire protocol, surtitle.v1, for browsers and Node, without dependencies.
//
// README.md has examples. An address is that of the daemon's page; pass `token` if the daemon requires one.
//
// on(type, listener) calls the listener with every message of that type, or with all messages for '*'. It returns a
// function that removes the listener. Types that are newer than this client are emitted too.
//
// Node before 22 has no WebSocket: pass one, such as that of the package ws.
//
// A Stream and a Channel reconnect after a lost connection, and emit 'connection' meanwhile (reconnecting_socket.js).
// If the daemon keeps a journal, they lose no message and emit none twice.

export { Channel } from './channel.js';
export { backoffDelay } from './reconnecting_socket.js';
export { Stream, SurtitleError } from './stream.js';
