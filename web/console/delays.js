// How long after its cause every write came, on the daemon's own clock.
//
// A write's cause is the last source word that it needed. A write that needed all words of its sentence and came after
// the sentence's end is held to have needed the end: what the operator said, or the silence.

const SPAN = 60_000; // ms that are looked at
const REMEMBERED = 4; // sentences

export class Delays {
  #taken = new Map(); // sentence -> [ms since the stream's ready, of each word]
  #end = -Infinity; // likewise, of the last end that was said
  #silence;
  #delays = []; // [{time, delay}], ms

  // `silence`: seconds, as in the limits of `ready`.
  constructor(silence = 0) {
    this.#silence = silence > 0 ? silence * 1000 : Infinity;
  }

  // The operator said the end of a sentence, ms since `ready`.
  ended(time) {
    this.#end = time;
  }

  apply(message) {
    if (message.type === 'source') this.#source(message);
    else if (message.type === 'write') this.#write(message);
  }

  #source({ sentence, text, taken }) {
    if (!this.#taken.has(sentence)) this.#taken.set(sentence, []);
    this.#taken.get(sentence).push(...text.split(' ').map(() => taken));
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

  // Of the minute before `now`, ms since `ready`: {last, p50, p95} in ms; null where nothing was written.
  standing(now) {
    const last = this.#delays.at(-1)?.delay ?? null;
    const recent = this.#delays.filter(({ time }) => time >= now - SPAN).map(({ delay }) => delay);
    recent.sort((a, b) => a - b);
    return { last, p50: quantile(recent, 0.5), p95: quantile(recent, 0.95) };
  }
}

// The least value that so large a share of them does not exceed.
export function quantile(sorted, share) {
  return sorted.length === 0 ? null : sorted[Math.ceil(share * sorted.length) - 1];
}
