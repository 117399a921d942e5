// Reads whole sentences aloud, if the browser can and the viewer wants it.
//
// It uses only voices of the machine itself, because others send the text to a service. If sentences arrive faster than
// they are read, the oldest are left out. The choice is not stored, because a browser does not speak before the viewer
// has touched the page.

import { languageName } from './languages.js';
import { phrase } from './strings.js';

const WAITING = 2; // sentences after the one that is being read

export class Speech {
  language = '';
  onProblem = () => {}; // receives one sentence, or '' if there is no problem
  #synthesis;
  #on = false;
  #queue = [];
  #saying = null;

  constructor(synthesis = globalThis.speechSynthesis) {
    this.#synthesis = synthesis;
  }

  get offered() {
    return this.#synthesis !== undefined;
  }

  set on(on) {
    this.#on = on;
    this.#queue = [];
    this.#saying = null;
    this.#synthesis.cancel();
    if (on) this.#voice();
    else this.onProblem('');
  }

  say(text) {
    if (!this.#on) return;
    this.#queue.push(text);
    while (this.#queue.length > WAITING) this.#queue.shift();
    if (this.#saying === null) this.#next();
  }

  #next() {
    const text = this.#queue.shift();
    const voice = text === undefined ? null : this.#voice();
    this.#saying = null;
    if (voice === null) return;
    const utterance = new SpeechSynthesisUtterance(text);
    Object.assign(utterance, { voice, lang: voice.lang });
    const over = () => {
      if (this.#saying === utterance) this.#next();
    };
    utterance.addEventListener('end', over);
    utterance.addEventListener('error', over);
    this.#saying = utterance;
    this.#synthesis.speak(utterance);
  }

  #voice() {
    const wanted = this.language.toLowerCase();
    const tag = (voice) => voice.lang.replace('_', '-').toLowerCase();
    const voices = this.#synthesis.getVoices().filter((voice) => voice.localService);
    const voice =
      voices.find((other) => tag(other) === wanted) ??
      voices.find((other) => tag(other).split('-')[0] === wanted.split('-')[0]) ??
      null;
    const known = voice !== null || wanted === '';
    this.onProblem(known ? '' : phrase('viewer.no-voice', { language: languageName(this.language) }));
    return voice;
  }
}
