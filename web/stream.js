// A sender's stream, which survives its connections.

import { ReconnectingSocket } from './reconnecting_socket.js';
import { UnackedQueue, wordsOf } from './unacked_queue.js';
import { Emitter, endpoint, BYE_ERRORS, isNotice, splitForLimits, refusal } from './wire.js';

const PROBE_TIMEOUT = 5_000; // ms
const LATER = ['draining', 'too-many-streams']; // errors of a resumption that is worth a retry

// The reason of a stream's end. `code` is that of the protocol's `error`, or one of 'unauthorized', 'forbidden',
// 'rate-limited', 'connection-lost'. `retrySeconds`: the time after which to try again, if the daemon sent one, as an
// overloaded daemon does.
export class SurtitleError extends Error {
  constructor({ code, message, retry_seconds: retrySeconds }) {
    super(message);
    this.code = code;
    this.retrySeconds = retrySeconds;
  }
}

// A sender's stream. Beside messages it emits 'close' once, with null after finish(), otherwise with a SurtitleError.
//
// If its connection is lost, it reconnects for as long as the daemon waits for it (`ready.resume`). It then emits
// 'ready' again, sends unacknowledged messages again, and emits the messages that it missed.
export class Stream extends Emitter {
  ready; // the server's `ready`: stream, model, policy, warnings, limits
  keep = () => {}; // `state` has changed; called before a message is sent
  #url;
  #connection;
  #start;
  #unacked = new UnackedQueue();
  #event = 0; // of the last message
  #acked = 0;
  #live = false; // `ready` was received on this connection
  #until = null; // ms: deadline for reconnecting after a loss
  #probing = false;
  #finishing = false;
  #over = false; // the daemon ended the stream
  #ended = false;
  #error = { code: 'connection-lost', message: 'no connection to the daemon' };

  // `start`: source, target and optionally model, policy, channel and others, as in the protocol. Resolves when the
  // daemon is ready. Rejects with a SurtitleError if the daemon rejects the stream or cannot be reached.
  static open(address, { WebSocket = globalThis.WebSocket, setTimeout, clearTimeout, token, ...start }) {
    const timers = setTimeout && { setTimeout, clearTimeout };
    const stream = new Stream();
    return new Promise((resolve, reject) => {
      stream.on('ready', () => resolve(stream));
      stream.on('close', reject);
      stream.#open(endpoint(address, 'v1/stream', 'ws', { token }), { WebSocket, ...timers }, start);
    });
  }

  // Continues a stream that began in another page or process, from its `state`. It is returned before it has a
  // connection, and emits 'ready' or 'close'. It tries for as long as the daemon waits for a sender.
  static restore(address, state, { WebSocket = globalThis.WebSocket, setTimeout, clearTimeout, token } = {}) {
    const timers = setTimeout && { setTimeout, clearTimeout };
    const stream = new Stream();
    stream.ready = state.ready;
    stream.#event = state.event;
    stream.#acked = state.acked;
    stream.#unacked.restore(state.unacked);
    stream.#finishing = state.unacked.entries.some(({ message }) => message.type === 'finish');
    stream.#until = Date.now() + 1000 * state.ready.resume.seconds;
    stream.#open(endpoint(address, 'v1/stream', 'ws', { token }), { WebSocket, ...timers }, state.start);
    return stream;
  }

