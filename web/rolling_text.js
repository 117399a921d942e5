// Text that grows word by word, in lines that roll up and never change.
//
// Elements are only appended. The oldest lines are removed long after they have rolled out of sight. Lines are broken
// again only if their width, size or font changes, by the window or by the viewer.

import { LineBreaker } from './lines.js';

const KEPT = 16; // lines in the document; style.css displays fewer of them

export class RollingText {
  #element = document.createElement('div');
  #breaker;
  #lines = []; // [{element, parts: [{text, key, fresh, origin}]}]
  #origins = new WeakMap(); // word -> `origin` of its last piece
  #extent;
  #still = matchMedia('(prefers-reduced-motion: reduce)');

  constructor(frame) {
    this.#element.className = 'lines';
    frame.append(this.#element);
    this.#breaker = this.#makeBreaker();
    this.#extent = this.#measureExtent();
    new ResizeObserver(() => this.refresh()).observe(frame);
  }

  // Breaks the lines again if their width, size or font has changed.
  refresh() {
    if (this.#measureExtent() === this.#extent) return;
    this.#extent = this.#measureExtent();
    this.#rebuild();
  }

  // Appends text. `key`: the key of its words, for mark() and highlight(); `fresh`: the text begins a line; `origin`:
  // see origin().
  append(text, { key = '', fresh = false, origin = null } = {}) {
    this.#add({ text, key, fresh, origin });
    while (this.#lines.length > KEPT) this.#lines.shift().element.remove();
  }

  // Marks the words with this key as read.
  mark(key) {
    for (const word of this.#element.querySelectorAll(`[data-key="${CSS.escape(key)}"]`)) {
      word.classList.add('read');
    }
  }

  // Highlights the words with these keys, and no others.
  highlight(keys) {
    for (const word of this.#element.querySelectorAll('.made')) word.classList.remove('made');
    for (const key of keys) {
      this.#element.querySelector(`[data-key="${CSS.escape(key)}"]`)?.classList.add('made');
    }
  }

  // Returns the `origin` that append() received with the last piece of a word on the screen.
  origin(word) {
    return this.#origins.get(word);
  }

  // Gives all present lines the look of older ones.
  rest() {
    for (const { element } of this.#lines) element.classList.add('past');
  }

  clear() {
    this.#element.replaceChildren();
    this.#element.parentElement.style.setProperty('--shown', 0);
    this.#lines = [];
    this.#breaker.endLine();
  }

  #add({ text, key, fresh, origin }) {
    if (fresh) this.#breaker.endLine();
    for (const [i, part] of this.#breaker.place(text).entries()) {
      if (part.line) this.#beginLine(part.broken);
      const line = this.#lines.at(-1);
      const begins = fresh && i === 0;
      // After a change of width, the word may follow others in a line.
      const space = part.line && part.word && !begins ? ' ' : '';
      line.parts.push({ text: space + part.text, key, fresh: begins, origin });
      this.#addPart(line.element, part, key);
      this.#origins.set(line.element.lastElementChild, origin);
    }
  }

  #beginLine(broken) {
    const last = this.#lines.at(-1)?.element;
    last?.classList.toggle('broken', broken);
    const element = document.createElement('div');
    element.className = 'line';
    this.#element.append(element);
    this.#lines.push({ element, parts: [] });
    this.#element.parentElement.style.setProperty('--shown', this.#lines.length);
    if (last && !this.#still.matches) this.#roll(element.offsetTop - last.offsetTop);
  }

  // Starts at the present position of the lines, which may be in the middle of another roll.
  #roll(height) {
    const above = new DOMMatrix(getComputedStyle(this.#element).transform).f;
    this.#element.animate([{ transform: `translateY(${above + height}px)` }, { transform: 'none' }], {
      duration: 260,
      easing: 'cubic-bezier(.2, .7, .2, 1)',
    });
  }

  #addPart(line, { text, word, line: begins }, key) {
    line.classList.remove('past');
    if (word || begins) {
      const element = document.createElement('span');
      element.className = 'word';
      element.dataset.key = key;
      line.append(begins ? '' : ' ', element);
    }
    const piece = document.createElement('span');
    piece.className = 'piece';
    piece.textContent = text.trimStart();
    line.lastElementChild.append(piece);
  }

  #rebuild() {
    const parts = this.#lines.flatMap((line) => line.parts);
    const read = new Set(Array.from(this.#element.querySelectorAll('.read'), (word) => word.dataset.key));
    this.clear();
    this.#breaker = this.#makeBreaker();
    for (const part of parts) this.#add(part);
    for (const key of read) this.mark(key);
    for (const roll of this.#element.getAnimations()) roll.finish();
  }

  #measureExtent() {
    const { fontSize, fontFamily, textTransform } = getComputedStyle(this.#element);
    return `${this.#element.clientWidth} ${fontSize} ${fontFamily} ${textTransform}`;
  }

  #makeBreaker() {
    const style = getComputedStyle(this.#element);
    const em = parseFloat(style.fontSize);
    const context = document.createElement('canvas').getContext('2d');
    context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`; // Firefox leaves style.font empty
    // 0.7 em is the margin for punctuation and hyphens; --pad is the padding of a line, on both sides.
    const pad = Number(style.getPropertyValue('--pad')) || 0;
    const width = this.#element.clientWidth - (0.7 + 2 * pad) * em;
    const upper = style.textTransform === 'uppercase';
    const measure = (text) => context.measureText(upper ? text.toUpperCase() : text).width;
    return new LineBreaker({ width, reserve: Math.min(1.5 * em, width / 12), measure });
  }
}
