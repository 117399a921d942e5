// The numbers beside the sentences: who watches, how late it is, how the tracks compare.

import { Metrics } from '../metrics.js';
import { make, setText } from './dom.js';
import { count, milliseconds, signed } from './numbers.js';
import { FIRST } from './sentences.js';

const STANDING = [
  ['viewers', 'Viewers', 'How many watch the channel'],
  ['last', 'Write delay', 'From the word that a write needed to the write, in the daemon: the last one'],
  ['recent', 'in the last minute', 'The same: median and 95th percentile'],
  ['lag', 'Taken after', 'How long the daemon took to say that it has taken words: network, and its queue'],
  ['sent', 'On their way', 'Words that the daemon has not said it took'],
];
const LONG = 5000; // ms after which words that were not taken are a worry
const DIFFERENCE = [
  ['al', 'AL', 'words'],
  ['words', 'First write', 'words'],
  ['ms', 'First write', 'ms'],
];

export class Figures {
  #standing;
  #tracks;
  #difference;
  #metrics = new Map(); // track -> {metrics, title}

  constructor(document) {
    this.#standing = fill(document.querySelector('#standing'), STANDING);
    this.#tracks = document.querySelector('#tracks');
    this.#difference = document.querySelector('#difference');
  }

  // Another stream with these tracks, as `ready` has them.
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

  // What a track is translated with.
  name({ track = FIRST, model, policy }) {
    this.#metrics.get(track).title.textContent = `${model} · ${policy}`;
  }

  measured(message) {
    this.#metrics.get(message.track ?? FIRST).metrics.apply(message);
  }

  watched(viewers) {
    this.#standing.viewers.textContent = viewers;
  }

  // `delays` as delays.js has them, `outbox` as its standing.
  stand(delays, outbox) {
    setText(this.#standing.last, milliseconds(delays.last));
    setText(this.#standing.recent, `${milliseconds(delays.p50)} · ${milliseconds(delays.p95)}`);
    setText(this.#standing.lag, milliseconds(outbox.lag));
    this.#standing.lag.classList.toggle('error', outbox.sent > 0 && outbox.lag > LONG);
    setText(this.#standing.sent, count(outbox.sent, 'word'));
  }

  // The means of sentences.js.
  compare({ sentences, ...mean }) {
    const values = fill(this.#difference, DIFFERENCE);
    for (const [name, , unit] of DIFFERENCE) {
      values[name].textContent = mean[name] === null ? '–' : `${signed(mean[name], unit === 'ms' ? 0 : 1)} ${unit}`;
    }
    const over = make('dd', { textContent: `mean of ${count(sentences, 'sentence')}` });
    this.#difference.prepend(make('div', {}, make('dt', { textContent: 'First less second' }), over));
  }
}

// name -> the element of its value
function fill(list, rows) {
  const values = {};
  list.replaceChildren(
    ...rows.map(([name, label, title = '']) => {
      values[name] = make('dd', { textContent: '–' });
      values[name].dataset.figure = name;
      return make('div', { title }, make('dt', { textContent: label }), values[name]);
    }),
  );
  return values;
}
