// Lets the viewer choose among a channel's translations, where it has several, and asks for that one alone.

import { languageName } from './languages.js';

export class TrackChoice {
  #label;
  #select;
  #tracks;
  #channel;
  #refused = new Set();

  // onChoice(name): the viewer has chosen another track, and the channel is about to be opened anew.
  constructor(document, tracks, channel, onChoice) {
    this.#label = document.querySelector('#language');
    this.#select = document.querySelector('#track');
    this.#tracks = tracks;
    this.#channel = channel;
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

  #follow() {
    const { name } = this.#tracks.chosen;
    if (this.#channel.track === name || this.#refused.has(name)) return;
    this.#channel.track = name;
    this.#channel.open();
  }

  // Whatever the daemon has against a track, all of them together are worth a try.
  #give() {
    if (this.#channel.track === null) return;
    this.#refused.add(this.#channel.track);
    this.#channel.track = null;
  }
}
