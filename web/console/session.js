// The operator's stream, from Start to its end.
//
// Emits 'phase' with each change:
//   idle -> starting -> running <-> paused -> finishing -> finished; starting -> refused; all others -> lost
// The outbox keeps its words in all phases.
//
// It also emits the stream's messages by type and as '*', like surtitle.js, and 'connection'. The `ready` of a resumed
// stream is emitted as 'resumed'.

import { Stream } from '../surtitle.js';
import { Emitter } from '../wire.js';
import { Outbox } from './outbox.js';

const OPEN = ['running', 'paused'];

export class Session extends Emitter {
  phase = 'idle';
  problem = ''; // the error of the last stream
  outbox = new Outbox();
  #home;
  #token;
  #stream = null;
  #readyAt = 0;

  constructor(home, token) {
    super();
    this.#token = token;
    this.#home = home;
  }

  get open() {
    return OPEN.includes(this.phase);
  }

  // ms since the stream's `ready`
  get time() {
    return performance.now() - this.#readyAt;
  }

  // `start` as in the protocol.
  async start(start) {
    this.problem = '';
    this.#enter('starting');
    try {
      this.#stream = await Stream.open(this.#home, { ...start, token: this.#token, echo: true });
    } catch (error) {
      this.problem = error.message;
      this.#enter('refused');
      return;
    }
    this.#readyAt = performance.now();
    this.#stream.on('connection', (state) => this.emit('connection', state));
    this.#stream.on('*', (message) => {
      if (message.type === 'ready') return this.emit('resumed', message);
      this.emit(message.type, message);
      this.emit('*', message);
    });
    this.#stream.on('close', (failure) => (failure ? this.#lost(failure) : this.#ended()));
    this.emit('ready', this.#stream.ready);
    this.outbox.paused = false;
    this.#enter('running');
    this.outbox.attach(this.#stream);
  }

  pause() {
    this.outbox.paused = true;
    this.#enter('paused');
  }

  goOn() {
    this.outbox.paused = false;
    this.#enter('running');
  }

  configure(change) {
    this.#stream.configure(change);
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

  #enter(phase) {
    this.phase = phase;
    this.emit('phase', phase);
  }

  #ended() {
    this.outbox.attach(null);
    this.#stream = null;
    this.#enter('finished');
  }

  #lost({ message }) {
    this.outbox.attach(null);
    this.#stream = null;
    this.problem = message;
    this.#enter('lost');
  }
}
