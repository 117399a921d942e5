// The options in force: those of the address, then the stored ones, then the defaults.
//
// A page stores its viewer's choices in the browser. An overlay has only its address, because it offers no way to undo
// the choices of another page.

import { Memory } from './memory.js';
import { defaults, readQuery, readValue, writeValue } from './options.js';

const KEY = 'surtitle.options';

export class Settings {
  onChange = () => {};
  problems;
  #usual;
  #chosen; // name -> value, as stored
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

  // Applies and stores choices of the viewer, which from now on also replace options of the address.
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
