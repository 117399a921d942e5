// The translations that a channel has side by side, and the one that is shown.
//
// The first track's messages name no track; those of the others do. Until the tracks are known, the first is shown.

const OF_A_TRACK = ['write', 'sentence', 'metrics'];

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
    const by = (field) => this.#list.find((track) => track[field] === this.#wanted);
    return by('name') ?? by('target') ?? this.#list[0] ?? null;
  }

  set(list) {
    this.#list = list;
  }

  choose(name) {
    this.#wanted = name;
  }

  // Whether a message concerns who watches the chosen track.
  shows({ type, track }) {
    if (!OF_A_TRACK.includes(type)) return true;
    return (track ?? this.#list[0]?.name) === this.chosen?.name;
  }
}
