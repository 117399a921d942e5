// A WebSocket that reconnects after a loss, with growing pauses.
//
// Its owner decides what a loss and a silence mean: a network that vanishes does not close its sockets.

import { connect } from './wire.js';

const [FIRST_WAIT, MAX_WAIT, SILENCE] = [500, 10_000, 20_000]; // ms
// The close code of a connection that is given up. Without it, the daemon would end the stream if it receives this close
// before the next connection.
const GIVEN_UP = 4000;

// Returns the ms before an attempt. They double up to a limit, and are random, so that a hall of phones does not
// reconnect all at once.
export function backoffDelay(attempt, random = Math.random()) {
  return Math.min(MAX_WAIT, FIRST_WAIT * 2 ** attempt) * (0.5 + random / 2);
}

// `owner` has
//   url()                      returns the address to connect to
//   opened()                   the connection is open
//   received(data)             a message has arrived
//   lost(opened, url)          the connection is lost, or could not be opened
//   silent()                   no message has arrived within the time of listen()
//   emit('connection', state)  {phase: 'connecting', again} | {phase: 'open'} | {phase: 'waiting', seconds}
export class ReconnectingSocket {
  #owner;
  #platform;
  #socket = null;
  #attempt = 0;
  #again = false; // there was a connection, or an attempt, before
  #retry = null; // timer of the next attempt
  #silence = null; // timer

  // Parts of the platform can be replaced: WebSocket, setTimeout, clearTimeout.
  constructor(owner, platform) {
    this.#owner = owner;
    this.#platform = {
      WebSocket: globalThis.WebSocket,
      setTimeout: (work, ms) => setTimeout(work, ms),
      clearTimeout: (timer) => clearTimeout(timer),
      ...platform,
    };
  }

  get waits() {
    return this.#retry !== null;
  }

  // The current connection, to detect that it was replaced, or null.
  get socket() {
    return this.#socket;
  }

  // `quietly`: does not emit 'connection', because no failure is known.
  open({ quietly = false } = {}) {
    this.close(GIVEN_UP);
    if (!quietly) this.#owner.emit('connection', { phase: 'connecting', again: this.#again });
    this.#again = true;
    const ifCurrent = (work) => (event) => socket === this.#socket && work(event);
    const url = this.#owner.url();
    let opened = false;
    const socket = connect(this.#platform.WebSocket, url, {
      open: ifCurrent(() => {
        opened = true;
        this.#owner.opened();
      }),
      message: ifCurrent(({ data }) => {
        this.listen();
        this.#owner.received(data);
      }),
      close: ifCurrent(() => this.#owner.lost(opened, url)),
    });
    this.#socket = socket;
    this.listen();
  }

  // To be called when the server has sent `ready`.
  ready() {
    this.#attempt = 0;
    this.#owner.emit('connection', { phase: 'open' });
  }

  send(message) {
    this.#socket.send(JSON.stringify(message));
  }

  close(code) {
    for (const timer of [this.#retry, this.#silence]) this.#platform.clearTimeout(timer);
    const socket = this.#socket;
    this.#retry = this.#silence = this.#socket = null;
    socket?.close(code);
  }

  // Reconnects after a wait of at most `maxWait` ms.
  retry(maxWait = Infinity) {
    this.close(GIVEN_UP);
    const wait = Math.min(maxWait, backoffDelay(this.#attempt++));
    this.#owner.emit('connection', { phase: 'waiting', seconds: Math.max(1, Math.round(wait / 1000)) });
    this.#retry = this.#platform.setTimeout(() => this.open(), wait);
  }

  // Restarts the timer of silent().
  listen(ms = SILENCE) {
    this.#platform.clearTimeout(this.#silence);
    this.#silence = this.#platform.setTimeout(() => this.#owner.silent(), ms);
  }
}
