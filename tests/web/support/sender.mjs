// A stream's sender: says words to the daemon and keeps what comes back.

import { once } from 'node:events';
import WebSocket from 'ws';
import { Stream } from '../../../web/surtitle.js';
import { forget, remember } from './cleanup.mjs';

export class Sender {
  #socket;
  #stream;
  #waiting = []; // [{matches, resolve, reject}]
  messages = [];

  static async open(daemon, { channel = 'main', ...start } = {}) {
    const sender = new Sender();
    class Socket extends WebSocket {
      constructor(...where) {
        super(...where);
        sender.#socket = this;
      }
    }
    remember(sender, () => sender.vanish());
    sender.#stream = await Stream.open(daemon.url, { WebSocket: Socket, source: 'de', target: 'en', channel, ...start });
    sender.#stream.on('*', (message) => sender.#received(message));
    sender.#stream.on('close', (failure) => sender.#closed(failure));
    return sender;
  }

  // Complete words; done when the daemon has taken them.
  source(text, more) {
    return this.#stream.source(text, more);
  }

  configure(change) {
    this.#stream.send({ type: 'configure', ...change });
  }

  // The open sentence has ended; done when its translation has, too.
  async endSentence() {
    const known = new Set(this.messages);
    const complete = this.first((message) => message.type === 'sentence' && !known.has(message));
    this.#stream.endSentence();
    return complete;
  }

  async finish() {
    forget(this);
    await this.#stream.finish();
  }

  // Its stream is over, as it says.
  async leave() {
    forget(this);
    this.#stream.close();
    await once(this.#socket, 'close');
  }

  // Gone without a word, and not to come back.
  async vanish() {
    forget(this);
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    this.#socket.terminate();
    await once(this.#socket, 'close');
    this.#stream.close();
  }

  async sendBytes(bytes) {
    this.#socket.send(bytes, { binary: false });
    await once(this.#socket, 'close');
  }

  // The first message that `matches`, past or to come; fails when the connection ends without one.
  first(matches) {
    const found = this.messages.find(matches);
    if (found) return Promise.resolve(found);
    return new Promise((resolve, reject) => this.#waiting.push({ matches, resolve, reject }));
  }

  #closed(failure) {
    for (const { reject } of this.#waiting.splice(0)) reject(failure ?? new Error('the stream has finished'));
  }

  #received(message) {
    this.messages.push(message);
    const [found, rest] = [[], []];
    for (const entry of this.#waiting) (entry.matches(message) ? found : rest).push(entry);
    this.#waiting = rest;
    for (const { resolve } of found) resolve(message);
  }
}
