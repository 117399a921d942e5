// A viewer's connection to a channel that comes back by itself.
//
// Hands every message of the protocol to `onMessage` and says how it stands to `onState`:
//   {phase: 'connecting', again} | {phase: 'open'} | {phase: 'waiting', seconds}
// `again`: it was there, or was tried, before. A connection is open when the server has said `ready`.
//
// A lost one is opened again after FIRST_WAIT, then twice as long each time up to LONGEST_WAIT. Each wait is drawn
// from the upper half, so that a hall of phones does not come back in one instant. The server's `ready` starts the
// counting anew. Where nothing came for SILENCE, `probe` (a promise) decides whether the server can still be
// reached: a network that vanished does not close its sockets, nor does it refuse new ones.

const FIRST_WAIT = 500; // ms
const LONGEST_WAIT = 10_000;
const SILENCE = 20_000;

export function waitBefore(attempt, random = Math.random()) {
  return Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** attempt) * (0.5 + random / 2);
}

const browser = {
  WebSocket: globalThis.WebSocket,
  setTimeout: (work, ms) => setTimeout(work, ms),
  clearTimeout: (timer) => clearTimeout(timer),
};

export class Connection {
  #url;
  #handlers;
  #platform;
  #socket = null;
  #attempt = 0;
  #again = false;
  #retry = null; // timer of the next try
  #silence = null; // timer of the next probe

  constructor(url, handlers, platform = browser) {
    this.#url = url;
    this.#handlers = handlers;
    this.#platform = platform;
  }

  open() {
    this.#platform.clearTimeout(this.#retry);
    this.#retry = null;
    this.#handlers.onState({ phase: 'connecting', again: this.#again });
    this.#again = true;
    const socket = new this.#platform.WebSocket(this.#url, 'surtitle.v1');
    this.#socket = socket;
    const ifCurrent = (work) => (event) => {
      if (socket === this.#socket) work(event);
    };
    socket.addEventListener('message', ifCurrent((event) => this.#received(event.data)));
    socket.addEventListener('close', ifCurrent(() => this.lost()));
    this.#watch();
  }

  // The network has changed, or somebody looks again: tries at once where it was waiting, else makes sure that the
  // server can still be reached. A daemon on this machine can without any network.
  async check() {
    if (this.#retry === null) {
      await this.#probe(this.#socket);
    } else {
      this.open();
    }
  }

  // The connection is gone, whether or not the socket knows.
  lost() {
    const socket = this.#socket;
    if (socket === null) return;
    this.#socket = null;
    this.#platform.clearTimeout(this.#silence);
    socket.close();
    const wait = waitBefore(this.#attempt++);
    this.#handlers.onState({ phase: 'waiting', seconds: Math.max(1, Math.round(wait / 1000)) });
    this.#retry = this.#platform.setTimeout(() => this.open(), wait);
  }

  #received(text) {
    this.#watch();
    const message = JSON.parse(text);
    if (message.type === 'ready') {
      this.#attempt = 0;
      this.#handlers.onState({ phase: 'open' });
    }
    this.#handlers.onMessage(message);
  }

  #watch() {
    this.#platform.clearTimeout(this.#silence);
    this.#silence = this.#platform.setTimeout(() => this.#probe(this.#socket), SILENCE);
  }

  async #probe(socket) {
    const reached = await this.#handlers.probe().then(() => true, () => false);
    if (socket !== this.#socket) return;
    if (reached) {
      this.#watch();
    } else {
      this.lost();
    }
  }
}