  // The stream as a value that can be stored, for restore(); null if it cannot be resumed.
  get state() {
    if (!this.ready?.resume || this.#ended) return null;
    const { ready } = this;
    return { start: this.#start, ready, event: this.#event, acked: this.#acked, unacked: this.#unacked.state };
  }

  // ms since 1970: the time until which it tries to reconnect; null if it has a connection.
  get deadline() {
    return this.#live ? null : this.#until;
  }

  // To be called if the network has changed: finds out whether the connection still works.
  check() {
    if (this.#live && !this.#probing && !this.#finishing) this.#probe();
  }

  // Sends complete words, in several messages if the daemon's limits require it. `time`: seconds on the source's own
  // clock. Resolves when the daemon has acknowledged them. Throws RangeError, and sends nothing, if a word is too long
  // for a message, or if more than queued_words words would wait for a connection.
  source(text, { time } = {}) {
    const messages = splitForLimits(text, this.ready.limits).map((portion) => ({ type: 'source', text: portion, time }));
    this.#makeRoom(messages);
    return quiet(Promise.all(this.#sayAll(messages)));
  }

  // Sends a recogniser's whole text since its last final one.
  hypothesis(text, { final = false } = {}) {
    this.send({ type: 'hypothesis', text, final });
  }

  // Resolves when the daemon has acknowledged all earlier messages.
  taken() {
    return this.#say({ type: 'source', text: '' });
  }

  // Changes the model, policy or source form from the next sentence on, or `title` and `speaker` at once. The daemon
  // answers with `policy` or `heading`, or with an `error` that is a notice.
  configure(change) {
    this.send({ type: 'configure', ...change });
  }

  endSentence() {
    this.send({ type: 'end_sentence' });
  }

  // Ends the source. Resolves when everything is translated and the daemon has sent `bye`.
  async finish() {
    if (!this.#finishing) this.send({ type: 'finish' });
    this.#finishing = true;
    await new Promise((resolve, reject) => this.on('close', (failure) => (failure ? reject(failure) : resolve())));
  }

  // Closes the connection without `finish`; an open sentence is not translated to its end.
  close() {
    if (!this.#ended) this.#end();
  }

  send(message) { // any message of the protocol
    this.#makeRoom([message]);
    this.#say(message);
  }

  #open(url, platform, start) {
    this.#url = url;
    this.#start = { type: 'start', ...start };
    this.#connection = new ReconnectingSocket({
      url: () => this.#url,
      opened: () => this.#connection.send(this.ready ? { ...this.#start, resume: this.#place } : this.#start),
      received: (data) => {
        this.#probing = false;
        this.received(data);
      },
      lost: (opened) => this.#lost(opened),
      silent: () => this.#probe(),
      emit: (type, state) => this.emit(type, state),
    }, platform);
    this.on('ready', (ready) => this.#begin(ready));
    this.on('error', (error) => {
      if (isNotice(error) || (this.#comesBack && LATER.includes(error.code))) return;
      this.#over = true;
      this.#error = error;
    });
    this.on('bye', ({ reason }) => {
      if (this.#comesBack && !this.#over) return;
      this.#over = true;
      if (reason in BYE_ERRORS) this.#error = BYE_ERRORS[reason];
    });
    this.on('ack', ({ seq }) => this.#unacked.ack((this.#acked = seq)));
    this.on('*', ({ event }) => {
      this.#event = event ?? this.#event;
      this.keep();
    });
    this.#connection.open();
  }

  get #place() {
    return { stream: this.ready.stream, key: this.ready.resume.key, seq: this.#acked, event: this.#event };
  }

  get #comesBack() {
    return this.#until !== null && !this.#live;
  }

  #begin(ready) {
    this.ready = ready;
    this.#live = true;
    this.#until = null;
    for (const message of this.#unacked.after(ready.resume?.seq ?? 0)) this.#connection.send(message);
    this.#connection.ready();
  }

  #makeRoom(messages) {
    const limit = this.ready.limits.queued_words;
    const words = messages.reduce((sum, message) => sum + wordsOf(message), this.#unacked.words);
    if (!this.#live && words > limit) throw new RangeError(`too many words without a connection: at most ${limit} are kept`);
  }

  #say(message) {
    return this.#sayAll([message])[0];
  }

  // All messages are kept before the first one is sent: after a crash none of them is missing.
  #sayAll(said) {
    if (this.#ended) throw new SurtitleError({ code: 'out-of-order', message: 'the stream has ended' });
    const messages = said.map((message) => ({ ...message }));
    const taken = messages.map((message) => this.#queue(message));
    this.keep();
    if (this.#live) for (const message of messages) this.#connection.send(message);
    return taken;
  }

  #queue(message) {
    const counts = message.type === 'source' || (this.ready.resume && ['hypothesis', 'end_sentence'].includes(message.type));
    return counts || this.ready.resume ? this.#unacked.add(message, { numbered: counts }) : null;
  }

  // Called after a long silence: sends a message that a live daemon acknowledges.
  #probe() {
    if (this.#live && !this.ready.resume) return;
    if (!this.#live || this.#probing || this.#finishing) return this.#lost(true);
    this.#probing = true;
    this.taken();
    this.#connection.listen(PROBE_TIMEOUT);
  }

  async #lost(opened) {
    this.#live = this.#probing = false;
    if (!this.ready && !opened) this.#error = (await refusal(this.#url)) ?? this.#error;
    if (this.#over || !this.ready?.resume) return this.#end();
    this.#until ??= Date.now() + 1000 * this.ready.resume.seconds;
    const left = this.#until - Date.now();
    return left > 0 ? this.#connection.retry(left) : this.#end();
  }

  #end() {
    this.#ended = true;
    this.#live = false;
    this.#connection.close();
    const failure = this.#error && new SurtitleError(this.#error);
    this.#unacked.fail(failure);
    this.emit('close', failure);
  }
}

function quiet(promise) {
  promise.catch(() => {});
  return promise;
}
