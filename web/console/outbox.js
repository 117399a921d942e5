// What the source has said and the daemon has not taken yet, in order. Nothing in it is ever lost.
//
// Words go out while a stream is attached and nobody pauses. Only so many are on their way at once, so that a pause
// holds soon; what was on its way when a connection broke goes out again on the next one.

const WINDOW = 64; // words on their way
const PORTION = 16; // words of one message, where many are said at once
const SHOWN = 8; // entries of those that wait

// of an entry: {text, words, time} complete words | {final: true, text, words} | {end: true}
export class Outbox {
  onChange = () => {};
  onSentenceEnd = () => {}; // the end of a sentence was sent
  onProblem = () => {}; // a text that cannot be sent is left out: why
  #now;
  #stream = null;
  #paused = false;
  #waiting = [];
  #sent = []; // and not yet taken, each with `at`, ms
  #heard = ''; // what a recogniser has since its last final text
  #told = ''; // of that, what was sent last
  #lag = null;
  #taken = () => {};

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  // To `stream` from now on, or nowhere.
  attach(stream) {
    this.#waiting.unshift(...this.#sent.splice(0));
    this.#stream = stream;
    this.#told = '';
    this.#lag = null;
    this.#pump();
  }

  set paused(paused) {
    this.#paused = paused;
    this.#pump();
  }

  words(text, time) {
    const words = text.split(/\s+/u).filter((word) => word !== '');
    for (let i = 0; i < words.length; i += PORTION) {
      const portion = words.slice(i, i + PORTION);
      this.#waiting.push({ text: portion.join(' '), words: portion.length, time });
    }
    this.#pump();
  }

  // A recogniser's whole text since its last final one.
  hypothesis(text, final) {
    this.#heard = final ? '' : text;
    if (final) this.#waiting.push({ final, text, words: count(text) });
    this.#pump();
  }

  endSentence() {
    this.#waiting.push({ end: true });
    this.#pump();
  }

  // Done when all is taken; never, where the connection is lost before.
  async empty() {
    while (this.#waiting.length + this.#sent.length > 0) await new Promise((resolve) => (this.#taken = resolve));
  }

  // {waiting, sent: words; text: the last of those that wait; lag: ms until the daemon last said that it has taken
  // words, or since it was asked to; null where it was not}
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
      if (!this.#sent.includes(sent)) return; // it goes out again
      this.#lag = this.#now() - sent.at;
      this.#sent.splice(this.#sent.indexOf(sent), 1);
      this.#pump();
      this.#taken();
    };
    try {
      this.#say(stream, entry).then(done, () => {});
    } catch (error) {
      if (!(error instanceof RangeError)) return; // the stream has just ended: what was sent stays
      this.#sent.pop();
      this.onProblem(`Left out: ${error.message}.`);
      this.#taken();
    }
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

function total(entries) {
  return entries.reduce((words, entry) => words + (entry.words ?? 0), 0);
}

function count(text) {
  return text.split(/\s+/u).filter((word) => word !== '').length;
}
