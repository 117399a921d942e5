// The console's part for a microphone and a recogniser: their choice, the level, and what the recogniser says.

import { Memory } from '../memory.js';
import { phrase } from '../strings.js';
import { Capture } from './capture.js';
import { make, setText } from './dom.js';
import { Microphone, findServers } from './microphone.js';
import { SPEECH_SERVERS } from './speech_servers.js';

const KEY = 'surtitle.microphone';
const LANGUAGE = 'de'; // of the command before the console knows the speaker's

// For a trial.
const SILENT = { words: () => {}, endSentence: () => {}, hypothesis: () => {} };

export class MicrophonePanel {
  onProblem = () => {}; // (sentence)
  #find;
  #memory = new Memory(KEY);
  #microphone = new Microphone();
  #sink;
  #language = LANGUAGE;
  #trying = false;
  #going = false;
  #looked = false;

  // `sink`: receives the words, as in speech_servers.js.
  constructor(document, sink) {
    this.#find = (selector) => document.querySelector(selector);
    this.#sink = sink;
    this.#microphone.onChange = () => this.#show();
    this.#microphone.onProblem = (key, values) => this.#report(key, values);
    this.#offerServers();
    this.#find('#device').addEventListener('change', ({ target }) => this.#change({ device: target.value }));
    this.#find('#try-microphone').addEventListener('click', () => this.#try(!this.#trying));
    navigator.mediaDevices?.addEventListener('devicechange', () => this.#offerDevices());
    // The page may connect to recognisers of this machine, and of the daemon's configuration.
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
      if (effectiveDirective === 'connect-src') this.#report('policy', { address: this.#microphone.address });
    });
    this.#show();
  }

  set language(language) {
    this.#language = language.split('-')[0];
    this.#showCommand();
  }

  // Starts or stops the speech to the recogniser.
  set running(running) {
    if (running === this.#going) return;
    this.#going = running;
    this.#run(running, this.#sink);
  }

  // Resolves when the recogniser has sent its last words.
  stopped() {
    return this.#microphone.stopped();
  }

  // The operator has chosen this source: says which recogniser is there.
  async look() {
    this.#offerDevices();
    if (this.#looked) return;
    this.#looked = true;
    const found = (await findServers()).map((name) => SPEECH_SERVERS[name].label);
    this.#find('#found').textContent = found.length === 0 ? phrase('microphone.none-found') : phrase('microphone.found', { recognisers: found.join(', ') });
  }

  // A trial sends no words to the stream.
  #try(trying) {
    if (this.#going) return;
    this.#run(trying, SILENT);
    this.#trying = trying;
    this.#show();
  }

  // A connection keeps its sink: the last words of a trial may arrive after its end.
  #run(running, sink) {
    this.#microphone.running = false;
    this.#microphone.sink = sink;
    this.#microphone.running = running;
  }

  #offerServers() {
    const { server, address, device = '' } = this.#memory.recall();
    const servers = this.#find('#recogniser');
    servers.replaceChildren(...Object.entries(SPEECH_SERVERS).map(([name, { label }]) => new Option(label, name)));
    if (Object.hasOwn(SPEECH_SERVERS, server)) Object.assign(this.#microphone, { server, address, device });
    servers.value = this.#microphone.server;
    const field = this.#find('#recogniser-address');
    servers.addEventListener('change', () => {
      field.value = SPEECH_SERVERS[servers.value].address;
      this.#change({ server: servers.value, address: field.value });
    });
    field.value = this.#microphone.address;
    field.addEventListener('change', () => {
      field.setCustomValidity(/^wss?:\/\/[^/\s]+/u.test(field.value) ? '' : phrase('microphone.address', { address: field.value }));
      if (field.reportValidity()) this.#change({ address: field.value });
    });
    this.#showCommand();
  }

  async #offerDevices() {
    const devices = await Capture.devices();
    const select = this.#find('#device');
    select.replaceChildren(new Option(phrase('microphone.default'), ''), ...devices.map(({ id, label }) => new Option(label, id)));
    select.value = this.#microphone.device;
    if (select.value !== this.#microphone.device) select.value = this.#microphone.device = '';
  }

  // Takes effect at once.
  #change(values) {
    const { running } = this.#microphone;
    this.#microphone.running = false;
    Object.assign(this.#microphone, values);
    const { server, address, device } = this.#microphone;
    this.#memory.remember({ server, address, device });
    this.#showCommand();
    this.#microphone.running = running;
  }

  #show() {
    const { phase, level, heard, first } = this.#microphone;
    if (phase === 'off') this.#trying = false;
    if (phase === 'connecting') this.#offerDevices(); // their names are known now
    this.#find('#level').value = level;
    setText(this.#find('#try-microphone'), phrase(this.#trying ? 'microphone.stop-trying' : 'microphone.try'));
    this.#find('#try-microphone').disabled = this.#going;
    setText(this.#find('#microphone-state'), phrase(`microphone.${phase}`));
    setText(this.#find('#microphone-heard'), heard);
    this.#find('#first-message').replaceChildren(...(first === '' ? [] : [`${phrase('microphone.first')} `, make('code', { textContent: first })]));
  }

  #showCommand() {
    const { server } = this.#microphone;
    this.#find('#recogniser-command').textContent = SPEECH_SERVERS[server].command(this.#language);
    this.#find('#recogniser-form').hidden = server === 'whisperlivekit';
  }

  #report(key, values = {}) {
    this.onProblem(phrase(`microphone.${key}`, values));
  }
}
