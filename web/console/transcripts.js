// The transcripts of the channel's events, to download: of the one that has just ended and of earlier ones, for as long
// as the daemon keeps them.

import { languageName } from '../languages.js';
import { phrase, ui } from '../strings.js';
import { endpoint } from '../wire.js';
import { isChannelName } from '../channel_name.js';
import { make } from './dom.js';

const FORMATS = ['html', 'txt', 'srt', 'vtt', 'json'];
const times = new Intl.DateTimeFormat(ui, { dateStyle: 'medium', timeStyle: 'short' });

// "1:30:05"
function duration(seconds) {
  const whole = Math.round(seconds);
  const [minutes, rest] = [Math.floor(whole / 60) % 60, whole % 60].map((part) => `${part}`.padStart(2, '0'));
  return `${Math.floor(whole / 3600)}:${minutes}:${rest}`;
}

// "German → English, French"
function languages({ source, tracks }) {
  const targets = new Set(tracks.map(({ target }) => languageName(target)));
  return [source && languageName(source), [...targets].join(', ')].filter(Boolean).join(' → ');
}

// Until when the daemon keeps an event.
function kept({ live, ended, kept_until: until }) {
  if (live) return phrase('events.live');
  if (until) return phrase('events.kept-until', { time: times.format(new Date(until)) });
  return phrase(ended ? 'events.kept-forever' : 'events.kept-in-memory');
}

export class Transcripts {
  #section;
  #home;
  #token;
  #list = null; // the daemon's, of #channel
  #channel = '';
  #last = null; // the name of the stream that has just ended
  #requests = 0;

  constructor(document, home, token) {
    this.#section = document.querySelector('#transcripts');
    this.#home = home;
    this.#token = token;
    this.#section.addEventListener('change', () => this.#show());
  }

  // Shows the events of a channel. `last`: the name of the stream that has just ended, if there is one.
  async load(channel, last = null) {
    const request = ++this.#requests;
    const list = await this.#fetch(channel);
    if (request !== this.#requests) return;
    this.#channel = channel;
    this.#last = last;
    this.#list = list;
    this.#offerTracks();
    this.#show();
  }

  // Returns the daemon's list, or null if it has none for this page.
  async #fetch(channel) {
    if (!isChannelName(channel)) return null;
    try {
      const answer = await fetch(this.#address(channel, 'transcripts'));
      return answer.ok ? await answer.json() : null;
    } catch {
      return null;
    }
  }

  #address(channel, file, options = {}) {
    const address = new URL(file, endpoint(this.#home, `v1/channels/${encodeURIComponent(channel)}/`, 'http'));
    for (const [name, value] of Object.entries({ ...options, ...(this.#token && { token: this.#token }) })) {
      address.searchParams.set(name, value);
    }
    return address.href;
  }

  #find(selector) {
    return this.#section.querySelector(selector);
  }

  #offerTracks() {
    const tracks = new Map();
    for (const stream of this.#list?.streams ?? []) {
      for (const { name, target } of stream.tracks) tracks.set(name, target);
    }
    const field = this.#find('select');
    field.replaceChildren(...[...tracks].map(([name, target]) => new Option([languageName(target), name].filter(Boolean).join(' · '), name)));
    field.parentElement.hidden = tracks.size < 2;
  }

  #show() {
    const streams = [...(this.#list?.streams ?? [])].reverse();
    this.#section.hidden = streams.length === 0;
    const isLast = ({ stream }) => stream === this.#last;
    this.#fill('#just-ended', streams.filter(isLast));
    this.#fill('#earlier-events', streams.filter((stream) => !isLast(stream)));
    const all = this.#find('#all-events');
    all.hidden = streams.length < 2;
    all.querySelector('p').replaceChildren(...this.#links(this.#list?.all ?? {}, this.#channel, phrase('events.all')));
  }

  #fill(part, streams) {
    this.#find(part).hidden = streams.length === 0;
    this.#find(`${part} ul`).replaceChildren(...streams.map((stream) => this.#row(stream)));
  }

  #row(stream) {
    const begin = times.format(new Date(stream.begin));
    const about = [stream.title, stream.speaker, duration(stream.length), languages(stream), phrase('words', { count: stream.source_words })].filter(Boolean);
    return make('li', {},
      make('p', {}, make('strong', { textContent: begin }), ` · ${about.join(' · ')}`),
      make('p', { className: 'files' }, ...this.#links(stream.files, `${this.#channel}-${stream.begin.slice(0, 16).replace(':', '-')}`, begin)),
      make('p', { className: 'help', textContent: kept(stream) }));
  }

  // `name`: of the files, without the extension; `event`: for readers of single links.
  #links(files, name, event) {
    const track = this.#find('select').value;
    const options = { ...(track && { track }), ...(this.#find('[name="bilingual"]').checked && { bilingual: 1 }) };
    return FORMATS.filter((format) => files[format]).map((format) => {
      const link = make('a', { href: this.#address(this.#channel, files[format], options), download: `${name}.${format}`, textContent: `.${format}` });
      link.ariaLabel = phrase('events.download', { event, format });
      return link;
    });
  }
}
