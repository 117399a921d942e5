// A second translation of the same speaker beside the first one: another language, or another policy.
//
// It shows only words. Source words, latencies, downloads and the text for screen readers are those of the first one.

import { BACKLOG } from './channel.js';
import { Pacer } from './pacer.js';
import { RollingText } from './rolling_text.js';
import { Subtitles } from './subtitles.js';

const IN_SIGHT = 16; // sentences, more than the rows of text that does not scroll
const HISTORY = BACKLOG + 200;

export class Beside {
  #text;
  #pacer = new Pacer((change) => this.#show(change));
  #subtitles = new Subtitles();
  #fade = 0; // ms
  #silence = null; // timer

  // An overlay does not scroll.
  constructor(document, { scrolls = true } = {}) {
    this.#text = new RollingText(document.querySelector('#beside'), { kept: scrolls ? HISTORY : IN_SIGHT });
  }

  // `fade` in seconds; the others as in Pacer.
  set({ fade, ...pace }) {
    this.#fade = fade * 1000;
    this.#pacer.set(pace);
  }

  // `past`: the message belongs to the talk before this page was opened.
  apply(message, past) {
    for (const change of this.#subtitles.apply(message)) this.#pacer.push(change, { past });
  }

  // The next messages are those of another track.
  restart() {
    this.#subtitles = new Subtitles();
    this.#text.clear();
  }

  jumpToEnd() {
    this.#text.jumpToEnd();
  }

  #show(change) {
    if (change.kind === 'clear') this.#text.clear();
    if (change.kind === 'target') this.#text.write(change.sentence, change.text);
    if (change.kind !== 'target' && change.kind !== 'source') return;
    clearTimeout(this.#silence);
    if (this.#fade > 0) this.#silence = setTimeout(() => this.#text.rest(), this.#fade);
  }
}
