// Lets the viewer choose among a channel's translations, where it has several, and asks for that one alone.

import { languageName } from './languages.js';

export class TrackChoice {
  #label;
  #select;
  #tracks;
  #channel;
  #refused = new Set();
  #onSwitch;
  #asked = false; // whether it was connected anew to be told the tracks

  // onChoice(name): the viewer has chosen another track. onSwitch(): from here on another track's messages come.
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
    channel.on('error', () => this.#give());
  }

  // The tracks that the channel's sender has; an empty list is one track without a name.
  offer(list) {
    this.#tracks.set(list);
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

  // What is said in a track that nobody told of: the sender came after us, so the daemon is asked once more.
  hear({ track }) {
    if (track === undefined || this.#tracks.list.length > 0 || this.#asked) return;
    this.#asked = true;
    this.#channel.open();
  }

  // Another sender may have other tracks.
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

  // Whatever the daemon has against a track, all of them together are worth a try.
  #give() {
    if (this.#channel.track === null) return;
    this.#refused.add(this.#channel.track);
    this.#channel.track = null;
  }
}
