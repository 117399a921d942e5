// The options that hold: what the address says over what is remembered over what is usual.
//
// A page remembers in the browser what its viewer chose; an overlay has its address alone, for nobody is there to
// undo what another page remembered.

import { Memory } from './memory.js';
import { defaults, readQuery, readValue, writeValue } from './options.js';

const KEY = 'surtitle.options';

export class Settings {
  onChange = () => {};
  problems;
  #usual;
  #chosen; // name -> value, as remembered
  #given;
  #memory;

  constructor(mode, query, storage) {
    const { options, problems } = readQuery(query);
    this.problems = problems;
    this.#usual = defaults(mode);
    this.#given = options;
    this.#memory = new Memory(KEY, mode === 'page' ? storage : null);
    this.#chosen = this.#recall();
  }

  get options() {
    return { ...this.#usual, ...this.#chosen, ...this.#given };
  }

  // What the viewer chooses goes over the address, too, from now on.
  change(options) {
    for (const [name, value] of Object.entries(options)) {
      delete this.#given[name];
      if (value === this.#usual[name]) delete this.#chosen[name];
      else this.#chosen[name] = value;
    }
    this.#remember();
    this.onChange(this.options);
  }

  reset() {
    this.#chosen = {};
    this.#given = {};
    this.#remember();
    this.onChange(this.options);
  }

  #recall() {
    const options = {};
    for (const [name, text] of Object.entries(this.#memory.recall())) {
      const value = Object.hasOwn(this.#usual, name) ? readValue(name, text) : undefined;
      if (value !== undefined) options[name] = value;
    }
    return options;
  }

  #remember() {
    const texts = Object.entries(this.#chosen).map(([name, value]) => [name, writeValue(value)]);
    this.#memory.remember(Object.fromEntries(texts));
  }
}
