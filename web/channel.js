// A viewer of a channel, over one connection after the other.

import { ReconnectingSocket } from './reconnecting_socket.js';
import { Emitter, endpoint, refusal } from './wire.js';

const PROBE_TIMEOUT = 5_000; // ms
const SILENCES = 3; // in a row

// Comes back by itself for ever, and is told then what it missed: `ready` has `after`, and what it shows stays. Beside
// messages it tells 'connection':
//   {phase: 'connecting', again} | {phase: 'open'} | {phase: 'waiting', seconds}
// and 'refused', while it waits, where the daemon says why it does not let it in: {code, message}.
// `again`: it was there, or was tried, before. It is open when the server has said `ready`. Where nothing came for long, a
// request tells whether the server can be reached.
export class Channel extends Emitter {
  #address;
  #path;
  #query;
  #connection;
  #platform;
  #silences = 0;
  #place = null; // {stream, event} told last, `messages`: of a backlog, to come before that holds

  // `track`: one of `ready`'s tracks, else all come; `attention`: its messages, too. The platform's parts can be replaced.
  constructor(address, name, { track = null, attention = false, token = null, ...platform } = {}) {
    super();
    this.track = track;
    this.#address = address;
    this.#path = `v1/channels/${encodeURIComponent(name)}`;
    this.#query = { attention: attention && '1', token };
    this.#platform = {
      ask: (url) => fetch(url),
      reach: () => fetch(endpoint(address, 'healthz', 'http'), { signal: AbortSignal.timeout(PROBE_TIMEOUT) }),
      ...platform,
    };
    this.#connection = new ReconnectingSocket({
      url: () => this.#url,
      opened: () => {},
      received: (data) => {
        this.#silences = 0;
        this.received(data);
      },
      lost: (opened, url) => this.#lost(opened, url),
      silent: () => this.#doubt(),
      emit: (type, state) => this.emit(type, state),
    }, platform);
    this.on('*', (message) => this.#follow(message));
    this.on('ready', () => this.#connection.ready());
  }

  // Connects, or connects anew, as to another track; what it was told before is forgotten.
  open() {
    this.#place = null;
    this.#connection.open();
  }

  close() {
    this.#connection.close();
  }

  // The network has changed, or somebody looks again: tries at once where it was waiting, else makes sure that the
  // server can be reached. A daemon on this machine can without any network.
  async check() {
    if (this.#connection.waits) return this.#connection.open();
    const { socket } = this.#connection;
    const reached = await this.#platform.reach().then(() => true, () => false);
    if (socket === null || socket !== this.#connection.socket) return;
    reached ? this.#connection.listen() : this.#connection.retry();
  }

  // A server that can be reached may have lost this one connection: another one costs little where it goes on.
  #doubt() {
    this.#silences += 1;
    if (this.#silences % SILENCES !== 0 || this.#place?.messages !== 0) return this.check();
    this.#connection.open({ quietly: true });
  }

  get #url() {
    const { stream, event, messages } = this.#place ?? { messages: 1 };
    const after = messages === 0 && `${stream}:${event}`;
    return endpoint(this.#address, this.#path, 'ws', { track: this.track, ...this.#query, after });
  }

  #follow(message) {
    const { type, event } = message;
    if (type === 'ready') {
      if (message.after === undefined) this.#place = message.backlog ? { ...message.backlog } : null;
    } else if (this.#place?.messages > 0) {
      this.#place.messages -= 1;
    } else if (type === 'state' && message.sender) {
      this.#place = { stream: message.stream, event: 0, messages: 0 };
    } else if (this.#place && event) {
      this.#place.event = event;
    }
  }

  async #lost(opened, url) {
    this.#connection.retry();
    const why = opened ? null : await refusal(url, this.#platform.ask);
    if (why !== null && this.#connection.waits) this.emit('refused', why);
  }
}
