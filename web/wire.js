// What both ends of surtitle.js stand on: events, sockets, addresses, messages.

const SUBPROTOCOL = 'surtitle.v1';
const FRAME = 128; // bytes of a source message beside its words
// By the reason of `bye`: what was wrong, where no `error` has told it before.
export const BYE_ERRORS = {
  finished: null,
  draining: { code: 'draining', message: 'the daemon is going down; what it had taken is translated' },
};

const REFUSALS = { 401: 'unauthorized', 403: 'forbidden', 429: 'rate-limited' }; // by status
const NOTICES = ['sentence-too-long', 'not-configured'];

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

// The URL of a path below the daemon's address; `scheme`: ws or http. What of `query` is empty is left out.
export function endpoint(address, path, scheme, query = {}) {
  const url = new URL(path, String(address).replace(/\/?$/u, '/'));
  url.protocol = url.protocol.replace(/^(http|ws)/u, scheme);
  const given = Object.entries(query).filter(([, value]) => value);
  if (given.length > 0) url.search = given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return url.href;
}

// Why the daemon does not open a WebSocket, which the socket itself is not told: an error's {code, message}, or null
// where it does not say. The same address tells over HTTP.
export async function refusal(url, ask = fetch) {
  try {
    const answer = await ask(url.replace(/^ws/u, 'http'));
    return answer.status in REFUSALS ? { code: REFUSALS[answer.status], message: (await answer.text()).trim() } : null;
  } catch {
    return null;
  }
}

// Whether the stream goes on after an `error`.
export function isNotice({ code }) {
  return NOTICES.includes(code);
}

// Words in as few texts as the limits of `ready` want. Throws RangeError for a word that no message can hold.
export function splitForLimits(text, { message_bytes: most, queued_words }) {
  const lists = [];
  let room = 0;
  for (const word of text.split(/\s+/u).filter((part) => part !== '')) {
    const size = new TextEncoder().encode(JSON.stringify(word)).length;
    if (FRAME + size > most) throw new RangeError(`a word is longer than a message, which has ${most} bytes`);
    if (size > room || lists.at(-1).length === queued_words) {
      lists.push([]);
      room = most - FRAME;
    }
    lists.at(-1).push(word);
    room -= size;
  }
  return lists.map((words) => words.join(' '));
}
