// The addresses to pass on: the viewers' page with its code, the overlay with its options, and another operator's console.

import { Memory, openStorage } from '../memory.js';
import { problemText } from '../problems.js';
import { addressesForOthers, channelLink, codeOf, isLocal, makeLink } from '../share_link.js';
import { inLanguage, phrase } from '../strings.js';
import { isChannelName } from '../channel_name.js';
import { OverlayBuilder } from './overlay_builder.js';

export class Share {
  #find;
  #home;
  #token;
  #builder;
  #at; // the daemon's address in the links
  #channel = '';
  #invitations = {}; // view and send: {token, expires} of the last links to this channel
  #memory = new Memory('surtitle.invitations', openStorage('sessionStorage'));
  #drawn = ''; // the link whose code is shown

  // `home`: the daemon's address; `token`: of this page. If there is one, viewers need one as well.
  constructor(document, home, token) {
    this.#find = (selector) => document.querySelector(selector);
    this.#home = home;
    this.#at = home.href;
    this.#token = token;
    this.#builder = new OverlayBuilder(document);
    this.#builder.onChange = () => this.#show();
    for (const button of document.querySelectorAll('[data-copy]')) {
      button.addEventListener('click', () => this.#copy(this.#find(`#${button.dataset.copy}`)));
    }
    this.#find('#invite').hidden = token === null;
    this.#find('#invite-viewers').addEventListener('click', () => this.#invite('view'));
    this.#find('#invite-operator').addEventListener('click', () => this.#invite('send'));
    this.#find('#share-at').addEventListener('change', ({ target }) => {
      this.#at = target.value;
      this.#show();
    });
    this.#offerAddresses();
  }

  set channel(channel) {
    if (channel !== this.#channel) this.#recall(channel);
    this.#channel = channel;
    this.#show();
  }

  // A message of the stream, for the preview.
  apply(message) {
    this.#builder.apply(message);
  }

  // A page that was opened by an address of this machine only offers those that others can open. A daemon with tokens
  // tells them to administrators only.
  async #offerAddresses() {
    if (isLocal(this.#home) && this.#token === null) {
      const addresses = await addressesForOthers(this.#home, this.#token).catch(() => []);
      const select = this.#find('#share-at');
      select.replaceChildren(...addresses.map((address) => new Option(address)));
      select.parentElement.hidden = addresses.length < 2;
      this.#at = addresses[0] ?? this.#at;
    }
    this.#show();
  }

  #show() {
    if (this.#channel === '') return;
    const { token = null } = this.#invitations.view ?? {};
    const link = channelLink(this.#at, this.#channel, { token });
    this.#find('#share-view').value = link;
    this.#find('#share-overlay').value = channelLink(this.#at, this.#channel, { query: this.#builder.query, token });
    this.#find('#share-send').value = this.#linkOfOperator;
    this.#find('#copied').textContent = '';
    const at = this.#at === this.#home.href ? {} : { at: this.#at };
    const query = new URLSearchParams({ channel: this.#channel, ...at, ...(token !== null && { token }) });
    this.#find('#to-qr').href = inLanguage(`qr?${query}`);
    this.#find('#share-note').textContent = [
      isLocal(this.#at) && phrase('share.local'),
      this.#token !== null && token === null && phrase('share.no-token'),
    ].filter(Boolean).join(' ');
    this.#draw(link);
  }

  get #linkOfOperator() {
    const { token } = this.#invitations.send ?? {};
    if (this.#token !== null && token === undefined) return '';
    const query = new URLSearchParams({ channel: this.#channel, ...(token !== undefined && { token }) });
    return new URL(`console?${query}`, this.#at).href;
  }

  // Invitations are for one channel. A reload of the page keeps those that are valid.
  #recall(channel) {
    const kept = this.#token === null ? {} : this.#memory.recall();
    const valid = ([role]) => kept.channel === channel && new Date(kept[role]?.expires) > Date.now();
    this.#invitations = Object.fromEntries(['view', 'send'].map((role) => [role, kept[role]]).filter(valid));
  }

  async #draw(link) {
    if (link === this.#drawn || !isChannelName(this.#channel)) return; // the name may be half typed
    this.#drawn = link;
    const image = this.#find('#share-code');
    const code = await codeOf(this.#home, link, this.#token).catch((error) => {
      console.warn('cannot draw the code:', error);
      return null;
    });
    if (link !== this.#drawn) return;
    image.hidden = code === null;
    if (code !== null) image.src = code;
  }

  async #invite(role) {
    const channel = this.#channel;
    const seconds = Number(this.#find('#invite-seconds').value);
    try {
      const { token, expires } = await makeLink(this.#home, channel, { role, seconds }, this.#token);
      if (channel !== this.#channel) return;
      this.#invitations[role] = { token, expires };
      this.#memory.remember({ channel, ...this.#invitations });
      this.#show();
      this.#find('#copied').textContent = phrase('share.invited', { until: new Date(expires).toLocaleString(document.documentElement.lang) });
    } catch (error) {
      this.#find('#copied').textContent = phrase('share.not-invited', { message: problemText(error) });
    }
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
