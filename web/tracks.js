// The tracks of a channel, and the displayed one.
//
// The first track has no name in messages, and is requested as FIRST; all others have a name. Until the tracks are
// known, the first one is displayed.

import { languageMatch } from './languages.js';

const FIRST = 'first';

const OF_A_TRACK = ['write', 'attention', 'sentence', 'metrics', 'policy'];

export class Tracks {
  #list = []; // [{name, target, model, policy}]
  #wanted;

  // `wanted`: a track's name or a target language, or null.
  constructor(wanted = null) {
    this.#wanted = wanted;
  }

  get list() {
    return this.#list;
  }

  get chosen() {
    const wanted = this.#wanted ?? '';
    const matching = (least) => this.#list.find(({ target }) => languageMatch(target ?? '', wanted) >= least);
    return this.#list.find(({ name }) => name === wanted) ?? matching(2) ?? matching(1) ?? this.#list[0] ?? null;
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

  // Returns true if a message belongs to the chosen track, or to all tracks.
  shows({ type, track }) {
    if (!OF_A_TRACK.includes(type)) return true;
    return (track ?? this.#list[0]?.name ?? FIRST) === (this.chosen?.name ?? FIRST);
  }
}
