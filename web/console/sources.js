// The sources of words: the keyboard, a log, the browser's recogniser.
//
// One source is active at a time. All of them add words to the outbox.

import { phrase } from '../strings.js';
import { decodeText } from '../text_file.js';
import { Playback } from './playback.js';
import { Recognition } from './recognition.js';
import { describeRecogniser } from './recogniser_owner.js';
import { parsePlainText, parseTimedTranscript } from './timed_transcript.js';
import { takeTyped } from './typing.js';

const WORDS_PER_SECOND = 2.5; // of plain text in a log
const PAUSE = 1; // seconds between two pasted texts

export class Sources {
  onProblem = () => {};
  onChange = () => {}; // another source was chosen
  keep = () => {}; // `state` has changed
  #find;
  #outbox;
  #speed;
  #going = false;
  #log = new Playback((timed) => this.#say(timed));
  #paste = new Playback((timed) => this.#say(timed));
  #recognition = new Recognition();

  constructor(document, outbox) {
    this.#find = (selector) => document.querySelector(selector);
    this.#outbox = outbox;
    this.#speed = this.#find('#speed');
    this.#listenToTyping();
    this.#listenToLog();
    this.#listenToSpeech();
    this.#find('#sources').addEventListener('change', () => {
      this.#show();
      this.onChange();
    });
  }

  get chosen() {
    return this.#find('#sources input:checked').value;
  }

  set chosen(name) {
    const field = this.#find(`#sources input[value="${name}"]`);
    if (field && !field.disabled) field.checked = true;
    this.#show();
  }

  set language(language) {
    this.#recognition.language = language;
  }

  // Starts or stops the chosen source.
  set going(going) {
    this.#going = going;
    this.#run();
  }

  // Completes the word that is being typed.
  complete() {
    this.#outbox.words(this.#find('#typed').value);
    this.#find('#typed').value = '';
    this.keep();
  }

  // The words that are not in the outbox yet, as a value that can be stored; null if there are none.
  get state() {
    const [typed, paste, log] = [this.#find('#typed').value, this.#paste.rest, this.#log.rest];
    return typed === '' && paste.length + log.length === 0 ? null : { typed, paste, log };
  }

  // `playing`: the stream continues, and so does a log.
  restore({ typed, paste, log }, playing) {
    this.#find('#typed').value = typed + this.#find('#typed').value;
    if (paste.length > 0) this.#paste.append(paste, 0);
    if (playing && log.length > 0) this.#log.load(log);
  }

  // Resolves when a stopped source has delivered its last words.
  silent() {
    return this.#recognition.stopped();
  }

  #show() {
    const parts = this.#find('#speaking').querySelectorAll('[data-source]');
    for (const part of parts) part.hidden = part.dataset.source !== this.chosen;
    this.#run();
  }

  #run() {
    this.#log.running = this.#going && this.chosen === 'log';
    this.#paste.running = this.#going && this.chosen === 'typing';
    this.#recognition.running = this.#going && this.chosen === 'speech';
  }

  #say({ text, clock, end }) {
    this.#outbox.words(text, clock);
    if (end) this.#outbox.endSentence();
  }

  // --- typing ---

  #listenToTyping() {
    const field = this.#find('#typed');
    const drop = this.#find('#drop-paste');
    const take = () => {
      const { said, rest } = takeTyped(field.value);
      if (field.value !== rest) field.value = rest;
      for (const { text, end } of said) end ? this.#outbox.endSentence() : this.#outbox.words(text);
      this.keep();
    };
    field.addEventListener('input', ({ isComposing }) => isComposing || take());
    field.addEventListener('compositionend', take);
    field.addEventListener('paste', (event) => {
      const text = event.clipboardData.getData('text/plain');
      if (!/\S\s+\S/u.test(text)) return; // a single word is treated as typed
      event.preventDefault();
      this.#takePaste(field.value + text);
      field.value = '';
    });
    drop.addEventListener('click', () => this.#paste.load([]));
    this.#paste.onChange = () => {
      const { said, total, done } = this.#paste;
      this.#find('#pasted').textContent = done ? '' : phrase('source.left', { count: total - said });
      drop.hidden = done;
      this.keep();
    };
  }

  #takePaste(text) {
    const rate = Number(this.#find('#paste-rate').value);
    if (rate > 0) this.#paste.append(parsePlainText(text, rate), PAUSE);
    else for (const timed of parsePlainText(text, 1)) this.#say(timed);
  }

  // --- a log ---

  #listenToLog() {
    const rewind = this.#find('#rewind');
    this.#find('#log').addEventListener('change', ({ target }) => target.files[0] && this.#open(target.files[0]));
    this.#speed.addEventListener('change', () => {
      if (this.#speed.reportValidity()) this.#log.speed = Number(this.#speed.value);
    });
    rewind.addEventListener('click', () => this.#log.rewind());
    this.#log.onChange = () => {
      const { said, total, done } = this.#log;
      if (total > 0) this.#find('#played').textContent = phrase(done ? 'source.played-all' : 'source.played', { said, total });
      rewind.disabled = said === 0;
      this.keep();
    };
  }

  async #open(file) {
    try {
      const content = decodeText(file.name, await file.arrayBuffer());
      const texts = parseTimedTranscript(content, file.name, WORDS_PER_SECOND);
      this.#log.speed = Number(this.#speed.value);
      this.#log.load(texts);
    } catch (error) {
      this.onProblem(error.message);
    }
  }

  // --- speech ---

  #listenToSpeech() {
    const recognition = this.#recognition;
    recognition.onHypothesis = (text, final) => this.#outbox.hypothesis(text, final);
    recognition.onProblem = (text) => this.onProblem(text);
    recognition.onChange = () => {
      this.#find('#listening').textContent = phrase(recognition.listening ? 'source.listening' : 'source.not-listening');
      this.#find('#heard').textContent = recognition.heard;
    };
    recognition.onChange();
    const { label, note } = describeRecogniser(recognition.offered, navigator.userAgent);
    this.#find('#sources input[value="speech"]').disabled = !recognition.offered;
    this.#find('#speech-label').textContent = label;
    this.#find('#speech-note').textContent = note;
  }
}
