// Surtitle's wire protocol, surtitle.v1, for browsers and Node, without dependencies; README.md has examples.
//
// An address is that of the daemon's page; where the daemon asks for one, `token` goes with it. on(type, listener) calls
// the listener with every message of that type, or of any where it is '*', and returns a function that ends it; types
// that a newer server invents are told like all others. Node before 22 has no WebSocket: give one, such as that of the
// package ws. Both come back by themselves after a cut, lose nothing and tell nothing twice, where the daemon keeps a
// journal; meanwhile they tell 'connection' (reconnecting_socket.js).

export { Channel } from './channel.js';
export { backoffDelay } from './reconnecting_socket.js';
export { Stream, SurtitleError } from './stream.js';
