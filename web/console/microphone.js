// A microphone whose speech a recogniser's server turns into words. The sound goes to that server only.
//
// While it is wanted, a lost connection is restored with growing pauses; the speech meanwhile is lost. When it stops, the
// server still sends the words of the speech before.

import { backoffDelay } from '../surtitle.js';
import { Capture } from './capture.js';
import { SPEECH_SERVERS } from './speech_servers.js';

const PATIENCE = 10_000; // ms for the last words of a server
const SHOWN = 300; // characters of the server's first message

export class Microphone {
  onChange = () => {};
  onProblem = () => {}; // (key, values) of a sentence, as in capture.js
  device = '';
  server = 'whisperlivekit';
  address = SPEECH_SERVERS.whisperlivekit.address;
  level = 0; // 0 to 1
  first = ''; // the server's first message
  phase = 'off'; // -> asking -> connecting <-> listening, waiting
  sink; // receives the words of the next connection, as in speech_servers.js
  #wanted = false;
  #capture = null;
  #socket = null;
  #speech = null;
  #ending = false; // this side has ended the connection
  #tries = 0;
  #retry = null;
  #ends = []; // of those who wait until it has stopped

  get heard() {
    return this.#speech?.heard ?? '';
  }

  get running() {
    return this.#wanted;
  }

  set running(running) {
    if (running === this.#wanted) return;
    this.#wanted = running;
    if (running) this.#begin();
    else this.#end();
  }

  // Resolves when the last words have arrived.
  async stopped() {
    if (this.#socket !== null) await new Promise((resolve) => this.#ends.push(resolve));
  }

  async #begin() {
    this.#tries = 0;
    this.first = '';
    this.#enter('asking');
    try {
      const capture = await Capture.open(this.device, {
        onPiece: (piece) => this.#hear(piece),
        onEnd: () => this.#fail('gone'),
      });
      if (!this.#wanted || this.#capture !== null) return capture.close();
      this.#capture = capture;
    } catch (error) {
      return this.#fail(error.key ?? 'failed', { message: error.message });
    }
    return this.#connect();
  }

  // Nothing helps but another try of the operator.
  #fail(key, values = {}) {
    this.#wanted = false;
    this.onProblem(key, values);
    this.#end();
  }

  #end() {
    clearTimeout(this.#retry);
    this.#capture?.close();
    this.#capture = null;
    this.level = 0;
    const [socket, speech] = [this.#socket, this.#speech];
    this.#ending = socket !== null;
    if (socket?.readyState === WebSocket.OPEN && speech?.ready) {
      socket.send(speech.end());
      this.#retry = setTimeout(() => socket.close(), PATIENCE);
    } else {
      socket?.close();
    }
    this.#enter('off');
  }

  #connect() {
    if (!this.#wanted || this.#socket !== null) return;
    this.#enter('connecting');
    let socket;
    try {
      socket = new WebSocket(this.address);
    } catch {
      this.#fail('address', { address: this.address });
      return;
    }
    socket.binaryType = 'arraybuffer';
    const speech = SPEECH_SERVERS[this.server].speech(this.sink);
    [this.#socket, this.#speech] = [socket, speech];
    socket.onopen = () => {
      if (speech.opening !== null) socket.send(speech.opening);
      if (speech.ready) this.#listen();
    };
    socket.onmessage = ({ data }) => this.#receive(socket, speech, data);
    socket.onclose = () => this.#closed(speech);
  }

  #listen() {
    this.#tries = 0;
    if (this.#wanted) this.#enter('listening');
  }

  #receive(socket, speech, data) {
    const text = typeof data === 'string' ? data : new TextDecoder().decode(data);
    if (this.first === '') this.first = text.trim().slice(0, SHOWN);
    const waited = !speech.ready;
    speech.receive(text);
    if (waited && speech.ready) this.#listen();
    if (speech.done) socket.close();
    this.onChange();
  }

  #hear({ samples, level }) {
    this.level = level;
    if (this.phase === 'listening') this.#socket.send(this.#speech.speech(samples));
    this.onChange();
  }

  #closed(speech) {
    speech.close();
    clearTimeout(this.#retry);
    const ended = this.#ending;
    [this.#socket, this.#speech, this.#ending] = [null, null, false];
    for (const resolve of this.#ends.splice(0)) resolve();
    if (!this.#wanted) return this.#enter('off');
    if (ended) return this.#capture === null ? undefined : this.#connect(); // it was started again meanwhile
    if (this.#tries === 0) this.#report(this.phase === 'listening' ? 'lost' : 'no-recogniser');
    this.#tries += 1;
    this.#retry = setTimeout(() => this.#connect(), backoffDelay(this.#tries));
    return this.#enter('waiting');
  }

  #report(key) {
    this.onProblem(key, { recogniser: SPEECH_SERVERS[this.server].label, address: this.address });
  }

  #enter(phase) {
    this.phase = phase;
    this.onChange();
  }
}

// Resolves with the names of the servers that answer at their usual addresses.
export async function findServers() {
  const found = Object.entries(SPEECH_SERVERS).map(async ([name, { address }]) => ((await answers(address)) ? name : null));
  return (await Promise.all(found)).filter((name) => name !== null);
}

function answers(address) {
  return new Promise((resolve) => {
    const socket = new WebSocket(address);
    socket.onopen = () => {
      resolve(true);
      socket.close();
    };
    socket.onclose = () => resolve(false);
  });
}
