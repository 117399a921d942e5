// Delays of writes after their causes, on the daemon's clock.
//
// The cause of a write is the last source word that it needed. If a write needed all words of its sentence and followed
// the sentence's end, the end counts as its cause: the operator's command or the silence.

import { splitWords } from '../words.js';

const SPAN = 60_000; // ms of the percentiles
const REMEMBERED = 4; // sentences

export class Delays {
  #taken = new Map(); // sentence -> [time of each word, in ms since the stream's `ready`]
  #end = -Infinity; // time of the operator's last end of a sentence, in ms since `ready`
  #silence;
  #delays = []; // [{time, delay}], ms

  // `silence`: seconds, as in the limits of `ready`.
  constructor(silence = 0) {
    this.#silence = silence > 0 ? silence * 1000 : Infinity;
  }

  // To be called if the operator ends a sentence; `time` in ms since `ready`.
  ended(time) {
    this.#end = time;
  }

  apply(message) {
    if (message.type === 'source') this.#source(message);
    else if (message.type === 'write' && !message.whole) this.#write(message);
  }

  #source({ sentence, text, taken }) {
    if (!this.#taken.has(sentence)) this.#taken.set(sentence, []);
    this.#taken.get(sentence).push(...splitWords(text).map(() => taken));
    if (this.#taken.size > REMEMBERED) this.#taken.delete(this.#taken.keys().next().value);
  }

  #write({ sentence, words, time }) {
    const taken = this.#taken.get(sentence) ?? [];
    const last = taken[Math.max(words, 1) - 1];
    if (last === undefined) return;
    const ends = [this.#end, last + this.#silence].filter((end) => end > last && end <= time);
    const cause = words === taken.length && ends.length > 0 ? Math.min(...ends) : last;
    this.#delays.push({ time, delay: time - cause });
    while (this.#delays[0].time < time - SPAN) this.#delays.shift();
  }

  // Returns {last, p50, p95} in ms; the percentiles are those of the minute before `now`, in ms since `ready`. A value
  // is null if there was no write.
  standing(now) {
    const last = this.#delays.at(-1)?.delay ?? null;
    const recent = this.#delays.filter(({ time }) => time >= now - SPAN).map(({ delay }) => delay);
    recent.sort((a, b) => a - b);
    return { last, p50: quantile(recent, 0.5), p95: quantile(recent, 0.95) };
  }
}

// Returns the least of the sorted values that at least `share` of them do not exceed, or null if there are none.
export function quantile(sorted, share) {
  return sorted.length === 0 ? null : sorted[Math.ceil(share * sorted.length) - 1];
}
