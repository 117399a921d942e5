// The stream that another sender has on the console's channel, which the console watches while it sends none itself.

import { Channel } from '../surtitle.js';

const SENTENCES = 100; // finished ones; the table of sentences shows no more

export class OtherStream {
  live = false;
  ended = false; // there was one, and its sender has left
  onChange = () => {}; // `live` or `ended`
  onBegin = () => {}; // (message: `ready` or `state`, which has the tracks)
  onMessage = () => {}; // the following messages of the stream
  #home;
  #token;
  #channel = null;

  constructor(home, token) {
    this.#home = home;
    this.#token = token;
  }

  get watching() {
    return this.#channel !== null;
  }

  watch(name) {
    this.close();
    const channel = new Channel(this.#home, name, { token: this.#token, backlog: SENTENCES });
    this.#channel = channel;
    channel.on('refused', () => this.close()); // the token may not watch
    channel.on('*', (message) => this.#received(message, channel.catchingUp));
    channel.open();
  }

  close() {
    this.#channel?.close();
    this.#channel = null;
    this.#become({ live: false, ended: false });
  }

  // The one `write` of a finished sentence has `whole`: its time is not that of the first.
  #received(message, past) {
    const { type, stream, after } = message;
    if (type !== 'ready' && type !== 'state') {
      if (this.live) this.onMessage(past && type === 'write' ? { ...message, whole: true } : message);
      return;
    }
    const live = stream !== undefined;
    this.#become({ live, ended: !live && (this.live || this.ended) });
    if (live && after === undefined) this.onBegin(message);
  }

  #become({ live, ended }) {
    const changed = live !== this.live || ended !== this.ended;
    Object.assign(this, { live, ended });
    if (changed) this.onChange();
  }
}
