// The translations that a channel has side by side, and the one that is shown.
//
// The first track has no name in messages, and is asked for as FIRST; the others have theirs. Until the tracks are known,
// the first is shown.

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
    const by = (field) => this.#list.find((track) => track[field] === this.#wanted);
    return by('name') ?? by('target') ?? this.#list[0] ?? null;
  }

  set(list) {
    this.#list = list.map((track, i) => (i === 0 ? { ...track, name: track.name || FIRST } : track));
  }

  // The chosen track goes on with another model or policy.
  change({ model, policy }) {
    if (this.chosen) Object.assign(this.chosen, { model, policy });
  }

  choose(name) {
    this.#wanted = name;
  }

  // Whether a message concerns who watches the chosen track.
  shows({ type, track }) {
    if (!OF_A_TRACK.includes(type)) return true;
    return (track ?? this.#list[0]?.name ?? FIRST) === (this.chosen?.name ?? FIRST);
  }
}
