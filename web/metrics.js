// The live latencies at the bottom of the page.

export const METRICS = [
  { name: 'al', label: 'AL', unit: 'words', digits: 1, title: 'Average lagging: words behind the speaker' },
  { name: 'ap', label: 'AP', unit: 'of source', digits: 2, title: 'Average proportion: share of the source read at a write' },
  { name: 'dal', label: 'DAL', unit: 'words', digits: 1, title: 'Differentiable average lagging: words behind, no catching up' },
  { name: 'cw', label: 'CW', unit: 'words', digits: 1, title: 'Consecutive wait: words read at a stretch' },
];

const READING = { name: 'reading', label: 'Reading', unit: 's', title: 'Delay for reading, which is no lag of the translation' };

const UNKNOWN = '–';

export function format(value, digits) {
  return typeof value === 'number' ? value.toFixed(digits) : UNKNOWN;
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
    if (message.stream?.sentences > 0) this.#show('mean', message.stream, 'mean ');
  }

  #show(column, scores, before = '') {
    for (const { name, digits } of METRICS) {
      this.#rows.get(name)[column].textContent = before + format(scores[name], digits);
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
