// Text that grows word by word in lines that roll up: a full line becomes the older one and is never set anew.
//
// Elements are only appended. The oldest lines are removed when they have long rolled out of sight. Only a window
// or a viewer that gives the lines another width, size or font sets them once more, for nothing else fits.

import { LineBreaker } from './lines.js';

const KEPT = 16; // lines in the document; style.css shows fewer, by --shown

export class RollingText {
  #element = document.createElement('div');
  #breaker;
  #lines = []; // [{element, parts: [{text, key, fresh, origin}]}]
  #origins = new WeakMap(); // word -> what its last piece came from
  #extent;
  #still = matchMedia('(prefers-reduced-motion: reduce)');

  constructor(frame) {
    this.#element.className = 'lines';
    frame.append(this.#element);
    this.#breaker = this.#makeBreaker();
    this.#extent = this.#measureExtent();
    new ResizeObserver(() => this.refresh()).observe(frame);
  }

  // Sets the lines once more where they have another width, size or font.
  refresh() {
    if (this.#measureExtent() === this.#extent) return;
    this.#extent = this.#measureExtent();
    this.#setAnew();
  }

  // Appends text. `key` names its words for mark(); `fresh`: it begins a line; `origin`: see origin().
  append(text, { key = '', fresh = false, origin = null } = {}) {
    this.#add({ text, key, fresh, origin });
    while (this.#lines.length > KEPT) this.#lines.shift().element.remove();
  }

  // The words of this key have been read.
  mark(key) {
    for (const word of this.#element.querySelectorAll(`[data-key="${CSS.escape(key)}"]`)) {
      word.classList.add('read');
    }
  }

  // The words of these keys, and no others, stand out.
  highlight(keys) {
    for (const word of this.#element.querySelectorAll('.made')) word.classList.remove('made');
    for (const key of keys) {
      this.#element.querySelector(`[data-key="${CSS.escape(key)}"]`)?.classList.add('made');
    }
  }

  // What append() was given with the last piece of a word on the screen.
  origin(word) {
    return this.#origins.get(word);
  }

  // What stands here is older from now on, whatever its place.
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
      // At another width the word may stand behind others.
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

  // From where the lines stand on the screen, in the middle of another roll or not.
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

  #setAnew() {
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
    // The last part is the margin for punctuation and hyphens; --pad is a line's own, on both sides.
    const pad = Number(style.getPropertyValue('--pad')) || 0;
    const width = this.#element.clientWidth - (0.7 + 2 * pad) * em;
    const upper = style.textTransform === 'uppercase';
    const measure = (text) => context.measureText(upper ? text.toUpperCase() : text).width;
    return new LineBreaker({ width, reserve: Math.min(1.5 * em, width / 12), measure });
  }
}
