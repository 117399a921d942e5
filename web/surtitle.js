// Surtitle's wire protocol, surtitle.v1, for browsers and Node, without dependencies; README.md has examples.
//
// An address is that of the daemon's page; where the daemon asks for one, `token` goes with it. on(type, listener) calls the listener with every message of that type, or of
// any where it is '*', and returns a function that ends it; types that a newer server invents are told like all others.
// Node before 22 has no WebSocket: give one, such as that of the package ws.

import { connect, Emitter, endpoint, FAREWELLS, isNotice, portions, refusal } from './wire.js';

const [FIRST_WAIT, LONGEST_WAIT, SILENCE, PROBE_TIMEOUT] = [500, 10_000, 20_000, 5_000]; // ms

// What ended a stream; `code` is that of the protocol's `error`, or 'unauthorized' or 'connection-lost'.
export class SurtitleError extends Error {
  constructor({ code, message }) {
    super(message);
    this.code = code;
  }
}

// A sender's stream. Beside messages it tells 'close' once: null after finish(), else a SurtitleError. It does not come
// back by itself, for the daemon forgets a stream with its connection.
export class Stream extends Emitter {
  ready; // the server's `ready`: stream, model, policy, warnings, limits
  #socket;
  #seq = 0;
  #untaken = new Map(); // seq -> {resolve, reject}
  #ended = false;
  #error = { code: 'connection-lost', message: 'no connection to the daemon' };

  // `start`: source, target and, where wished, model, policy, channel and others, as in the protocol. Done when the
  // daemon is ready; throws a SurtitleError where it refuses or is not there.
  static open(address, { WebSocket = globalThis.WebSocket, token, ...start }) {
    const stream = new Stream();
    return new Promise((resolve, reject) => {
      stream.on('ready', () => resolve(stream));
      stream.on('close', reject);
      stream.#open(WebSocket, endpoint(address, 'v1/stream', 'ws', { token }), start);
    });
  }

