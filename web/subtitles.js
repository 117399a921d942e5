// What a viewer has been shown: takes the protocol's messages, says what is new.
//
// apply(message) returns changes for the screen, in order:
//   {kind: 'clear'}                           another stream: the screen starts empty
//   {kind: 'source', sentence, words, taken}  source words, an array, behind those of the sentence
//   {kind: 'target', sentence, text, read, words, time}  text of the translation, behind what is there
//   {kind: 'read', sentence, words}           the translation stands for so many of the source words
//   {kind: 'sentence', sentence, text}        the sentence is complete, for those who listen
// Sentences are numbered through, over streams. After a lost connection the server goes on where it was, which its
// `ready` says by `after`. Where it cannot, or where this viewer was too slow, it says ready again and tells the last
// sentences once more, finished ones in one piece; of the same stream, only what is new is passed on, so nothing shown is
// shown again or taken back.

const REMEMBERED = 8; // sentences; the server tells at most the open ones and the last two again

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

  // The server begins anew with sentences that may be known.
  #again() {
    for (const sentence of this.#sentences.values()) sentence.told = 0;
    return [];
  }

  // What the last stream said may stay: its sentences are over.
  #begin(stream) {
    this.#stream = stream;
    this.#first = this.#next;
    this.#sentences.clear();
    return [];
  }

  #sentence(number) {
    const key = this.#first + number;
    if (!this.#sentences.has(key)) {
      // told: words told by this connection; source: words shown; index: next target token; text: of the translation.
      this.#sentences.set(key, { key, told: 0, source: 0, index: 0, text: '', time: 0, complete: false });
      this.#next = Math.max(this.#next, key + 1);
      if (this.#sentences.size > REMEMBERED) this.#sentences.delete(this.#sentences.keys().next().value);
    }
    return this.#sentences.get(key);
  }

  #source(sentence, { text, taken }) {
    const words = text.split(/\s+/u).filter((word) => word !== '');
    const known = Math.max(0, sentence.source - sentence.told);
    sentence.told += words.length;
    sentence.source = Math.max(sentence.source, sentence.told);
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
