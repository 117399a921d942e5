// The form of the viewer's settings, beside the subtitles, which show each choice at once.

import { contrast } from './colours.js';
import { readValue, writeValue } from './options.js';
import { number, phrase } from './strings.js';

const COLOURS = { color: '--text', bg: '--ground', sourcecolor: '--ahead' };
const ENOUGH = 4.5; // WCAG 2.2 AA

export class SettingsPanel {
  #root;
  #form;
  #button;
  #settings;
  #find;
  #onOpen;

  // onOpen(): the panel opens.
  constructor(document, settings, speech, onOpen = () => {}) {
    this.#find = (selector) => document.querySelector(selector);
    this.#root = document.documentElement;
    this.#form = this.#find('#settings');
    this.#button = this.#find('#open-settings');
    this.#settings = settings;
    this.#onOpen = onOpen;
    this.#button.addEventListener('click', () => this.#toggle(this.#form.hidden));
    this.#find('#close-settings').addEventListener('click', () => this.#toggle(false));
    this.#find('#reset').addEventListener('click', () => this.#reset());
    this.#form.addEventListener('keydown', ({ key }) => key === 'Escape' && this.#toggle(false));
    this.#form.addEventListener('submit', (event) => event.preventDefault());
    this.#form.addEventListener('input', ({ target }) => this.#chosen(target));
    this.#offerSpeech(speech);
    this.#fill();
  }

  #toggle(open) {
    this.#form.hidden = !open;
    this.#root.toggleAttribute('data-settings', open);
    this.#button.setAttribute('aria-expanded', open);
    if (!open) return this.#button.focus();
    this.#form.elements[1].focus();
    this.#onOpen();
  }

  #reset() {
    this.#settings.reset();
    this.#fill();
  }

  #chosen({ name, type, checked, value }) {
    if (name === 'own') this.#settings.change(this.#colours(checked));
    else if (name !== '') this.#settings.change({ [name]: readValue(name, type === 'checkbox' ? `${Number(checked)}` : value) });
    this.#fill();
  }

  // Returns the theme's colours as a start for the viewer's own ones, or null for each if `own` is false.
  #colours(own) {
    const style = getComputedStyle(this.#root);
    const entries = Object.entries(COLOURS).map(([name, variable]) => [
      name,
      own ? readValue(name, style.getPropertyValue(variable).trim()) : null,
    ]);
    return Object.fromEntries(entries);
  }

  #fill() {
    const { options } = this.#settings;
    for (const field of this.#form.elements) {
      if (!(field.name in options) || field === this.#form.ownerDocument.activeElement) continue;
      if (field.type === 'checkbox') field.checked = options[field.name];
      else if (field.type === 'color') field.value = options[field.name] ?? '#000000';
      else field.value = writeValue(options[field.name]);
    }
    const own = Object.keys(COLOURS).every((name) => options[name] !== null);
    this.#form.elements.own.checked = own;
    this.#find('#own-colours').hidden = !own;
    if (own) this.#judge(options);
  }

  #judge({ color, bg, sourcecolor }) {
    const lowest = Math.min(contrast(color, bg), contrast(sourcecolor, bg));
    const contrasts = { contrast: number(lowest, 1), enough: ENOUGH };
    this.#find('#contrast').textContent = phrase(lowest >= ENOUGH ? 'viewer.contrast' : 'viewer.contrast-low', contrasts);
  }

  #offerSpeech(speech) {
    const aloud = this.#find('#aloud');
    this.#find('#aloud-label').hidden = !speech.offered;
    aloud.addEventListener('input', () => {
      speech.on = aloud.checked;
    });
    speech.onProblem = (text) => {
      this.#find('#aloud-problem').textContent = text;
    };
  }
}
