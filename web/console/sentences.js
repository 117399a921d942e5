// Source and translations by sentence and track, and the difference between two tracks.

import { spaceBetween } from '../words.js';

export const FIRST = ''; // the first track, whose messages have no name

const REMEMBERED = 100; // sentences

export class Sentences {
  #rows = new Map(); // sentence -> row
  #pairs = { sentences: 0, al: 0, words: 0, ms: 0 };

  // Returns the row that the message changed, or null:
  //   {sentence, source, difference, tracks: Map(name -> {text, first: null | {words, time}, al, complete})}
  // `first`: the first write. `difference`: see differ(); null until both tracks are complete.
  apply(message) {
    if (!['source', 'write', 'sentence', 'metrics'].includes(message.type)) return null;
    const row = this.#row(message.sentence);
    if (message.type === 'source') row.source += spaceBetween(row.source, message.text) + message.text;
    else this.#track(row, message);
    return row;
  }

  // The mean differences of all sentences that both tracks have completed: {sentences, al, words, ms}.
  get mean() {
    const { sentences, ...sums } = this.#pairs;
    const over = (sum) => (sentences === 0 ? null : sum / sentences);
    return { sentences, al: over(sums.al), words: over(sums.words), ms: over(sums.ms) };
  }

  #row(sentence) {
    const fresh = { sentence, source: '', difference: null, tracks: new Map() };
    if (!this.#rows.has(sentence)) this.#rows.set(sentence, fresh);
    if (this.#rows.size > REMEMBERED) this.#rows.delete(this.#rows.keys().next().value);
    return this.#rows.get(sentence);
  }

  #track(row, { type, track: name = FIRST, ...message }) {
    if (!row.tracks.has(name)) row.tracks.set(name, { text: '', first: null, al: null, complete: false });
    const track = row.tracks.get(name);
    if (type === 'write') {
      track.text += message.text;
      if (!message.whole) track.first ??= { words: message.words, time: message.time };
    } else if (type === 'metrics') {
      track.al = message.al;
    } else {
      Object.assign(track, { text: message.target, al: message.metrics.words.al, complete: true });
      this.#pair(row);
    }
  }

  #pair(row) {
    const first = row.tracks.get(FIRST);
    const [, second] = [...row.tracks].find(([name]) => name !== FIRST) ?? [];
    if (!first?.complete || !second?.complete || row.difference !== null) return;
    row.difference = differ(first, second);
    if (row.difference === null) return;
    this.#pairs.sentences += 1;
    for (const name of ['al', 'words', 'ms']) this.#pairs[name] += row.difference[name];
  }
}

// Returns the first track's lag minus the second's in one sentence, or null if either has no write. `al` is in words.
// `words` (that had been read) and `ms` compare the first writes.
export function differ(first, second) {
  if (!first.first || !second.first || typeof first.al !== 'number' || typeof second.al !== 'number') return null;
  return {
    al: first.al - second.al,
    words: first.first.words - second.first.words,
    ms: first.first.time - second.first.time,
  };
}
