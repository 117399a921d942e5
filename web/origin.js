// What each target word was made from: the source words that had been read when it was written, and how long after.

const REMEMBERED = 40; // sentences, more than the screen keeps
const TOLD = 8; // source words

export class Origins {
  #sentences = new Map(); // number -> [{text, taken}]

  // A `source` change of subtitles.js.
  add({ sentence, words, taken }) {
    if (!this.#sentences.has(sentence)) this.#sentences.set(sentence, []);
    this.#sentences.get(sentence).push(...words.map((text) => ({ text, taken })));
    if (this.#sentences.size > REMEMBERED) this.#sentences.delete(this.#sentences.keys().next().value);
  }

  clear() {
    this.#sentences.clear();
  }

  // In one line; `word` as written: its text, and sentence, read, words and time of its last token.
  tell({ text, sentence, read, words, time }) {
    const source = this.#sentences.get(sentence)?.slice(0, words) ?? [];
    const told = source.slice(-TOLD).map((word) => word.text).join(' ');
    const more = source.length > TOLD ? '… ' : '';
    const counts = `${words} ${words === 1 ? 'word' : 'words'}, ${read} ${read === 1 ? 'token' : 'tokens'} read`;
    const delay = (time - source.at(-1)?.taken) / 1000;
    const after = Number.isFinite(delay) ? ` · ${delay.toFixed(delay < 1 ? 2 : 1)} s after the last of them` : '';
    return `“${text}” from “${more}${told}” · ${counts}${after}`;
  }
}
