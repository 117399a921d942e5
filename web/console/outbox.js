// Words of the source that the daemon has not acknowledged, in order. No word in it is lost.
//
// Words are sent while a stream is attached and not paused. The number of unacknowledged words is limited, so that a
// pause takes effect soon. Words that a lost stream had not acknowledged are sent again on the next stream.

import { phrase } from '../strings.js';
import { joinWords, splitWords } from '../words.js';

const WINDOW = 64; // unacknowledged words
const PORTION = 16; // words of one message, if many words arrive at once
const SHOWN = 8; // waiting entries

// An entry is {text, words, time} for complete words | {final: true, text, words} | {end: true}. `passing`: it is of no use
// on a later stream.
export class Outbox {
  onChange = () => {};
  onSentenceEnd = () => {}; // the end of a sentence was sent
  onAcknowledged = () => {}; // the daemon has acknowledged sent words
  onProblem = () => {}; // (sentence): the reason why a text is left out
  keep = () => {}; // `state` has changed; called before a word is sent
  #now;
  #stream = null;
  #paused = false;
  #waiting = [];
  #sent = []; // sent and not acknowledged, each with `at`, ms
  #heard = ''; // the recogniser's present hypothesis
  #told = ''; // the hypothesis that was sent last
  #lag = null;
  #taken = () => {};

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  // Sends to `stream` from now on, or not at all if it is null.
  attach(stream) {
    this.#waiting.unshift(...this.#sent.splice(0).filter(({ passing }) => !passing));
    this.#stream = stream;
    this.#told = '';
    this.#lag = null;
    this.keep();
    this.#pump();
  }

  // The words as a value that can be stored, for restore().
  get state() {
    const sent = this.#sent.map(({ at, ...entry }) => entry);
    return { sent, waiting: this.#waiting, heard: this.#heard };
  }

  // Takes over the words of another page's outbox. attach() or resume() decides what happens to those that were sent.
  restore({ sent, waiting, heard }) {
    this.#sent.unshift(...sent.map((entry) => ({ ...entry, at: this.#now() })));
    this.#waiting.unshift(...waiting, ...completed(heard));
    this.keep();
    this.onChange();
  }

  // Continues on the stream of that other page, which sends its unacknowledged messages by itself.
  resume(stream) {
    const again = [...this.#sent];
    this.#stream = stream;
    const taken = () => {
      this.#sent = this.#sent.filter((entry) => !again.includes(entry));
      this.#acknowledged();
    };
    stream.taken().then(taken, () => {});
    this.#pump();
  }

  // Drops all words that wait.
  discard() {
    this.#waiting = [];
    this.#heard = '';
    this.keep();
    this.onChange();
  }

  // Sends a text as a sentence of its own, before all words that wait.
  announce(text) {
    for (const entry of [{ end: true }, { text, words: count(text) }, { end: true }]) this.#send({ ...entry, passing: true });
    this.onChange();
  }

  set paused(paused) {
    this.#paused = paused;
    this.#pump();
  }

  words(text, time) {
    const words = splitWords(text);
    for (let i = 0; i < words.length; i += PORTION) {
      const portion = words.slice(i, i + PORTION);
      this.#waiting.push({ text: joinWords(portion), words: portion.length, time });
    }
    this.keep();
    this.#pump();
  }

  // Adds a recogniser's whole text since its last final one.
  hypothesis(text, final) {
    this.#heard = final ? '' : text;
    if (final) this.#waiting.push({ final, text, words: count(text) });
    this.keep();
    this.#pump();
  }

  endSentence() {
    this.#waiting.push({ end: true });
    this.keep();
    this.#pump();
  }

  // Resolves when all words are acknowledged; never if the stream is lost before.
  async empty() {
    while (this.#waiting.length + this.#sent.length > 0) await new Promise((resolve) => (this.#taken = resolve));
  }

  // {waiting, sent, text, lag}: the number of waiting and of unacknowledged words; the last waiting text; ms until the
  // daemon's last acknowledgement or, if longer, since the oldest unacknowledged word. `lag` is null if no word was
  // sent.
  get standing() {
    const since = this.#sent.length > 0 ? this.#now() - this.#sent[0].at : 0;
    const held = this.#going ? '' : this.#heard;
    const last = this.#waiting.slice(-SHOWN).map(({ text = '' }) => text);
    return {
      waiting: total(this.#waiting) + count(held),
      sent: total(this.#sent),
      text: [...last, held].filter((text) => text !== '').join(' '),
      lag: this.#lag === null && since === 0 ? null : Math.max(this.#lag ?? 0, since),
    };
  }

  get #going() {
    return this.#stream !== null && !this.#paused;
  }

  #pump() {
    while (this.#going && this.#waiting.length > 0 && total(this.#sent) < WINDOW) this.#send(this.#waiting.shift());
    if (this.#going && this.#waiting.length === 0 && this.#heard !== this.#told) {
      this.#told = this.#heard;
      if (this.#heard !== '') this.#stream.hypothesis(this.#heard);
    }
    this.onChange();
  }

  #send(entry) {
    const stream = this.#stream;
    this.#sent.push({ ...entry, at: this.#now() });
    const [sent] = this.#sent.slice(-1);
    const done = () => {
      if (!this.#sent.includes(sent)) return; // it will be sent again
      this.#lag = this.#now() - sent.at;
      this.#sent.splice(this.#sent.indexOf(sent), 1);
      this.#acknowledged();
    };
    try {
      this.#say(stream, entry).then(done, () => {});
    } catch (error) {
      if (!(error instanceof RangeError)) return; // the stream has just ended; the entry stays, to be sent again
      this.#sent.pop();
      this.onProblem(phrase('source.left-out', { message: error.message }));
      this.#taken();
    }
  }

  #acknowledged() {
    this.keep();
    this.#pump();
    this.#taken();
    this.onAcknowledged();
  }

  #say(stream, { text, time, final, end }) {
    if (!final && !end) return stream.source(text, { time });
    if (final) stream.hypothesis(text, { final });
    else stream.endSentence();
    this.#told = '';
    this.onSentenceEnd();
    return stream.taken();
  }
}

// The next page's recogniser does not repeat an open hypothesis, which therefore counts as final.
function completed(heard) {
  return heard === '' ? [] : [{ final: true, text: heard, words: count(heard) }];
}

function total(entries) {
  return entries.reduce((words, entry) => words + (entry.words ?? 0), 0);
}

function count(text) {
  return splitWords(text).length;
}
