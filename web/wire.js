// What both ends of surtitle.js stand on: events, sockets, addresses.

const SUBPROTOCOL = 'surtitle.v1';

// Tells messages to whoever asked for their type.
export class Emitter {
  #listeners = new Map(); // type -> Set

  on(type, listener) {
    if (!this.#listeners.has(type)) this.#listeners.set(type, new Set());
    this.#listeners.get(type).add(listener);
    return () => this.#listeners.get(type).delete(listener);
  }

  emit(type, value) {
    for (const listener of [...(this.#listeners.get(type) ?? [])]) listener(value);
  }

  received(data) {
    const message = JSON.parse(data);
    this.emit(message.type, message);
    this.emit('*', message);
  }
}

// A WebSocket with listeners by type. An 'error' is followed by 'close', and ends a Node that nobody hears it in.
export function connect(WebSocket, url, listeners) {
  const socket = new WebSocket(url, SUBPROTOCOL);
  for (const [type, listener] of Object.entries({ error() {}, ...listeners })) socket.addEventListener(type, listener);
  return socket;
}

// The URL of a path below the daemon's address; `scheme`: ws or http.
export function endpoint(address, path, scheme) {
  const url = new URL(path, String(address).replace(/\/?$/u, '/'));
  url.protocol = url.protocol.replace(/^(http|ws)/u, scheme);
  return url.href;
}