  // Complete words, in as many messages as the daemon's limits want; `time`: seconds on the source's own clock. Done
  // when the daemon has taken them. Throws RangeError, and sends nothing, for a word that no message can hold.
  source(text, { time } = {}) {
    return quiet(Promise.all(portions(text, this.ready.limits).map((portion) => this.#say(portion, time))));
  }

  // A recogniser's whole text since its last final one.
  hypothesis(text, { final = false } = {}) {
    this.send({ type: 'hypothesis', text, final });
  }

  // Done when the daemon has taken all that was sent before.
  taken() {
    return quiet(this.#say(''));
  }

  // Another model, policy or source form from the next sentence on; answered by `policy`, or by `error`, a notice.
  configure(change) {
    this.send({ type: 'configure', ...change });
  }

  endSentence() {
    this.send({ type: 'end_sentence' });
  }

  // No more source. Done when all is translated and the daemon has said goodbye.
  async finish() {
    this.send({ type: 'finish' });
    await new Promise((resolve, reject) => this.on('close', (failure) => (failure ? reject(failure) : resolve())));
  }

  // Leaves without a word; what is open is not translated to its end.
  close() {
    this.#socket.close();
  }

  #open(WebSocket, url, start) {
    this.on('ready', (ready) => (this.ready = ready));
    this.on('error', (error) => isNotice(error) || (this.#error = error));
    this.on('bye', ({ reason }) => reason in FAREWELLS && (this.#error = FAREWELLS[reason]));
    this.on('ack', ({ seq }) => {
      this.#untaken.get(seq)?.resolve();
      this.#untaken.delete(seq);
    });
    let opened = false;
    this.#socket = connect(WebSocket, url, {
      open: () => {
        opened = true;
        this.send({ type: 'start', ...start });
      },
      message: ({ data }) => this.received(data),
      close: async () => {
        this.#ended = true;
        if (!opened) this.#error = (await refusal(url)) ?? this.#error;
        const failure = this.#error && new SurtitleError(this.#error);
        for (const { reject } of this.#untaken.values()) reject(failure);
        this.emit('close', failure);
      },
    });
  }

  #say(text, time) {
    const seq = (this.#seq += 1);
    this.send({ type: 'source', seq, text, time });
    return new Promise((resolve, reject) => this.#untaken.set(seq, { resolve, reject }));
  }

  send(message) { // any of the protocol
    if (this.#ended) throw new SurtitleError({ code: 'out-of-order', message: 'the stream has ended' });
    this.#socket.send(JSON.stringify(message));
  }
}

// Who does not wait for it hears of a failure by 'close'.
function quiet(promise) {
  promise.catch(() => {});
  return promise;
}

// ms before a try: twice as long each time up to a limit, and drawn, so that a hall of phones does not come at once.
export function waitBefore(attempt, random = Math.random()) {
  return Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** attempt) * (0.5 + random / 2);
}

// A viewer of a channel, which comes back by itself for ever. Beside messages it tells 'connection':
//   {phase: 'connecting', again} | {phase: 'open'} | {phase: 'waiting', seconds}
// and 'refused', while it waits, where the daemon says why it does not let it in: {code, message}.
// `again`: it was there, or was tried, before. It is open when the server has said `ready`. Where nothing came for
// SILENCE, a request tells whether the server can be reached: a network that vanished does not close its sockets.
export class Channel extends Emitter {
  #address;
  #path;
  #platform;
  #socket = null;
  #attempt = 0;
  #again = false;
  #retry = null; // timer of the next try
  #silence = null; // timer of the next request

  #query;

  // `track`: one of `ready`'s tracks, else all come; `attention`: its messages, too. The platform's parts can be replaced.
  constructor(address, name, { track = null, attention = false, token = null, ...platform } = {}) {
    super();
    this.track = track;
    this.#query = { attention: attention && '1', token };
    this.#address = address;
    this.#path = `v1/channels/${encodeURIComponent(name)}`;
    this.#platform = {
      WebSocket: globalThis.WebSocket,
      setTimeout: (work, ms) => setTimeout(work, ms),
      clearTimeout: (timer) => clearTimeout(timer),
      ask: (url) => fetch(url),
      reach: () => fetch(endpoint(address, 'healthz', 'http'), { signal: AbortSignal.timeout(PROBE_TIMEOUT) }),
      ...platform,
    };
    this.on('ready', () => {
      this.#attempt = 0;
      this.emit('connection', { phase: 'open' });
    });
  }

  // Connects, or connects anew, as to another track.
  open() {
    this.close();
    this.emit('connection', { phase: 'connecting', again: this.#again });
    this.#again = true;
    const ifCurrent = (work) => (event) => socket === this.#socket && work(event);
    const url = endpoint(this.#address, this.#path, 'ws', { track: this.track, ...this.#query });
    let opened = false;
    const socket = connect(this.#platform.WebSocket, url, {
      open: () => (opened = true),
      message: ifCurrent(({ data }) => {
        this.#watch();
        this.received(data);
      }),
      close: ifCurrent(() => {
        this.#lost();
        if (!opened) this.#explain(url);
      }),
    });
    this.#socket = socket;
    this.#watch();
  }

  close() {
    for (const timer of [this.#retry, this.#silence]) this.#platform.clearTimeout(timer);
    const socket = this.#socket;
    this.#retry = this.#silence = this.#socket = null;
    socket?.close();
  }

  // The network has changed, or somebody looks again: tries at once where it was waiting, else makes sure that the
  // server can be reached. A daemon on this machine can without any network.
  async check() {
    if (this.#retry !== null) return this.open();
    const socket = this.#socket;
    const reached = await this.#platform.reach().then(() => true, () => false);
    if (socket === null || socket !== this.#socket) return;
    reached ? this.#watch() : this.#lost();
  }

  #lost() {
    this.close();
    const wait = waitBefore(this.#attempt++);
    this.emit('connection', { phase: 'waiting', seconds: Math.max(1, Math.round(wait / 1000)) });
    this.#retry = this.#platform.setTimeout(() => this.open(), wait);
  }

  async #explain(url) {
    const why = await refusal(url, this.#platform.ask);
    if (why !== null && this.#retry !== null) this.emit('refused', why);
  }

  #watch() {
    this.#platform.clearTimeout(this.#silence);
    this.#silence = this.#platform.setTimeout(() => this.check(), SILENCE);
  }
}
