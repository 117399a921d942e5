// A sender's stream, over one connection after the other.

import { ReconnectingSocket } from './reconnecting_socket.js';
import { UnackedQueue, wordsOf } from './unacked_queue.js';
import { Emitter, endpoint, BYE_ERRORS, isNotice, splitForLimits, refusal } from './wire.js';

const PROBE_TIMEOUT = 5_000; // ms
const LATER = ['draining', 'too-many-streams']; // what a daemon may have against a stream that comes back, for a while

// What ended a stream; `code` is that of the protocol's `error`, or 'unauthorized' or 'connection-lost'.
// `retrySeconds`: when to try again, where the daemon says so, as an overloaded one does.
export class SurtitleError extends Error {
  constructor({ code, message, retry_seconds: retrySeconds }) {
    super(message);
    this.code = code;
    this.retrySeconds = retrySeconds;
  }
}

// A sender's stream. Beside messages it tells 'close' once: null after finish(), else a SurtitleError. Where its
// connection is cut it goes on on another one, for as long as the daemon waits for it (`ready.resume`): what the daemon
// had not acknowledged goes out again, and what was said meanwhile is told; `ready` is told anew then.
export class Stream extends Emitter {
  ready; // the server's `ready`: stream, model, policy, warnings, limits
  #url;
  #connection;
  #start;
  #unacked = new UnackedQueue();
  #event = 0; // of what was told last
  #acked = 0;
  #live = false; // on this connection the daemon said ready
  #until = null; // ms: how long to try after a cut
  #probing = false;
  #finishing = false;
  #over = false; // the daemon said so
  #ended = false;
  #error = { code: 'connection-lost', message: 'no connection to the daemon' };

  // `start`: source, target and, where wished, model, policy, channel and others, as in the protocol. Done when the
  // daemon is ready; throws a SurtitleError where it refuses or is not there.
  static open(address, { WebSocket = globalThis.WebSocket, setTimeout, clearTimeout, token, ...start }) {
    const timers = setTimeout && { setTimeout, clearTimeout };
    const stream = new Stream();
    return new Promise((resolve, reject) => {
      stream.on('ready', () => resolve(stream));
      stream.on('close', reject);
      stream.#open(endpoint(address, 'v1/stream', 'ws', { token }), { WebSocket, ...timers }, start);
    });
  }

  // Complete words, in as many messages as the daemon's limits want; `time`: seconds on the source's own clock. Done
  // when the daemon has taken them. Throws RangeError, and sends nothing, for a word that no message can hold, and for
  // more words than queued_words that would wait for a connection.
  source(text, { time } = {}) {
    const messages = splitForLimits(text, this.ready.limits).map((portion) => ({ type: 'source', text: portion, time }));
    this.#makeRoom(messages);
    return quiet(Promise.all(messages.map((message) => this.#say(message))));
  }

  // A recogniser's whole text since its last final one.
  hypothesis(text, { final = false } = {}) {
    this.send({ type: 'hypothesis', text, final });
  }

  // Done when the daemon has taken all that was sent before.
  taken() {
    return this.#say({ type: 'source', text: '' });
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
    this.#finishing = true;
    await new Promise((resolve, reject) => this.on('close', (failure) => (failure ? reject(failure) : resolve())));
  }

  // Leaves without a word; what is open is not translated to its end.
  close() {
    if (!this.#ended) this.#end();
  }

  send(message) { // any of the protocol
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
    this.on('*', ({ event }) => (this.#event = event ?? this.#event));
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
    const most = this.ready.limits.queued_words;
    const words = messages.reduce((sum, message) => sum + wordsOf(message), this.#unacked.words);
    if (!this.#live && words > most) throw new RangeError(`without a connection no more than ${most} words are kept`);
  }

  #say(said) {
    if (this.#ended) throw new SurtitleError({ code: 'out-of-order', message: 'the stream has ended' });
    const message = { ...said };
    const counts = message.type === 'source' || (this.ready.resume && ['hypothesis', 'end_sentence'].includes(message.type));
    const taken = counts || this.ready.resume ? this.#unacked.add(message, { numbered: counts }) : null;
    if (this.#live) this.#connection.send(message);
    return taken;
  }

  // Nothing was heard for long: whoever lives answers.
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
