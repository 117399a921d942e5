// The browser's own speech recognition (Web Speech API) as a source of hypotheses.
//
// A browser may end its session at any time. Another session begins while recognition is wanted. A hypothesis that is
// open at the end of a session counts as final, because the next session does not repeat it.

import { phrase } from '../strings.js';
import { backoffDelay } from '../surtitle.js';

// Errors that have a text of their own.
const KNOWN = ['not-allowed', 'service-not-allowed', 'audio-capture', 'language-not-supported', 'network'];
const PASSING = ['no-speech', 'aborted', 'network'];

export class Recognition {
  onHypothesis = () => {}; // (text, final): the whole text since the last final one
  onProblem = () => {}; // (sentence)
  onChange = () => {};
  language = '';
  #SpeechRecognition;
  #platform;
  #wanted = false;
  #session = null;
  #heard = '';
  #tries = 0;
  #retry = null;
  #stopped = () => {};

  constructor(
    SpeechRecognition = globalThis.SpeechRecognition ?? globalThis.webkitSpeechRecognition,
    platform = { setTimeout: (work, ms) => setTimeout(work, ms), clearTimeout: (timer) => clearTimeout(timer) },
  ) {
    this.#SpeechRecognition = SpeechRecognition;
    this.#platform = platform;
  }

  get offered() {
    return this.#SpeechRecognition !== undefined;
  }

  get listening() {
    return this.#session !== null;
  }

  get heard() {
    return this.#heard;
  }

  set running(running) {
    if (running === this.#wanted) return;
    this.#wanted = running;
    this.#tries = 0;
    if (running) this.#listen();
    else this.#end();
  }

  // Resolves when the browser has sent all its results.
  async stopped() {
    if (this.#session !== null) await new Promise((resolve) => (this.#stopped = resolve));
  }

  #listen() {
    if (!this.#wanted || this.#session !== null) return;
    const session = new this.#SpeechRecognition();
    Object.assign(session, { continuous: true, interimResults: true, lang: this.language });
    let finals = 0; // number of final results
    session.onresult = ({ results }) => {
      finals += this.#results(Array.from(results).slice(finals));
    };
    session.onerror = ({ error }) => this.#failed(error);
    session.onend = () => this.#ended();
    this.#session = session;
    try {
      session.start();
    } catch (error) {
      this.#session = null;
      this.#wanted = false;
      this.onProblem(phrase('speech.not-started', { message: error.message }));
    }
    this.onChange();
  }

  #end() {
    this.#platform.clearTimeout(this.#retry);
    this.#session?.stop();
    this.onChange();
  }

  // Returns the number of final results at the beginning.
  #results(results) {
    this.#tries = 0;
    const text = (result) => result[0].transcript.trim();
    const open = results.findIndex(({ isFinal }) => !isFinal);
    const finals = open < 0 ? results.length : open;
    for (const result of results.slice(0, finals)) this.#hear(text(result), true);
    this.#hear(results.slice(finals).map(text).join(' ').trim(), false);
    this.onChange();
    return finals;
  }

  #hear(text, final) {
    if (text === '' && this.#heard === '') return;
    this.#heard = final ? '' : text;
    this.onHypothesis(text, final);
  }

  #failed(error) {
    if (KNOWN.includes(error)) this.onProblem(phrase(`speech.${error}`));
    else if (!PASSING.includes(error)) this.onProblem(phrase('speech.failed', { error }));
    if (!PASSING.includes(error)) this.#wanted = false;
  }

  #ended() {
    this.#session = null;
    if (this.#heard !== '') this.#hear(this.#heard, true);
    this.#stopped();
    const wait = this.#tries === 0 ? 0 : backoffDelay(this.#tries);
    if (this.#wanted) this.#retry = this.#platform.setTimeout(() => this.#listen(), wait);
    this.#tries += 1;
    this.onChange();
  }
}
