// A WebSocket that is opened again after it was lost, later each time. Whoever owns it says what comes of a loss and of
// silence: a network that vanished does not close its sockets.

import { connect } from './wire.js';

const [FIRST_WAIT, MAX_WAIT, SILENCE] = [500, 10_000, 20_000]; // ms

// ms before a try: twice as long each time up to a limit, and drawn, so that a hall of phones does not come at once.
export function backoffDelay(attempt, random = Math.random()) {
  return Math.min(MAX_WAIT, FIRST_WAIT * 2 ** attempt) * (0.5 + random / 2);
}

// `owner` has
//   url()               where to connect to
//   opened()            there is a connection
//   received(data)      a message
//   lost(opened, url)   the connection is gone, or there was none
//   silent()            nothing came for so long
//   emit('connection')  is told {phase: 'connecting', again} | {phase: 'open'} | {phase: 'waiting', seconds}
export class ReconnectingSocket {
  #owner;
  #platform;
  #socket = null;
  #attempt = 0;
  #again = false; // it was there, or was tried, before
  #retry = null; // timer of the next try
  #silence = null; // timer

  // The platform's parts can be replaced: WebSocket, setTimeout, clearTimeout.
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

  // The present connection, for who wants to know whether it still is the same; null where there is none.
  get socket() {
    return this.#socket;
  }

  // `quietly`: nobody is told that it is tried, as nothing is known to be wrong.
  open({ quietly = false } = {}) {
    this.close();
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

  // The server has said that it is ready.
  ready() {
    this.#attempt = 0;
    this.#owner.emit('connection', { phase: 'open' });
  }

  send(message) {
    this.#socket.send(JSON.stringify(message));
  }

  close() {
    for (const timer of [this.#retry, this.#silence]) this.#platform.clearTimeout(timer);
    const socket = this.#socket;
    this.#retry = this.#silence = this.#socket = null;
    socket?.close();
  }

  // Opens it again after a wait, of `most` ms at most.
  retry(most = Infinity) {
    this.close();
    const wait = Math.min(most, backoffDelay(this.#attempt++));
    this.#owner.emit('connection', { phase: 'waiting', seconds: Math.max(1, Math.round(wait / 1000)) });
    this.#retry = this.#platform.setTimeout(() => this.open(), wait);
  }

  // From now on for so long nothing need come.
  listen(ms = SILENCE) {
    this.#platform.clearTimeout(this.#silence);
    this.#silence = this.#platform.setTimeout(() => this.#owner.silent(), ms);
  }
}
