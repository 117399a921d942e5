// Origins of target words: the source words that had been read when a word was written, and the delay since the last.

const REMEMBERED = 40; // sentences, more than the screen keeps
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

  // Returns the origin of a target word in one line. `text` is the word; all else is that of its last token.
  tell({ text, sentence, read, words, time }) {
    const source = this.#sentences.get(sentence)?.slice(0, words) ?? [];
    const shown = source.slice(-SHOWN).map((word) => word.text).join(' ');
    const more = source.length > SHOWN ? '… ' : '';
    const counts = `${words} ${words === 1 ? 'word' : 'words'}, ${read} ${read === 1 ? 'token' : 'tokens'} read`;
    const delay = (time - source.at(-1)?.taken) / 1000;
    const after = Number.isFinite(delay) ? ` · ${delay.toFixed(delay < 1 ? 2 : 1)} s after the last of them` : '';
    return `“${text}” from “${more}${shown}” · ${counts}${after}`;
  }
}
