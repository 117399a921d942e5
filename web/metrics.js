// The live latencies at the bottom of the page.

import { number, phrase } from './strings.js';

export const METRICS = [
  { name: 'al', label: 'AL', unit: phrase('metrics.words'), digits: 1, title: phrase('metrics.al') },
  { name: 'ap', label: 'AP', unit: phrase('metrics.of-source'), digits: 2, title: phrase('metrics.ap') },
  { name: 'dal', label: 'DAL', unit: phrase('metrics.words'), digits: 1, title: phrase('metrics.dal') },
  { name: 'cw', label: 'CW', unit: phrase('metrics.words'), digits: 1, title: phrase('metrics.cw') },
];

const READING = { name: 'reading', label: phrase('metrics.reading'), unit: 's', title: phrase('metrics.reading-title') };

const UNKNOWN = '–';

export function format(value, digits) {
  return typeof value === 'number' ? number(value, digits) : UNKNOWN;
}

export class Metrics {
  #rows = new Map(); // name -> {value, mean} elements

  constructor(list) {
    for (const { name, label, unit, title } of [...METRICS, READING]) {
      const row = document.createElement('div');
      row.dataset.metric = name;
      row.title = title;
      const value = add(row, 'dd', 'value', UNKNOWN);
      add(row, 'dt', 'label', label, value);
      add(row, 'dd', 'unit', unit);
      const mean = add(row, 'dd', 'mean', '');
      list.append(row);
      this.#rows.set(name, { value, mean });
    }
  }

  // Shows or hides the delay that pacing adds. It is a row of its own, because it is no lag of the translation.
  showReading(shown) {
    this.#rows.get(READING.name).value.parentElement.hidden = !shown;
    this.reading(0);
  }

  // Shows how long the current text was delayed, ms.
  reading(delay) {
    this.#rows.get(READING.name).value.textContent = `+${format(delay / 1000, 1)}`;
  }

  // A `sentence` has the scores of its last `metrics`; a late viewer receives only the former.
  apply(message) {
    this.#show('value', message.type === 'sentence' ? message.metrics.words : message);
    if (message.stream?.sentences > 0) this.#show('mean', message.stream, (value) => phrase('mean', { value }));
  }

  #show(column, scores, write = (value) => value) {
    for (const { name, digits } of METRICS) {
      this.#rows.get(name)[column].textContent = write(format(scores[name], digits));
    }
  }

  clear() {
    for (const { name } of METRICS) {
      const { value, mean } = this.#rows.get(name);
      value.textContent = UNKNOWN;
      mean.textContent = '';
    }
  }
}

function add(row, tag, name, text, before = null) {
  const element = document.createElement(tag);
  element.className = name;
  element.textContent = text;
  row.insertBefore(element, before);
  return element;
}
