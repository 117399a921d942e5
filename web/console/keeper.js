// Keeps a channel's stream and its words in the browser: a reload or a crash of the page loses neither.
//
// One page at a time has the record of a channel. Another one that wants it waits until the first is closed. Pages from
// insecure addresses have no locks to agree by: each tab then has its own record, which ends with the tab.

import { phrase } from '../strings.js';

const PARTS = ['session', 'sources']; // of a record

const keyOf = (part, channel) => `surtitle.${part}.${channel}`;

export class Keeper {
  onProblem = () => {}; // (sentence)
  #storage;
  #locks;
  #channel = null; // whose record this page has
  #release = () => {};
  #failed = false;

  constructor({ locks = navigator.locks, storage = openStorage(locks) } = {}) {
    this.#locks = locks;
    this.#storage = storage;
  }

  // Resolves with {session, sources} of the channel, each null if it is not kept, as soon as no other page has them. The
  // record of another channel that this page had is removed: its words continue here. Never resolves if hold() is called
  // again before. waiting(): another page has the record.
  async hold(channel, waiting = () => {}) {
    for (const part of PARTS) this.write(part, null);
    this.#release();
    this.#channel = null;
    await this.#lock(`surtitle.console.${channel}`, waiting);
    this.#channel = channel;
    return Object.fromEntries(PARTS.map((part) => [part, this.#read(part)]));
  }

  // `value`: null if there is nothing to keep.
  write(part, value) {
    if (this.#channel === null || !this.#storage) return;
    try {
      if (value === null) this.#storage.removeItem(keyOf(part, this.#channel));
      else this.#storage.setItem(keyOf(part, this.#channel), JSON.stringify(value));
    } catch (error) {
      if (!this.#failed) this.onProblem(phrase('source.not-kept', { message: error.message }));
      this.#failed = true;
    }
  }

  #read(part) {
    try {
      return JSON.parse(this.#storage?.getItem(keyOf(part, this.#channel)) ?? 'null');
    } catch {
      return null; // not written by this program
    }
  }

  async #lock(name, waiting) {
    if (!this.#locks) return;
    const wanted = new AbortController();
    await new Promise((granted) => {
      let mine = false;
      const held = new Promise((release) => {
        this.#release = () => {
          wanted.abort();
          release();
        };
      });
      const take = () => {
        mine = true;
        granted();
        return held;
      };
      this.#locks.request(name, { signal: wanted.signal }, take).catch(() => {}); // aborted
      this.#locks.query().then(() => mine || wanted.signal.aborted || waiting());
    });
  }
}

function openStorage(locks) {
  try {
    return locks ? globalThis.localStorage : globalThis.sessionStorage;
  } catch {
    return null;
  }
}
