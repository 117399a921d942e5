// What a stream's sender said and the daemon has not acknowledged, in order; it goes out again after a cut.

export class Untaken {
  #entries = []; // {place, message, words, resolve, reject}
  #seq = 0;
  words = 0;

  // Gives a message its number, where it gets one, and keeps it. Done when it is taken.
  add(message, { numbered }) {
    if (numbered) message.seq ??= this.#seq + 1;
    this.#seq = message.seq ?? this.#seq;
    const words = wordsOf(message);
    this.words += words;
    const taken = new Promise((resolve, reject) => {
      // What has no number counts as taken with the next one.
      this.#entries.push({ place: message.seq ?? this.#seq + 0.5, message, words, resolve, reject });
    });
    taken.catch(() => {}); // who does not wait for it hears of a failure by 'close'
    return taken;
  }

  taken(seq) {
    while (this.#entries.length > 0 && this.#entries[0].place <= seq) {
      const { words, resolve } = this.#entries.shift();
      this.words -= words;
      resolve();
    }
  }

  // Messages behind this number.
  after(seq) {
    return this.#entries.filter(({ place }) => place > seq).map(({ message }) => message);
  }

  fail(failure) {
    for (const { reject } of this.#entries.splice(0)) reject(failure);
  }
}

export function wordsOf({ text = '' }) {
  return text.split(/\s+/u).filter((word) => word !== '').length;
}
