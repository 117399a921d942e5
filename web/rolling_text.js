// Text that grows word by word, sentence below sentence.
//
// Elements are only appended, and only whole words: the browser then breaks lines once, and a word never moves within its
// sentence unless the window or the font changes. Selected text is clean, because a sentence is one block of words and
// spaces.

import { StickyScroll } from './sticky_scroll.js';
import { spaceBetween } from './words.js';

export class RollingText {
  #element = document.createElement('div');
  #scroll;
  #kept;
  #sentences = new Map(); // number -> the element of its words
  #origins = new WeakMap(); // word -> `origin`

  // `kept`: sentences in the document. `onAway`: see StickyScroll.
  constructor(frame, { kept, onAway = () => {} }) {
    this.#element.className = 'lines';
    this.#kept = kept;
    frame.append(this.#element);
    this.#scroll = new StickyScroll(frame, this.#element, onAway);
  }

  // Appends a word to a sentence. `spaced`: a space is before it, by default if its script has spaces; `key`: for mark() and highlight();
  // `origin`: see origin().
  append(number, word, { spaced = null, key = '', origin = null } = {}) {
    const words = this.#sentences.get(number) ?? this.#begin(number);
    words.parentElement.classList.remove('past');
    const element = document.createElement('span');
    element.className = 'word';
    if (key !== '') element.dataset.key = key;
    element.textContent = word;
    this.#origins.set(element, origin);
    const before = words.lastElementChild?.textContent ?? '';
    const space = spaced === null ? spaceBetween(before, word) : spaced && before !== '' ? ' ' : '';
    words.append(space, element);
  }

  // Appends the words of a text, which continues the sentence's last word unless it begins with white space.
  write(number, text, origin = null) {
    for (const word of text.match(/\s*\S+/gu) ?? []) {
      this.append(number, word.trimStart(), { spaced: /^\s/u.test(word), origin });
    }
  }

  // Marks the words with this key as read.
  mark(key) {
    this.#find(key)?.classList.add('read');
  }

  // Highlights the words with these keys as `made`, the one with the key `aligned` also as `aligned`, and no others.
  highlight(keys, aligned = '') {
    for (const word of this.#element.querySelectorAll('.made')) word.classList.remove('made', 'aligned');
    for (const key of keys) {
      const word = this.#find(key);
      word?.classList.add('made');
      word?.classList.toggle('aligned', key === aligned);
    }
  }

  // Returns the `origin` that append() received with a word.
  origin(word) {
    return this.#origins.get(word);
  }

  // Gives all present sentences the look of older ones.
  rest() {
    for (const words of this.#sentences.values()) words.parentElement.classList.add('past');
  }

  jumpToEnd() {
    this.#scroll.jumpToEnd();
  }

  clear() {
    this.#element.replaceChildren();
    this.#sentences.clear();
    this.#scroll.jumpToEnd();
  }

  #find(key) {
    return this.#element.querySelector(`[data-key="${CSS.escape(key)}"]`);
  }

  #begin(number) {
    const sentence = document.createElement('div');
    sentence.className = 'sentence';
    const words = document.createElement('span');
    words.className = 'words';
    sentence.append(words);
    this.#element.append(sentence);
    this.#sentences.set(number, words);
    this.#trim();
    return words;
  }

  // Nothing is removed above text that is being read: it would move.
  #trim() {
    while (this.#sentences.size > this.#kept && !this.#scroll.away) {
      const [number, words] = this.#sentences.entries().next().value;
      words.parentElement.remove();
      this.#sentences.delete(number);
    }
  }
}
