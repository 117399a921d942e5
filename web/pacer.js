// Delays subtitles that arrive faster than a viewer can read.
//
// The reader is assumed to read everything at `pace` characters a second, a sentence in at least `hold` seconds, and to
// see `room` characters at once. Text is shown if it fits into that room together with all unread text. Otherwise it
// waits until enough of that text has been read. A speaker who leaves time to read therefore causes no delay, and a
// fast speaker's delay ends at their next pause. Times are ms on the pacer's clock.

const clock = {
  now: () => performance.now(),
  setTimeout: (work, ms) => setTimeout(work, ms),
  clearTimeout: (timer) => clearTimeout(timer),
};

export class Pacer {
  #show;
  #clock;
  #pace = 0; // characters a second; 0: no limit
  #hold = 0;
  #room = 0;
  #queue = []; // [{change, since}]
  #timer = null;
  #readUntil = 0;
  #sentence = null; // {number, since}: the last sentence that was begun

  // show(change, delay, past): `delay` is the time that the change waited, ms; `past`: see push().
  constructor(show, { clock: own = clock } = {}) {
    this.#show = show;
    this.#clock = own;
  }

  // `room` in characters, `hold` in seconds.
  set({ pace, hold, room }) {
    this.#pace = pace;
    this.#hold = hold * 1000;
    this.#room = room;
    this.#drain();
  }

  // Adds a change of subtitles.js. Source words never wait. Changes of the translation keep their order. `past`: the
  // change belongs to text that was said before this page was opened, or while it was cut off. It does not wait.
  push(change, { past = false } = {}) {
    if (change.kind === 'clear') this.#queue = [];
    if (past) this.#flush();
    if (past || change.kind === 'source' || change.kind === 'clear') {
      this.#show(change, 0, past);
      return;
    }
    this.#queue.push({ change, since: this.#clock.now() });
    if (this.#queue.length === 1) this.#drain();
  }

  // Shows all waiting changes, because later ones do not wait.
  #flush() {
    this.#clock.clearTimeout(this.#timer);
    for (const { change, since } of this.#queue.splice(0)) this.#show(change, this.#clock.now() - since, false);
  }

  #drain() {
    this.#clock.clearTimeout(this.#timer);
    while (this.#queue.length > 0) {
      const [{ change, since }] = this.#queue;
      const now = this.#clock.now();
      const wait = this.#wait(change, now);
      if (wait > 0) {
        this.#timer = this.#clock.setTimeout(() => this.#drain(), wait);
        return;
      }
      this.#queue.shift();
      this.#count(change, now);
      this.#show(change, now - since, false);
    }
  }

  #wait(change, now) {
    if (this.#pace === 0 || change.kind !== 'target') return 0;
    const seen = (this.#room * 1000) / this.#pace;
    // A text larger than the room waits only until everything before it has been read.
    return this.#until(change, now) - now - Math.max(0, seen - this.#time(change));
  }

  // Returns the time at which the reader has read everything before the change.
  #until({ sentence }, now) {
    const before = this.#sentence?.number === sentence ? 0 : (this.#sentence?.since ?? -Infinity) + this.#hold;
    return Math.max(now, this.#readUntil, before);
  }

  #count(change, now) {
    if (change.kind !== 'target' || this.#pace === 0) return;
    this.#readUntil = this.#until(change, now);
    if (this.#sentence?.number !== change.sentence) this.#sentence = { number: change.sentence, since: this.#readUntil };
    this.#readUntil += this.#time(change);
  }

  #time({ text }) {
    return (text.length * 1000) / this.#pace;
  }
}
