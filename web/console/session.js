// The operator's stream, from Start to its end.
//
// Emits 'phase' with each change:
//   idle -> starting -> running <-> paused -> finishing -> finished; starting -> refused; all others -> lost
//   idle -> resuming -> running, paused, finishing or lost, if it continues the session of a page that was closed
// The outbox keeps its words in all phases.
//
// It also emits the stream's messages by type and as '*', like surtitle.js, and 'connection'. The `ready` of a stream
// whose connection was lost is emitted as 'resumed'.

import { problemText } from '../problems.js';
import { phrase } from '../strings.js';
import { Stream } from '../surtitle.js';
import { Emitter } from '../wire.js';
import { loadBacklog } from './backlog.js';
import { Outbox } from './outbox.js';
import { pauseMark } from './pause_text.js';

const OPEN = ['running', 'paused'];

export class Session extends Emitter {
  phase = 'idle';
  problem = ''; // the error of the last stream
  outbox = new Outbox();
  keep = () => {}; // `state` has changed; called before a word is sent
  #home;
  #token;
  #stream = null;
  #readyAt = 0;
  #aim = 'running'; // the phase after 'resuming'
  #begun = -1; // number of the last sentence that has words; -1: none
  #complete = -1; // number of the last sentence that is complete; -1: none
  #marked = false; // the mark of this pause was sent
  #asking = false; // markPause() waits for an acknowledgement

  constructor(home, token) {
    super();
    this.#token = token;
    this.#home = home;
    this.outbox.keep = () => this.keep();
    this.outbox.onAcknowledged = () => this.#markPause();
  }

  get open() {
    return OPEN.includes(this.phase);
  }

  // ms since the stream's `ready`
  get time() {
    return performance.now() - this.#readyAt;
  }

  // ms since 1970: the time until which the daemon waits for the lost connection, or null
  get deadline() {
    return this.#stream?.deadline ?? null;
  }

  // Whether the stream would survive this page.
  get resumable() {
    return this.#stream?.state != null;
  }

