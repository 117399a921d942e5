// The numbers beside the sentences: viewers, delays, latencies, and the difference between tracks.

import { Metrics } from '../metrics.js';
import { number, phrase } from '../strings.js';
import { make, setText } from './dom.js';
import { milliseconds, signed } from './numbers.js';
import { FIRST } from './sentences.js';

const STANDING = [
  ['viewers', phrase('figures.viewers'), phrase('figures.viewers-help')],
  ['sent', phrase('figures.sent'), phrase('figures.sent-help')],
  ['lag', phrase('figures.lag'), phrase('figures.lag-help')],
];
const DELAYS = [
  ['last', phrase('figures.last'), phrase('figures.last-help')],
  ['recent', phrase('figures.recent'), phrase('figures.recent-help')],
];
const LONG = 5000; // ms after which the lag of unacknowledged words is shown as an error
const DIFFERENCE = [
  ['al', 'AL', phrase('metrics.words')],
  ['words', phrase('figures.first-write'), phrase('metrics.words')],
  ['ms', phrase('figures.first-write'), 'ms'],
];

export class Figures {
  #standing;
  #tracks;
  #difference;
  #metrics = new Map(); // track -> {metrics, title}

  constructor(document) {
    const list = (id, rows) => fill(document.querySelector(id), rows);
    this.#standing = { ...list('#standing', STANDING), ...list('#delays', DELAYS) };
    this.#tracks = document.querySelector('#tracks');
    this.#difference = document.querySelector('#difference');
  }

  // Starts another stream with the tracks of its `ready`.
  begin(tracks) {
    this.#metrics.clear();
    this.#tracks.replaceChildren();
    for (const { name, model, policy } of tracks) {
      const list = make('dl', { className: 'metrics' });
      const title = make('h3');
      this.#tracks.append(title, list);
      const metrics = new Metrics(list);
      metrics.showReading(false);
      this.#metrics.set(name, { metrics, title });
      this.name({ track: name, model, policy });
    }
    this.#difference.hidden = tracks.length < 2;
    this.compare({ sentences: 0, al: null, words: null, ms: null });
    this.watched(0);
  }

  // Shows the model and the policy of a track.
  name({ track = FIRST, model, policy }) {
    this.#metrics.get(track).title.textContent = `${model} · ${policy}`;
  }

  measured(message) {
    this.#metrics.get(message.track ?? FIRST).metrics.apply(message);
  }

  watched(viewers) {
    this.#standing.viewers.textContent = number(viewers);
  }

  // `delays`: standing() of delays.js; `outbox`: its `standing`.
  stand(delays, outbox) {
    setText(this.#standing.last, milliseconds(delays.last));
    setText(this.#standing.recent, `${milliseconds(delays.p50)} · ${milliseconds(delays.p95)}`);
    setText(this.#standing.lag, milliseconds(outbox.lag));
    this.#standing.lag.classList.toggle('error', outbox.sent > 0 && outbox.lag > LONG);
    setText(this.#standing.sent, phrase('words', { count: outbox.sent }));
  }

  // Shows the means of sentences.js.
  compare({ sentences, ...mean }) {
    const values = fill(this.#difference, DIFFERENCE);
    for (const [name, , unit] of DIFFERENCE) {
      values[name].textContent = mean[name] === null ? '–' : `${signed(mean[name], unit === 'ms' ? 0 : 1)} ${unit}`;
    }
    const over = make('dd', { textContent: phrase('figures.mean-of', { count: sentences }) });
    this.#difference.prepend(make('div', {}, make('dt', { textContent: phrase('figures.minus') }), over));
  }
}

// Fills a list with rows. Returns the element of each row's value by name.
function fill(list, rows) {
  const values = {};
  list.replaceChildren(
    ...rows.map(([name, label, title = '']) => {
      values[name] = make('dd', { textContent: '–' });
      values[name].dataset.figure = name;
      const help = title === '' ? [] : [make('dd', { className: 'help', textContent: title })];
      return make('div', {}, make('dt', { textContent: label }), values[name], ...help);
    }),
  );
  return values;
}
