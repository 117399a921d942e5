// Events, sockets, addresses and messages, for senders and viewers of surtitle.js.

import { joinWords, splitWords } from './words.js';

const SUBPROTOCOL = 'surtitle.v1';
const FRAME = 128; // bytes of a source message without its words
// The errors of `bye` by its reason; no `error` message precedes these.
export const BYE_ERRORS = {
  finished: null,
  draining: { code: 'draining', message: 'the daemon is shutting down; acknowledged words are translated' },
};

const REFUSALS = { 401: 'unauthorized', 403: 'forbidden', 429: 'rate-limited' }; // error codes by HTTP status
const NOTICES = ['sentence-too-long', 'not-configured'];

// Calls listeners by the type of a message.
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

// Returns a WebSocket with listeners by type. It always listens to 'error', which would otherwise end a Node process;
// 'close' follows.
export function connect(WebSocket, url, listeners) {
  const socket = new WebSocket(url, SUBPROTOCOL);
  for (const [type, listener] of Object.entries({ error() {}, ...listeners })) socket.addEventListener(type, listener);
  return socket;
}

// Returns the URL of a path below the daemon's address. `scheme`: ws or http. Empty values of `query` are left out.
export function endpoint(address, path, scheme, query = {}) {
  const url = new URL(path, String(address).replace(/\/?$/u, '/'));
  url.protocol = url.protocol.replace(/^(http|ws)/u, scheme);
  const given = Object.entries(query).filter(([, value]) => value);
  if (given.length > 0) url.search = given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return url.href;
}

// Returns the reason why the daemon does not open a WebSocket, as {code, message}, or null if it is unknown. A
// browser's WebSocket does not report the reason; a plain HTTP request to the same address does.
export async function refusal(url, ask = fetch) {
  try {
    const answer = await ask(url.replace(/^ws/u, 'http'));
    return answer.status in REFUSALS ? { code: REFUSALS[answer.status], message: (await answer.text()).trim() } : null;
  } catch {
    return null;
  }
}

// Returns true if the `error` does not end the stream.
export function isNotice({ code }) {
  return NOTICES.includes(code);
}

// Returns the words as texts, one for each message, as few as the limits of `ready` allow. Throws RangeError if a word
// is too long for a message.
export function splitForLimits(text, { message_bytes: maxBytes, queued_words }) {
  const lists = [];
  let room = 0;
  for (const word of splitWords(text)) {
    const size = new TextEncoder().encode(JSON.stringify(word)).length;
    if (FRAME + size > maxBytes) throw new RangeError(`a word does not fit into a message, which may have ${maxBytes} bytes`);
    if (size > room || lists.at(-1).length === queued_words) {
      lists.push([]);
      room = maxBytes - FRAME;
    }
    lists.at(-1).push(word);
    room -= size;
  }
  return lists.map(joinWords);
}
