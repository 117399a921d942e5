// The displayed text of a channel: turns the protocol's messages into changes for the screen.
//
// apply(message) returns changes, in order:
//   {kind: 'clear'}                           another stream: the screen starts empty
//   {kind: 'source', sentence, words, taken}  further source words of the sentence, an array
//   {kind: 'target', sentence, text, read, words, time, index}  further text of the translation, in whole words
//   {kind: 'aligned', sentence, index, word}  the source word, from 0, that this token of the translation was made from
//   {kind: 'read', sentence, words}           number of source words that had been read for the translation
//   {kind: 'sentence', sentence, text}        the sentence is complete; its whole text, for screen readers
// Sentence numbers continue over streams, from 0.
//
// After a lost connection the server continues after the last message, and its `ready` has `after`. If it cannot, or if
// this viewer was too slow, it sends `ready` and the talk so far, finished sentences in one piece. If the stream is the
// same, only new text becomes a change: displayed text is neither repeated nor taken back.

import { Alignment } from './alignment.js';
import { BACKLOG } from './channel.js';
import { WholeWords } from './whole_words.js';
import { splitWords } from './words.js';

const REMEMBERED = BACKLOG + 200; // sentences; the server repeats at most the backlog and the open ones

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
        return [...this.#release(), ...(message.sender ? this.#begin(message.stream ?? null) : [])];
      case 'source':
        return this.#source(this.#sentence(message.sentence), message);
      case 'write':
        return this.#write(this.#sentence(message.sentence), message);
      case 'attention':
        return this.#align(this.#sentence(message.sentence), message);
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

  // The speaker has left, perhaps within a word.
  #release() {
    return [...this.#sentences.values()].flatMap((sentence) => targets(sentence, sentence.words.end()));
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
      // the translation; words: those that are not complete yet.
      const [words, alignment] = [new WholeWords(), new Alignment()];
      const fresh = { key, received: 0, source: 0, index: 0, text: '', words, alignment, time: 0, complete: false };
      this.#sentences.set(key, fresh);
      this.#next = Math.max(this.#next, key + 1);
      if (this.#sentences.size > REMEMBERED) this.#sentences.delete(this.#sentences.keys().next().value);
    }
    return this.#sentences.get(key);
  }

  #source(sentence, { text, taken }) {
    const words = splitWords(text);
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
      ...targets(sentence, sentence.words.push({ text, read, words, time, index })),
      { kind: 'read', sentence: sentence.key, words },
    ];
  }

  #align({ key, alignment }, message) {
    const word = alignment.apply(message);
    return word === null ? [] : [{ kind: 'aligned', sentence: key, index: message.index, word }];
  }

  #complete(sentence, text) {
    if (sentence.complete) return [];
    sentence.complete = true;
    const { source: words, time, index } = sentence;
    const missed = text.slice(sentence.text.length);
    const last = missed ? sentence.words.push({ text: missed, read: words, words, time, index }) : [];
    return [
      ...targets(sentence, [...last, ...sentence.words.end()]),
      { kind: 'read', sentence: sentence.key, words },
      { kind: 'sentence', sentence: sentence.key, text },
    ];
  }
}

function targets({ key }, pieces) {
  return pieces.map((piece) => ({ kind: 'target', sentence: key, ...piece }));
}
