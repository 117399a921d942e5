// The translation that a page has received, as text and as WebVTT.

import { splitWords, width } from './words.js';

const LINE = 42; // columns
const CUE = 2 * LINE; // columns
const READING_SPEED = 15; // columns a second
const [MIN_CUE, MAX_CUE] = [0.5, 8]; // seconds

export class Record {
  #sentences = new Map(); // number -> [{text, spaced: after a space, time: seconds since the first word}]
  #start = null; // seconds, on the stream's clock
  #last = 0; // the time of the last word

  // Adds a change of subtitles.js.
  apply({ kind, sentence, text, time }) {
    if (kind === 'clear') this.#clear();
    if (kind !== 'target') return;
    if (!this.#sentences.has(sentence)) this.#sentences.set(sentence, []);
    const words = this.#sentences.get(sentence);
    for (const word of this.#timed(text, time / 1000)) {
      const grown = word.spaced ? undefined : words.pop();
      const [first, ...rest] = splitWords((grown?.text ?? '') + word.text);
      words.push({ ...(grown ?? word), text: first });
      for (const one of rest) words.push({ text: one, spaced: false, time: word.time });
    }
  }

  get isEmpty() {
    return this.#sentences.size === 0;
  }

  // Returns a line for each sentence.
  toText() {
    return this.#inOrder().map((words) => `${textOf(words)}\n`).join('');
  }

  // If cues are too dense, later ones begin late.
  toWebVtt() {
    const cues = this.#inOrder().flatMap(cuesOf);
    let free = 0;
    for (const cue of cues) {
      cue.begin = Math.max(cue.words[0].time, free);
      free = cue.begin + MIN_CUE;
    }
    const texts = cues.map(({ begin, words }, i) => {
      const reading = width(textOf(words)) / READING_SPEED;
      const end = Math.min(Math.max(begin, words.at(-1).time) + reading, begin + MAX_CUE);
      const until = Math.min(Math.max(end, begin + MIN_CUE), cues[i + 1]?.begin ?? Infinity);
      return `\n${clock(begin)} --> ${clock(until)}\n${lines(words).map(escaped).join('\n')}\n`;
    });
    return `WEBVTT\n${texts.join('')}`;
  }

  #clear() {
    this.#sentences.clear();
    this.#start = null;
    this.#last = 0;
  }

  // Returns the words of a text with their times. Words that arrived at once, such as a sentence of the past, share the
  // time since the last ones, as far as a reader needs it.
  #timed(text, time) {
    const before = this.#last;
    const at = this.#at(time);
    const words = text.match(/\s*\S+/gu) ?? [];
    const begin = words.length > 1 ? Math.max(before, at - text.length / READING_SPEED) : at;
    let done = 0;
    return words.map((word) => {
      const own = begin + ((at - begin) * done) / text.length;
      done += word.length;
      return { text: word.trimStart(), spaced: /^\s/u.test(word), time: own };
    });
  }

  // Returns the seconds since the first word. The clock of another stream starts again: its words follow the last ones.
  #at(time) {
    this.#start ??= time;
    if (time - this.#start < this.#last) this.#start = time - this.#last;
    this.#last = time - this.#start;
    return this.#last;
  }

  #inOrder() {
    return [...this.#sentences.entries()].sort(([a], [b]) => a - b).map(([, words]) => words);
  }
}

function textOf(words) {
  return words.reduce((all, { text, spaced }) => `${all}${spaced && all !== '' ? ' ' : ''}${text}`, '');
}

// Returns the parts of a sentence that are shown at once: {words}.
function cuesOf(sentence) {
  const cues = [];
  for (const word of sentence) {
    const words = [...(cues.at(-1)?.words ?? []), word];
    const fits = width(textOf(words)) <= CUE && word.time < words[0].time + MAX_CUE;
    if (cues.length > 0 && fits) cues.at(-1).words = words;
    else cues.push({ words: [word] });
  }
  return cues;
}

function lines(words) {
  const made = [''];
  for (const { text, spaced } of words) {
    const longer = made.at(-1) === '' ? text : `${made.at(-1)}${spaced ? ' ' : ''}${text}`;
    if (width(longer) <= LINE || made.at(-1) === '') made[made.length - 1] = longer;
    else made.push(text);
  }
  return made;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function clock(seconds) {
  const ms = Math.round(seconds * 1000);
  const two = (number) => `${Math.floor(number)}`.padStart(2, '0');
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}.${`${ms % 1000}`.padStart(3, '0')}`;
}
