// The changes of subtitles.js, drawn: the source's words small, the translation large, and whole sentences for
// those who listen.

import { RollingText } from './rolling_text.js';

const SPOKEN = 4; // sentences kept for screen readers
const SILENCE = 15_000; // ms without a word until all lines are older ones

export class Screen {
  #source;
  #target;
  #spoken;
  #placeholder;
  #silence = null; // timer
  #sentences = new Map(); // number -> source words shown and read, and whether the translation has begun

  constructor(document) {
    this.#source = new RollingText(document.querySelector('#source'));
    this.#target = new RollingText(document.querySelector('#target'));
    this.#spoken = document.querySelector('#spoken');
    this.#placeholder = document.querySelector('#placeholder');
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
    if (change.kind === 'sentence') this.#say(change);
  }

  #clear() {
    this.#source.clear();
    this.#target.clear();
    this.#spoken.replaceChildren();
    this.#sentences.clear();
    this.#placeholder.hidden = false;
  }

  #sentence(number) {
    if (!this.#sentences.has(number)) this.#sentences.set(number, { shown: 0, read: 0, begun: false });
    return this.#sentences.get(number);
  }

  // Whatever was said long ago is no longer what is being said.
  #heard() {
    this.#placeholder.hidden = true;
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      this.#source.rest();
      this.#target.rest();
    }, SILENCE);
  }

  #showSource({ sentence: number, words }, sentence) {
    this.#heard();
    for (const word of words) {
      const fresh = sentence.shown === 0;
      this.#source.append(fresh ? word : ` ${word}`, { key: `${number}.${sentence.shown}`, fresh });
      sentence.shown += 1;
    }
  }

  #showTarget({ sentence: number, text }, sentence) {
    this.#heard();
    this.#target.append(text, { key: `${number}`, fresh: !sentence.begun });
    sentence.begun = true;
  }

  #markRead({ sentence: number, words }, sentence) {
    for (; sentence.read < words; sentence.read += 1) this.#source.mark(`${number}.${sentence.read}`);
  }

  // One piece of text for each sentence: word by word, a screen reader would stammer.
  #say({ sentence: number, text }) {
    const spoken = document.createElement('p');
    spoken.textContent = text;
    this.#spoken.append(spoken);
    while (this.#spoken.childElementCount > SPOKEN) this.#spoken.firstElementChild.remove();
    this.#sentences.delete(number);
  }
}
