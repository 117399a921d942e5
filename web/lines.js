// Where growing text breaks into lines, decided once: what stands somewhere stays there.
//
// A word begins a new line where it does not fit, or leaves less than `reserve` behind it: words come in pieces,
// and the next piece must not carry the word away. A word that outgrows its line all the same is broken where
// the piece begins; a piece longer than a line is broken where the line ends. Punctuation behind a word may
// stand in the margin.

const PUNCTUATION = /^[\p{P}\p{S}]{1,3}$/u;

export class LineBreaker {
  #width;
  #reserve;
  #measure;
  #line = ''; // what stands in the last line
  #space = false; // the last piece ended with a space

  // `measure(text)` is the width of a text, in the unit of `width` and `reserve`.
  constructor({ width, reserve, measure }) {
    this.#width = width;
    this.#reserve = reserve;
    this.#measure = measure;
  }

  // The next piece starts a line of its own.
  endLine() {
    this.#line = '';
    this.#space = false;
  }

  // Returns the parts of `piece` in order: {text, line: begins a line, word: begins a word, broken: begins a line
  // in the middle of a word}. Leading spaces are dropped where a line begins.
  place(piece) {
    const parts = [];
    const spaced = (this.#space ? ' ' : '') + piece;
    this.#space = /\s$/u.test(piece);
    for (const chunk of spaced.match(/\s*\S+/gu) ?? []) {
      this.#placeChunk(chunk.replace(/^\s+/u, ' '), parts);
    }
    return parts;
  }

  #placeChunk(chunk, parts) {
    const word = chunk.startsWith(' ') || this.#line === '';
    const text = chunk.trimStart();
    const begins = this.#line === '' || !this.#fits(chunk, word, text);
    if (!begins) {
      this.#line += chunk;
      parts.push({ text: chunk, line: false, word, broken: false });
      return;
    }
    let broken = !word;
    for (const part of this.#cut(text)) {
      this.#line = part;
      parts.push({ text: part, line: true, word: !broken, broken });
      broken = true;
    }
  }

  #fits(chunk, word, text) {
    if (!word && PUNCTUATION.test(text)) return true;
    return this.#measure(this.#line + chunk) <= this.#width - (word ? this.#reserve : 0);
  }

  // The text in parts that fit a line each.
  #cut(text) {
    const parts = [];
    let part = '';
    for (const character of text) {
      if (part !== '' && this.#measure(part + character) > this.#width) {
        parts.push(part);
        part = '';
      }
      part += character;
    }
    parts.push(part);
    return parts;
  }
}
