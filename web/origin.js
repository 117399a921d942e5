// Origins of target words: the source words that had been read when a word was written, and the delay since the last.

import { BACKLOG } from './channel.js';
import { number, phrase } from './strings.js';

const REMEMBERED = BACKLOG + 200; // sentences, as many as the screen keeps
const SHOWN = 8; // source words

export class Origins {
  #sentences = new Map(); // number -> [{text, taken}]

  // Adds the words of a `source` change of subtitles.js.
  add({ sentence, words, taken }) {
    if (!this.#sentences.has(sentence)) this.#sentences.set(sentence, []);
    this.#sentences.get(sentence).push(...words.map((text) => ({ text, taken })));
    if (this.#sentences.size > REMEMBERED) this.#sentences.delete(this.#sentences.keys().next().value);
  }

  clear() {
    this.#sentences.clear();
  }

  // Returns the origin of a target word in one line, as {before, aligned, after}: `aligned` is the source word that it is
  // aligned with, or '' if that is unknown. `text` is the word; all else is that of its last token.
  tell({ text, sentence, read, words, time, aligned = words }) {
    const source = this.#sentences.get(sentence)?.slice(0, words) ?? [];
    const from = Math.max(0, Math.min(source.length - SHOWN, aligned));
    const texts = (begin, end) => source.slice(begin, end).map((word) => word.text);
    const counts = phrase('origin.words', { count: words }) + phrase('origin.tokens', { count: read });
    const delay = (time - source.at(-1)?.taken) / 1000;
    const after = Number.isFinite(delay) ? phrase('origin.delay', { seconds: number(delay, delay < 1 ? 2 : 1) }) : '';
    const [first, last] = [from > 0 ? '… ' : '', from + SHOWN < source.length ? ' …' : ''];
    const strong = source[aligned]?.text ?? '';
    const before = `${first}${texts(from, aligned).map((word) => `${word} `).join('')}`;
    return {
      before: phrase('origin.begin', { text }) + (strong === '' ? before.trimEnd() : before),
      aligned: strong,
      after: `${texts(aligned + 1, from + SHOWN).map((word) => ` ${word}`).join('')}${last}${counts}${after}`,
    };
  }
}
