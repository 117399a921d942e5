// The whole words of a text that arrives in pieces.
//
// A word is complete if a space follows it, or if the text ends. A piece that begins the next word therefore releases
// the word before. Scripts without spaces between words have no such sign, and may be broken after each character: their
// pieces are released at once.

const LAST_WORD = /\s*\S+$/u;
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*$/u;

export class WholeWords {
  #held = null; // the last piece, which may be a part of a word

  // Adds a piece: {text, ...}. Returns the pieces that are complete now. A word of several pieces has the other fields of
  // its last one.
  push(piece) {
    const complete = /^\s/u.test(piece.text) ? this.end() : [];
    const text = (this.#held?.text ?? '') + piece.text;
    const last = LAST_WORD.exec(text)?.[0] ?? '';
    const open = WITHOUT_SPACES.test(last) ? '' : last;
    const whole = text.slice(0, text.length - open.length);
    this.#held = open === '' ? null : { ...piece, text: open };
    return whole === '' ? complete : [...complete, { ...piece, text: whole }];
  }

  // The text ends, or continues much later. Returns the rest.
  end() {
    const rest = this.#held === null ? [] : [this.#held];
    this.#held = null;
    return rest;
  }
}
