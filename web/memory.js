// What a page remembers in the browser, under a key. Storage that is full, or closed to us, is done without.

export class Memory {
  #key;
  #storage;

  constructor(key, storage = openStorage()) {
    this.#key = key;
    this.#storage = storage;
  }

  // An object; empty where nothing can be read.
  recall() {
    try {
      return Object(JSON.parse(this.#storage?.getItem(this.#key) ?? '{}'));
    } catch (error) {
      console.warn('what was remembered cannot be read:', error);
      return {};
    }
  }

  remember(values) {
    try {
      this.#storage?.setItem(this.#key, JSON.stringify(values));
    } catch (error) {
      console.warn('nothing can be remembered:', error);
    }
  }
}

function openStorage() {
  try {
    return globalThis.localStorage;
  } catch {
    return null;
  }
}
