// Plays timed texts at any speed. It can be stopped anywhere and loses no text.

const PLATFORM = {
  now: () => performance.now(),
  setTimeout: (work, ms) => setTimeout(work, ms),
  clearTimeout: (timer) => clearTimeout(timer),
};

export class Playback {
  onChange = () => {};
  #say;
  #platform;
  #texts = []; // [{time, text, end}], as timed_transcript.js has them
  #next = 0;
  #at = 0; // position in the talk at #since, seconds
  #since = null; // ms; null: stopped
  #speed = 1;
  #timer = null;

  // say(text): called with each text when it is due.
  constructor(say, platform = PLATFORM) {
    this.#say = say;
    this.#platform = platform;
  }

  load(texts) {
    this.#texts = texts;
    this.rewind();
  }

  // Adds texts after the present ones, with a pause of `pause` seconds.
  append(texts, pause) {
    const begin = this.done ? this.#position() : this.#texts.at(-1).time + pause;
    this.#texts = [...this.#texts.slice(this.#next), ...texts.map((timed) => ({ ...timed, time: begin + timed.time }))];
    this.#next = 0;
    this.#tick();
  }

  // The texts that are still to be played, from now on.
  get rest() {
    const position = this.#position();
    return this.#texts.slice(this.#next).map((timed) => ({ ...timed, time: Math.max(0, timed.time - position) }));
  }

  rewind() {
    this.#next = 0;
    this.#at = 0;
    if (this.#since !== null) this.#since = this.#platform.now();
    this.#tick();
  }

  get running() {
    return this.#since !== null;
  }

  set running(running) {
    if (running === this.running) return;
    this.#at = this.#position();
    this.#since = running ? this.#platform.now() : null;
    this.#tick();
  }

  set speed(speed) {
    this.#at = this.#position();
    if (this.#since !== null) this.#since = this.#platform.now();
    this.#speed = speed;
    this.#tick();
  }

  get said() {
    return this.#next;
  }

  get total() {
    return this.#texts.length;
  }

  get done() {
    return this.#next === this.#texts.length;
  }

  #position() {
    return this.#since === null ? this.#at : this.#at + ((this.#platform.now() - this.#since) / 1000) * this.#speed;
  }

  #tick() {
    this.#platform.clearTimeout(this.#timer);
    while (this.#due <= 0) this.#say(this.#texts[this.#next++]);
    if (this.#due < Infinity) this.#timer = this.#platform.setTimeout(() => this.#tick(), Math.max(1, this.#due));
    this.onChange();
  }

  // ms until the next text; Infinity if stopped or finished
  get #due() {
    if (!this.running || this.done) return Infinity;
    return ((this.#texts[this.#next].time - this.#position()) / this.#speed) * 1000;
  }
}
