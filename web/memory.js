// Values that a page stores in the browser, under a key. The page works without storage, for example if it is full.

export class Memory {
  #key;
  #storage;

  constructor(key, storage = openStorage()) {
    this.#key = key;
    this.#storage = storage;
  }

  // Returns the stored object, or an empty one if there is none or it cannot be read.
  recall() {
    try {
      return Object(JSON.parse(this.#storage?.getItem(this.#key) ?? '{}'));
    } catch (error) {
      console.warn('cannot read the stored settings:', error);
      return {};
    }
  }

  remember(values) {
    try {
      this.#storage?.setItem(this.#key, JSON.stringify(values));
    } catch (error) {
      console.warn('cannot store the settings:', error);
    }
  }
}

// `kind`: localStorage, or sessionStorage, which ends with the tab. Returns null or undefined if there is none.
export function openStorage(kind = 'localStorage') {
  try {
    return globalThis[kind];
  } catch {
    return null;
  }
}