  // The session as a value that can be stored, for restore(); null if there is nothing to keep.
  get state() {
    const words = this.outbox.state;
    const stream = this.#stream?.state ?? null;
    if (stream === null && words.sent.length + words.waiting.length === 0 && words.heard === '') return null;
    const phase = this.phase === 'resuming' ? this.#aim : this.phase;
    return { stream, words, phase, marked: this.#marked, began: Date.now() - this.time };
  }

  // `start` as in the protocol.
  async start(start) {
    this.problem = '';
    this.#enter('starting');
    try {
      this.#stream = await Stream.open(this.#home, { ...start, token: this.#token, echo: true });
    } catch (error) {
      this.problem = problemText(error);
      this.#enter('refused');
      return;
    }
    this.#readyAt = performance.now();
    this.#begun = this.#complete = -1;
    this.#follow();
    this.emit('ready', this.#stream.ready);
    this.outbox.paused = false;
    this.#enter('running');
    this.outbox.attach(this.#stream);
  }

  // Continues the session of a page that was closed, from its `state`.
  async restore({ stream, words, phase, marked = phase === 'paused', began }) {
    this.outbox.restore(words);
    if (stream === null) return this.outbox.attach(null);
    this.problem = '';
    this.#aim = phase;
    this.#marked = marked;
    this.#begun = this.#complete = -1;
    this.#readyAt = performance.now() - (Date.now() - began);
    this.#stream = Stream.restore(this.#home, stream, { token: this.#token });
    this.#stream.keep = () => this.keep();
    this.#enter('resuming');
    const end = await this.#catchUp(this.#stream);
    if (end) return this.#restoreFailed(end);
    this.outbox.paused = phase === 'paused';
    this.#enter(phase === 'paused' ? 'paused' : 'running');
    this.outbox.resume(this.#stream);
    return phase === 'finishing' ? this.finish() : undefined;
  }

  // A stream that was finishing and that the daemon does not know any more has finished.
  #restoreFailed({ failure }) {
    const { waiting, sent } = this.outbox.standing;
    if (failure === null || (this.#aim === 'finishing' && waiting + sent === 0)) this.#ended();
    else this.#lost(failure);
  }

  // A text ends the open sentence and is shown at once. Without one, the mark of the pause waits until no sentence is open.
  pause(text = '') {
    this.#marked = text !== '';
    if (this.#marked) this.outbox.announce(pauseMark(text));
    this.outbox.paused = true;
    this.#enter('paused');
    this.#markPause();
  }

  goOn() {
    this.outbox.paused = false;
    this.#enter('running');
  }

  configure(change) {
    this.#stream.configure(change);
  }

  // To be called if the network has changed.
  check() {
    this.#stream?.check();
  }

  // Ends the stream after all waiting words are sent and translated. `silent` resolves when the source has delivered
  // its last words.
  async finish(silent = Promise.resolve()) {
    this.#enter('finishing');
    this.outbox.paused = false;
    await silent;
    await this.outbox.empty();
    if (this.phase !== 'finishing') return;
    this.outbox.attach(null);
    this.#stream.finish().catch(() => {}); // 'close' reports the failure
  }

  #follow() {
    const stream = this.#stream;
    stream.keep = () => this.keep();
    stream.on('connection', (state) => this.emit('connection', state));
    stream.on('*', (message) => (message.type === 'ready' ? this.emit('resumed', message) : this.#pass(message)));
    stream.on('close', (failure) => (failure ? this.#lost(failure) : this.#ended()));
  }

  #pass(message) {
    this.emit(message.type, message);
    this.emit('*', message);
    // The end of a sentence may follow words of the next one.
    if (message.type === 'source') this.#begun = Math.max(this.#begun, message.sentence);
    if (message.type !== 'sentence') return;
    this.#complete = Math.max(this.#complete, message.sentence);
    this.#markPause();
  }

  get #mayMark() {
    return this.phase === 'paused' && !this.#marked && this.#begun <= this.#complete && this.outbox.standing.sent === 0;
  }

  // The daemon may have words that this page does not know of yet: of a hypothesis, or from before a lost connection. It
  // sends them before it acknowledges a later message.
  async #markPause() {
    if (!this.#mayMark || this.#asking) return;
    const stream = this.#stream;
    this.#asking = true;
    try {
      await stream.taken();
    } catch {
      return; // the stream has just ended
    } finally {
      this.#asking = false;
    }
    if (this.#stream !== stream || !this.#mayMark) return;
    this.#marked = true;
    this.outbox.announce(pauseMark(''));
  }

  // Emits `ready` and the sentences so far, once the stream is resumed or over. Resolves with null, or with {failure} as
  // in 'close' if it is over. Messages that arrive before the backlog wait for it, and those that it contains are left
  // out.
  async #catchUp(stream) {
    const early = [];
    let end = null;
    const stops = [
      stream.on('*', (message) => early.push(message)),
      stream.on('connection', (state) => this.emit('connection', state)),
      stream.on('close', (failure) => (end = { failure })),
    ];
    await new Promise((resolve) => ['ready', 'close'].forEach((type) => stops.push(stream.on(type, resolve))));
    const { ready } = stream;
    const known = await loadBacklog(this.#home, ready.channel, this.#token);
    for (const stop of stops) stop();
    const backlog = known?.stream === ready.stream ? known : { event: 0, messages: [] };
    if (end === null || backlog.messages.length > 0) this.emit('ready', ready);
    if (end === null && known === null) this.emit('gap', null);
    for (const message of backlog.messages) this.#pass(message);
    if (end !== null) return end;
    this.#follow();
    for (const message of early) {
      if (message.type !== 'ready' && (message.event ?? Infinity) > backlog.event) this.#pass(message);
    }
    return null;
  }

  #enter(phase) {
    this.phase = phase;
    this.keep();
    this.emit('phase', phase);
  }

  #ended() {
    this.#stream = null;
    this.outbox.attach(null);
    this.#enter('finished');
  }

  #lost({ code, message }) {
    this.#stream = null;
    this.outbox.attach(null);
    this.problem = REASONS[code] ?? problemText({ code, message });
    this.#enter('lost');
  }
}

// The daemon's reasons in the words of an operator.
const REASONS = {
  'resume-unavailable': phrase('run.given-up'),
  'taken-over': phrase('run.taken-over'),
};
