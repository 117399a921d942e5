// Lets the viewer choose one of a channel's tracks, if there are several, and requests only that one.

import { languageName } from './languages.js';

export class TrackChoice {
  #label;
  #select;
  #tracks;
  #channel;
  #refused = new Set();
  #onSwitch;
  #asked = false; // it has reconnected to receive the list of tracks

  // onChoice(name): the viewer has chosen another track. onSwitch(): the next messages are those of another track.
  constructor(document, tracks, channel, { onChoice, onSwitch }) {
    this.#label = document.querySelector('#language');
    this.#select = document.querySelector('#track');
    this.#tracks = tracks;
    this.#channel = channel;
    this.#onSwitch = onSwitch;
    this.#select.addEventListener('change', () => {
      tracks.choose(this.#select.value);
      onChoice(this.#select.value);
      this.#follow();
    });
    channel.on('error', () => this.#requestAll());
  }

  // Offers the tracks of the channel's sender; an empty list is one track without a name.
  offer(offered) {
    this.#tracks.set(offered);
    const { list } = this.#tracks;
    this.#label.hidden = list.length < 2;
    this.#select.replaceChildren(
      ...list.map(({ name, target }) => {
        const twice = list.filter((other) => other.target === target).length > 1;
        return new Option(twice ? `${languageName(target)} (${name})` : languageName(target), name);
      }),
    );
    if (list.length < 2) return;
    this.#select.value = this.#tracks.chosen.name;
    this.#follow();
  }

  // Reconnects once if a message has an unknown track: the sender started later, and a new `ready` lists its tracks.
  hear({ track }) {
    if (track === undefined || this.#tracks.list.length > 0 || this.#asked) return;
    this.#asked = true;
    this.#channel.open();
  }

  // Forgets the tracks, because another sender may have others.
  forget() {
    this.#asked = false;
    this.#tracks.set([]);
  }

  #follow() {
    const { name } = this.#tracks.chosen;
    if (this.#channel.track === name || this.#refused.has(name)) return;
    this.#channel.track = name;
    this.#onSwitch();
    this.#channel.open();
  }

  // The daemon has rejected the requested track: requests all tracks instead, and this one never again.
  #requestAll() {
    if (this.#channel.track === null) return;
    this.#refused.add(this.#channel.track);
    this.#channel.track = null;
  }
}
