// Lets the viewer choose one of a channel's tracks, if there are several, and requests only that one. With a second one
// beside it, requests all tracks.

import { languageName } from './languages.js';
import { phrase } from './strings.js';

export class TrackChoice {
  #labels;
  #select;
  #beside;
  #tracks;
  #channel;
  #refused = new Set();
  #onSwitch;
  #shown = null; // the names of the displayed tracks
  #asked = false; // it has reconnected to receive the list of tracks

  // onChoice({track} or {beside}): the viewer has chosen another track. onSwitch(): the next messages are those of another track.
  constructor(document, tracks, channel, { onChoice, onSwitch }) {
    this.#labels = document.querySelectorAll('#language, #language-beside');
    this.#select = document.querySelector('#track');
    this.#beside = document.querySelector('#track-beside');
    this.#tracks = tracks;
    this.#channel = channel;
    this.#onSwitch = onSwitch;
    this.#select.addEventListener('change', () => {
      tracks.choose(this.#select.value);
      onChoice({ track: this.#select.value });
      this.#follow();
    });
    this.#beside.addEventListener('change', () => {
      const beside = this.#beside.value || null;
      tracks.chooseBeside(beside);
      onChoice({ beside });
      this.#follow();
    });
    channel.on('error', () => this.#requestAll());
  }

  // Offers the tracks of the channel's sender; an empty list is one track without a name.
  offer(offered) {
    this.#tracks.set(offered);
    const { list } = this.#tracks;
    for (const label of this.#labels) label.hidden = list.length < 2;
    const names = () =>
      list.map(({ name, target }) => {
        const twice = list.filter((other) => other.target === target).length > 1;
        return new Option(twice ? `${languageName(target)} (${name})` : languageName(target), name);
      });
    this.#select.replaceChildren(...names());
    this.#beside.replaceChildren(new Option(phrase('viewer.beside-none'), ''), ...names());
    if (list.length < 2) return;
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
    this.#shown = null;
    this.#tracks.set([]);
  }

  #follow() {
    const { chosen, beside } = this.#tracks;
    this.#select.value = chosen.name;
    this.#beside.value = beside?.name ?? '';
    for (const option of this.#beside.options) option.disabled = option.value === chosen.name;
    const shown = `${chosen.name} ${beside?.name ?? ''}`;
    const same = this.#shown === null || this.#shown === shown;
    this.#shown = shown;
    const track = beside === null ? chosen.name : null;
    if (this.#refused.has(track) || (this.#channel.track === track && (track !== null || same))) return;
    this.#channel.track = track;
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
