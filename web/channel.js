// A viewer of a channel, which survives its connections.

import { ReconnectingSocket } from './reconnecting_socket.js';
import { Emitter, endpoint, refusal } from './wire.js';

const PROBE_TIMEOUT = 5_000; // ms
const SILENCES = 3; // in a row

export const BACKLOG = 1000; // finished sentences, as many as the daemon sends to a viewer that begins

// Reconnects without end, and then receives the messages that it missed: `ready` has `after`, and displayed text stays.
//
// Beside messages it emits
//   'connection'  {phase: 'connecting', again} | {phase: 'open'} | {phase: 'waiting', seconds}
//   'refused'     {code, message}, while it is not connected: the reason why the daemon rejects it, if known
// `interrupted` and `heading` are those of the channel after the last message.
//
// `again`: there was a connection, or an attempt, before. The phase is 'open' once the server has sent `ready`. After a
// long silence, an HTTP request checks that the server can be reached.
export class Channel extends Emitter {
  interrupted = null; // seconds, as reported, that the stream waits for its lost sender; null: it does not wait
  heading = { title: '', speaker: '' }; // free text of the stream; '': none
  #address;
  #path;
  #query;
  #connection;
  #platform;
  #silences = 0;
  #successes = 0; // connections that were accepted
  #place = null; // {stream, event} of the last message; valid once `messages` more of a backlog have arrived

  // `track`: one of the tracks in `ready`, or null for all; `attention`: also receive these messages; `backlog`: number of
  // finished sentences to begin with, at most BACKLOG, or null for the daemon's default. Parts of the platform can be
  // replaced.
  constructor(address, name, { track = null, attention = false, backlog = null, token = null, ...platform } = {}) {
    super();
    this.track = track;
    this.#address = address;
    this.#path = `v1/channels/${encodeURIComponent(name)}`;
    this.#query = { attention: attention && '1', backlog, token };
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
    this.on('ready', () => {
      this.#successes += 1;
      this.#connection.ready();
    });
  }

  // Connects or reconnects, for example to another track. Starts from the present state of the channel.
  open() {
    this.#place = null;
    this.#connection.open();
  }

  // True for messages of the past: while the backlog arrives, except for its last message.
  get catchingUp() {
    return this.#place?.messages > 0;
  }

  close() {
    this.#connection.close();
  }

  // To be called if the network has changed or the page is visible again. Reconnects at once if it was waiting;
  // otherwise checks that the server can be reached. A daemon on this machine is reachable without any network.
  async check() {
    if (this.#connection.waits) return this.#connection.open();
    const { socket } = this.#connection;
    const reached = await this.#platform.reach().then(() => true, () => false);
    if (socket === null || socket !== this.#connection.socket) return;
    reached ? this.#connection.listen() : this.#connection.retry();
  }

  // Called after a long silence. A reachable server may have lost only this connection. A new one is cheap if it
  // continues from the last message.
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
    if (['ready', 'state', 'interruption'].includes(type)) this.interrupted = message.interrupted ?? null;
    if (['ready', 'state', 'heading'].includes(type)) {
      this.heading = { title: message.title ?? '', speaker: message.speaker ?? '' };
    }
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

  // The reason may arrive only during the next attempt, and still holds unless that one succeeds.
  async #lost(opened, url) {
    this.#connection.retry();
    const successes = this.#successes;
    const why = opened ? null : await refusal(url, this.#platform.ask);
    const tries = this.#connection.waits || this.#connection.socket !== null;
    if (why !== null && tries && successes === this.#successes) this.emit('refused', why);
  }
}
