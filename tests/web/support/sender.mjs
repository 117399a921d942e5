// A stream's sender: says words to the daemon and keeps what comes back.

import { once } from 'node:events';
import WebSocket from 'ws';
import { forget, remember } from './cleanup.mjs';

export class Sender {
  #socket;
  #seq = 0;
  #waiting = []; // [{matches, resolve, reject}]
  messages = [];

  static async open(daemon, { channel = 'main', policy } = {}) {
    const sender = new Sender();
    sender.#socket = new WebSocket(`${daemon.url.replace('http', 'ws')}v1/stream`, 'surtitle.v1');
    sender.#socket.on('message', (data) => sender.#received(JSON.parse(data)));
    sender.#socket.on('close', () => sender.#closed());
    remember(sender, () => sender.vanish());
    await once(sender.#socket, 'open');
    const ready = sender.#next('ready');
    sender.#send({ type: 'start', source: 'de', target: 'en', channel, policy });
    await ready;
    return sender;
  }

  // One message of complete words; done when the daemon has taken it.
  async source(text) {
    const taken = this.#next('ack');
    this.#send({ type: 'source', seq: (this.#seq += 1), text });
    await taken;
  }

  // The open sentence has ended; done when its translation has, too.
  async endSentence() {
    const complete = this.#next('sentence');
    this.#send({ type: 'end_sentence' });
    return complete;
  }

  async finish() {
    forget(this);
    this.#send({ type: 'finish' });
    await once(this.#socket, 'close');
  }

  // Gone without a word.
  async vanish() {
    forget(this);
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    this.#socket.terminate();
    await once(this.#socket, 'close');
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

  #next(type) {
    const known = new Set(this.messages);
    return this.first((message) => message.type === type && !known.has(message));
  }

  #send(message) {
    this.#socket.send(JSON.stringify(message));
  }

  #closed() {
    const last = JSON.stringify(this.messages.findLast(({ type }) => type === 'error'));
    for (const { reject } of this.#waiting.splice(0)) reject(new Error(`the connection ended; last error: ${last}`));
  }

  #received(message) {
    this.messages.push(message);
    const [found, rest] = [[], []];
    for (const entry of this.#waiting) (entry.matches(message) ? found : rest).push(entry);
    this.#waiting = rest;
    for (const { resolve } of found) resolve(message);
  }
}
