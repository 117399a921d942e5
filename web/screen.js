// Draws the changes of subtitles.js: source words small, the translation large.
//
// Whole sentences go into an invisible element for screen readers.

import { BACKLOG } from './channel.js';
import { Origins } from './origin.js';
import { RollingText } from './rolling_text.js';

const SPOKEN = 4; // sentences kept for screen readers
const IN_SIGHT = 16; // sentences, more than the rows of text that does not scroll
const HISTORY = BACKLOG + 200; // sentences to scroll back to

export class Screen {
  #source;
  #target;
  #spoken;
  #placeholder;
  #origins = new Origins();
  #fade = 0; // ms without a word until all lines are dimmed; 0: never
  #silence = null; // timer
  #sentences = new Map(); // number -> {shown, read: source words, aligned: token -> source word}

  // `onAway`: receives true if the reader has scrolled away from the last words, false if they are in sight again. An
  // overlay does not scroll.
  constructor(document, { scrolls = true, onAway = () => {} } = {}) {
    this.#source = new RollingText(document.querySelector('#source'), { kept: IN_SIGHT });
    this.#target = new RollingText(document.querySelector('#target'), { kept: scrolls ? HISTORY : IN_SIGHT, onAway });
    this.#spoken = document.querySelector('#spoken');
    this.#placeholder = document.querySelector('#placeholder');
  }

  // `fade` in seconds.
  set({ fade }) {
    this.#fade = fade * 1000;
  }

  jumpToEnd() {
    this.#target.jumpToEnd();
  }

  // Highlights the source words that had been read when a word of the translation was written, and the one that it is
  // aligned with, if that is known. Returns its origin in one line, as Origins.tell() does. null highlights no word.
  showOrigin(word) {
    const made = word && this.#target.origin(word);
    if (!made) {
      this.#source.highlight([]);
      return null;
    }
    const { sentence, words, index } = made;
    const aligned = this.#sentences.get(sentence)?.aligned.get(index);
    this.#source.highlight(Array.from({ length: words }, (_, i) => `${sentence}.${i}`), `${sentence}.${aligned}`);
    return this.#origins.tell({ text: word.textContent, ...made, aligned });
  }

  // `past`: the change belongs to the talk before this page was opened, which nothing announces.
  apply(change, { past = false } = {}) {
    if (change.kind === 'clear') {
      this.#clear();
      return;
    }
    const sentence = this.#sentence(change.sentence);
    if (change.kind === 'source') this.#showSource(change, sentence);
    if (change.kind === 'target') this.#showTarget(change);
    if (change.kind === 'aligned') sentence.aligned.set(change.index, change.word);
    if (change.kind === 'read') this.#markRead(change, sentence);
    if (change.kind === 'sentence' && !past) this.#announce(change);
  }

  #clear() {
    this.#source.clear();
    this.#target.clear();
    this.#spoken.replaceChildren();
    this.#sentences.clear();
    this.#origins.clear();
    this.#placeholder.hidden = false;
  }

  #sentence(number) {
    if (!this.#sentences.has(number)) {
      this.#sentences.set(number, { shown: 0, read: 0, aligned: new Map() });
      if (this.#sentences.size > HISTORY) this.#sentences.delete(this.#sentences.keys().next().value);
    }
    return this.#sentences.get(number);
  }

  // Restarts the timer that dims lines after a silence.
  #restartFade() {
    this.#placeholder.hidden = true;
    clearTimeout(this.#silence);
    if (this.#fade === 0) return;
    this.#silence = setTimeout(() => {
      this.#source.rest();
      this.#target.rest();
    }, this.#fade);
  }

  #showSource(change, sentence) {
    const { sentence: number, words } = change;
    this.#restartFade();
    this.#origins.add(change);
    for (const word of words) {
      this.#source.append(number, word, { key: `${number}.${sentence.shown}` });
      sentence.shown += 1;
    }
  }

  #showTarget({ sentence: number, text, ...origin }) {
    this.#restartFade();
    this.#target.write(number, text, { sentence: number, ...origin });
  }

  #markRead({ sentence: number, words }, sentence) {
    for (; sentence.read < words; sentence.read += 1) this.#source.mark(`${number}.${sentence.read}`);
  }

  // Adds a sentence for screen readers, which would stammer if they received it word by word.
  #announce({ sentence: number, text }) {
    const spoken = document.createElement('p');
    spoken.textContent = text;
    this.#spoken.append(spoken);
    while (this.#spoken.childElementCount > SPOKEN) this.#spoken.firstElementChild.remove();
  }
}
