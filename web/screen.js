// Draws the changes of subtitles.js: source words small, the translation large.
//
// Whole sentences go into an invisible element for screen readers.

import { Origins } from './origin.js';
import { RollingText } from './rolling_text.js';

const SPOKEN = 4; // sentences kept for screen readers

export class Screen {
  #source;
  #target;
  #spoken;
  #placeholder;
  #origins = new Origins();
  #fade = 0; // ms without a word until all lines are dimmed; 0: never
  #silence = null; // timer
  #sentences = new Map(); // number -> {shown, read: source words, begun: the translation has begun}

  constructor(document) {
    this.#source = new RollingText(document.querySelector('#source'));
    this.#target = new RollingText(document.querySelector('#target'));
    this.#spoken = document.querySelector('#spoken');
    this.#placeholder = document.querySelector('#placeholder');
  }

  // `fade` in seconds.
  set({ fade }) {
    this.#fade = fade * 1000;
    this.#source.refresh();
    this.#target.refresh();
  }

  // Highlights the source words that had been read when a word of the translation was written. Returns its origin in
  // one line. null highlights no word.
  showOrigin(word) {
    const made = word && this.#target.origin(word);
    this.#source.highlight(made ? Array.from({ length: made.words }, (_, i) => `${made.sentence}.${i}`) : []);
    return made ? this.#origins.tell({ text: word.textContent, ...made }) : '';
  }

  apply(change) {
    if (change.kind === 'clear') {
      this.#clear();
      return;
    }
    const sentence = this.#sentence(change.sentence);
    if (change.kind === 'source') this.#showSource(change, sentence);
    if (change.kind === 'target') this.#showTarget(change, sentence);
    if (change.kind === 'read') this.#markRead(change, sentence);
    if (change.kind === 'sentence') this.#announce(change);
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
    if (!this.#sentences.has(number)) this.#sentences.set(number, { shown: 0, read: 0, begun: false });
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
      const fresh = sentence.shown === 0;
      this.#source.append(fresh ? word : ` ${word}`, { key: `${number}.${sentence.shown}`, fresh });
      sentence.shown += 1;
    }
  }

  #showTarget({ sentence: number, text, read, words, time }, sentence) {
    this.#restartFade();
    const origin = { sentence: number, read, words, time };
    this.#target.append(text, { key: `${number}`, fresh: !sentence.begun, origin });
    sentence.begun = true;
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
    this.#sentences.delete(number);
  }
}
