// The tracks of a channel, and the displayed ones: one, or two side by side.
//
// The first track has no name in messages, and is requested as FIRST; all others have a name. Until the tracks are
// known, the first one is displayed.

import { languageMatch } from './languages.js';

const FIRST = 'first';

const OF_A_TRACK = ['write', 'attention', 'sentence', 'metrics', 'policy'];

export class Tracks {
  #list = []; // [{name, target, model, policy}]
  #wanted;
  #wantedBeside;

  // `wanted`: a track's name or a target language, or null. `beside`: the same for the second one.
  constructor(wanted = null, beside = null) {
    this.#wanted = wanted;
    this.#wantedBeside = beside;
  }

  get list() {
    return this.#list;
  }

  get chosen() {
    return find(this.#list, this.#wanted ?? '') ?? this.#list[0] ?? null;
  }

  // The track beside the chosen one, or null.
  get beside() {
    if (this.#wantedBeside === null) return null;
    return find(this.#list.filter((track) => track !== this.chosen), this.#wantedBeside) ?? null;
  }

  set(list) {
    this.#list = list.map((track, i) => (i === 0 ? { ...track, name: track.name || FIRST } : track));
  }

  // Sets another model or policy of the chosen track.
  change({ model, policy }) {
    if (this.chosen) Object.assign(this.chosen, { model, policy });
  }

  choose(name) {
    this.#wanted = name;
  }

  // `name`: null for no second track.
  chooseBeside(name) {
    this.#wantedBeside = name;
  }

  // Returns true if a message belongs to the chosen track, or to all tracks.
  shows(message) {
    return this.#isOf(message, this.chosen?.name ?? FIRST);
  }

  // The same for the track beside it.
  showsBeside(message) {
    const { beside } = this;
    return beside !== null && this.#isOf(message, beside.name);
  }

  #isOf({ type, track }, name) {
    return !OF_A_TRACK.includes(type) || (track ?? this.#list[0]?.name ?? FIRST) === name;
  }
}

// Returns the track with this name, otherwise the first one with this language, otherwise undefined.
function find(list, wanted) {
  const matching = (least) => list.find(({ target }) => languageMatch(target ?? '', wanted) >= least);
  return list.find(({ name }) => name === wanted) ?? matching(2) ?? matching(1);
}
