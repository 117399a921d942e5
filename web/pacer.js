// Holds subtitles back where they come faster than one can read.
//
// The reader reads everything at `pace` characters a second, a sentence in no less than `hold` seconds, and sees
// `room` characters at once. Text is shown while all that is still unread fits what is seen; else it waits until
// enough of that has been read. So nothing waits behind a speaker who leaves time to read, and the wait of a fast one
// ends at his next pause. Times are ms of the clock's.

const clock = {
  now: () => performance.now(),
  setTimeout: (work, ms) => setTimeout(work, ms),
  clearTimeout: (timer) => clearTimeout(timer),
};

export class Pacer {
  #show;
  #clock;
  #pace = 0; // characters a second; 0: as it comes
  #hold = 0;
  #room = 0;
  #queue = []; // [{change, since}]
  #timer = null;
  #readUntil = 0;
  #sentence = null; // {number, since}: the last that was begun

  // show(change, delay): `delay` is how long the change was held back, ms.
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

  // A change as subtitles.js tells it: the source's words never wait, what belongs to the translation keeps its order.
  push(change) {
    if (change.kind === 'clear') this.#queue = [];
    if (change.kind === 'source' || change.kind === 'clear') {
      this.#show(change, 0);
      return;
    }
    this.#queue.push({ change, since: this.#clock.now() });
    if (this.#queue.length === 1) this.#drain();
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
      this.#show(change, now - since);
    }
  }

  #wait(change, now) {
    if (this.#pace === 0 || change.kind !== 'target') return 0;
    const seen = (this.#room * 1000) / this.#pace;
    // A text larger than what is seen at once waits for all before it, and no longer.
    return this.#until(change, now) - now - Math.max(0, seen - this.#time(change));
  }

  // When the reader is through with what came before the change.
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
