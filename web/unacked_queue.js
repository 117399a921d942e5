// The messages of a stream that the daemon has not acknowledged, in order. They are sent again on the next connection.

import { splitWords } from './words.js';

export class UnackedQueue {
  #entries = []; // {sortKey, message, words, resolve, reject}
  #seq = 0;
  words = 0;

  // Gives the message a sequence number if it needs one, and keeps it. The promise resolves once it is acknowledged.
  add(message, { numbered }) {
    if (numbered) message.seq ??= this.#seq + 1;
    this.#seq = message.seq ?? this.#seq;
    return this.#keep(message.seq ?? this.#seq + 0.5, message); // without a number: acknowledged with the next one
  }

  // The queue as a value that can be stored, for restore().
  get state() {
    return { seq: this.#seq, entries: this.#entries.map(({ sortKey, message }) => ({ sortKey, message })) };
  }

  // REQUIRES: an empty queue.
  restore({ seq, entries }) {
    this.#seq = seq;
    for (const { sortKey, message } of entries) this.#keep(sortKey, message);
  }

  // Removes the messages up to this number, which the daemon has stored.
  ack(seq) {
    while (this.#entries.length > 0 && this.#entries[0].sortKey <= seq) {
      const { words, resolve } = this.#entries.shift();
      this.words -= words;
      resolve();
    }
  }

  // Returns the messages after this number.
  after(seq) {
    return this.#entries.filter(({ sortKey }) => sortKey > seq).map(({ message }) => message);
  }

  fail(failure) {
    for (const { reject } of this.#entries.splice(0)) reject(failure);
  }

  #keep(sortKey, message) {
    const words = wordsOf(message);
    this.words += words;
    const acked = new Promise((resolve, reject) => this.#entries.push({ sortKey, message, words, resolve, reject }));
    acked.catch(() => {}); // a caller that does not wait receives the failure with 'close'
    return acked;
  }
}

export function wordsOf({ text = '' }) {
  return splitWords(text).length;
}
