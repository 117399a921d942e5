// The addresses to pass on: the viewers' page, and the overlay with its options.

import { phrase } from '../strings.js';
import { OverlayBuilder } from './overlay_builder.js';

const LOCAL = /^(localhost|127\.|\[::1\])/u;

export class Share {
  #find;
  #home;
  #builder;
  #channel = '';

  // `home`: the daemon's address; `hasToken`: the page needed a token, and so will viewers.
  constructor(document, home, hasToken) {
    this.#find = (selector) => document.querySelector(selector);
    this.#home = home;
    this.#builder = new OverlayBuilder(document);
    this.#builder.onChange = () => this.#show();
    for (const button of document.querySelectorAll('[data-copy]')) {
      button.addEventListener('click', () => this.#copy(this.#find(`#${button.dataset.copy}`)));
    }
    this.#find('#share-note').textContent = [
      LOCAL.test(home.host) && phrase('share.local'),
      hasToken && phrase('share.no-token'),
    ].filter(Boolean).join(' ');
  }

  set channel(channel) {
    this.#channel = channel;
    this.#show();
  }

  // A message of the stream, for the preview.
  apply(message) {
    this.#builder.apply(message);
  }

  #show() {
    const page = new URL(`c/${encodeURIComponent(this.#channel)}`, this.#home).href;
    this.#find('#share-view').value = page;
    this.#find('#share-overlay').value = `${page}?${this.#builder.query}`;
    this.#find('#copied').textContent = '';
  }

  // Browsers have a clipboard only on secure pages. On others the address is selected, and an old command copies it.
  async #copy(field) {
    field.select();
    const copied = await (navigator.clipboard?.writeText(field.value) ?? Promise.reject()).then(
      () => true,
      () => document.execCommand('copy'),
    );
    this.#find('#copied').textContent = phrase(copied ? 'share.copied' : 'share.not-copied');
  }
}
