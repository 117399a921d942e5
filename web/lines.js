// Breaks growing text into lines. A break is decided once, and text never moves afterwards.
//
// A word begins a new line if it does not fit, or would leave less than `reserve` behind it. Words arrive in pieces,
// and the reserve makes it likely that the next piece fits too. If a word still outgrows its line, it is broken before
// that piece. A piece longer than a line is broken at the end of the line. Punctuation after a word may reach into the
// margin.

const PUNCTUATION = /^[\p{P}\p{S}]{1,3}$/u;

export class LineBreaker {
  #width;
  #reserve;
  #measure;
  #line = ''; // text of the last line
  #space = false; // the last piece ended with a space

  // `measure(text)` returns the width of a text, in the unit of `width` and `reserve`.
  constructor({ width, reserve, measure }) {
    this.#width = width;
    this.#reserve = reserve;
    this.#measure = measure;
  }

  // Makes the next piece start a new line.
  endLine() {
    this.#line = '';
    this.#space = false;
  }

  // Returns the parts of `piece` in order: {text, line, word, broken}. `line`: the part begins a line; `word`: it
  // begins a word; `broken`: it begins a line within a word. Spaces at the beginning of a line are dropped.
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

  // Returns the text in parts that each fit into a line.
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
