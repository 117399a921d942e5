// The displayed text of a channel: turns the protocol's messages into changes for the screen.
//
// apply(message) returns changes, in order:
//   {kind: 'clear'}                           another stream: the screen starts empty
//   {kind: 'source', sentence, words, taken}  further source words of the sentence, an array
//   {kind: 'target', sentence, text, read, words, time}  further text of the translation
//   {kind: 'read', sentence, words}           number of source words that had been read for the translation
//   {kind: 'sentence', sentence, text}        the sentence is complete; its whole text, for screen readers
// Sentence numbers continue over streams.
//
// After a lost connection the server continues after the last message, and its `ready` has `after`. If it cannot, or if
// this viewer was too slow, it sends `ready` and the last sentences again, finished ones in one piece. If the stream is
// the same, only new text becomes a change: displayed text is neither repeated nor taken back.

const REMEMBERED = 8; // sentences; the server repeats at most the open ones and the last two

export class Subtitles {
  #stream = null;
  #first = 0; // our number of the stream's sentence 0
  #next = 0; // our number after the last sentence
  #sentences = new Map(); // by our number

  apply(message) {
    switch (message.type) {
      case 'ready':
        return message.after === undefined ? this.#connected(message.stream ?? null) : [];
      case 'state':
        return message.sender ? this.#begin(message.stream ?? null) : [];
      case 'source':
        return this.#source(this.#sentence(message.sentence), message);
      case 'write':
        return this.#write(this.#sentence(message.sentence), message);
      case 'sentence':
        return this.#complete(this.#sentence(message.sentence), message.target);
      default:
        return [];
    }
  }

  #connected(stream) {
    if (stream !== null && stream === this.#stream) {
      return this.#again();
    }
    return [...this.#begin(stream), { kind: 'clear' }];
  }

  // The server sends sentences again, of which some are known.
  #again() {
    for (const sentence of this.#sentences.values()) sentence.received = 0;
    return [];
  }

  // Text of the last stream may stay: its sentences have ended.
  #begin(stream) {
    this.#stream = stream;
    this.#first = this.#next;
    this.#sentences.clear();
    return [];
  }

  #sentence(number) {
    const key = this.#first + number;
    if (!this.#sentences.has(key)) {
      // received: source words from this connection; source: displayed source words; index: next target token; text: of
      // the translation.
      this.#sentences.set(key, { key, received: 0, source: 0, index: 0, text: '', time: 0, complete: false });
      this.#next = Math.max(this.#next, key + 1);
      if (this.#sentences.size > REMEMBERED) this.#sentences.delete(this.#sentences.keys().next().value);
    }
    return this.#sentences.get(key);
  }

  #source(sentence, { text, taken }) {
    const words = text.split(/\s+/u).filter((word) => word !== '');
    const known = Math.max(0, sentence.source - sentence.received);
    sentence.received += words.length;
    sentence.source = Math.max(sentence.source, sentence.received);
    const fresh = words.slice(known);
    return fresh.length ? [{ kind: 'source', sentence: sentence.key, words: fresh, taken }] : [];
  }

  #write(sentence, { index, text, read, words, time }) {
    if (index < sentence.index) return [];
    sentence.index = index + 1;
    sentence.text += text;
    sentence.time = time;
    return [
      { kind: 'target', sentence: sentence.key, text, read, words, time },
      { kind: 'read', sentence: sentence.key, words },
    ];
  }

  #complete(sentence, text) {
    if (sentence.complete) return [];
    sentence.complete = true;
    const missed = text.slice(sentence.text.length);
    const { source: words, time } = sentence;
    return [
      ...(missed ? [{ kind: 'target', sentence: sentence.key, text: missed, read: words, words, time }] : []),
      { kind: 'read', sentence: sentence.key, words: sentence.source },
      { kind: 'sentence', sentence: sentence.key, text },
    ];
  }
}
