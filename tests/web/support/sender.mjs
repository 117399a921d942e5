// The sender of a stream, which keeps all messages that it receives.

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

  // Sends complete words. Resolves when the daemon has acknowledged them.
  source(text, more) {
    return this.#stream.source(text, more);
  }

  configure(change) {
    this.#stream.send({ type: 'configure', ...change });
  }

  // Ends the open sentence. Resolves when its translation is complete.
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

  // Closes the stream with a close handshake.
  async leave() {
    forget(this);
    this.#stream.close();
    await once(this.#socket, 'close');
  }

  // Drops the connection without a close handshake, and does not reconnect.
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

  // Returns the first message, past or future, for which `matches` returns true. Rejects if the stream ends without
  // one.
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
