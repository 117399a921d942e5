// The operator's stream, from Start to its end.
//
// Tells 'phase' with each change, and all of the stream's messages by their types and as '*', as surtitle.js does.
// idle -> starting -> running <-> paused -> finishing -> finished; from starting to refused, from the others to lost.
// What the outbox holds is kept through all of them.

import { Stream } from '../surtitle.js';
import { Emitter } from '../wire.js';
import { Outbox } from './outbox.js';

const OPEN = ['running', 'paused'];

export class Session extends Emitter {
  phase = 'idle';
  problem = ''; // why the last stream ended
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

  // ms since the stream's ready
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
    this.#stream.on('*', (message) => {
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

  // No more source: what waits still goes out, and what is open is translated to its end. `silent`: done when the
  // source has said all.
  async finish(silent = Promise.resolve()) {
    this.#enter('finishing');
    this.outbox.paused = false;
    await silent;
    await this.outbox.empty();
    if (this.phase !== 'finishing') return;
    this.outbox.attach(null);
    this.#stream.finish().catch(() => {}); // 'close' tells
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
