// Curves of latency during a stream: AL, DAL and CW in words, AP as a share, and the delay of each write.
//
// Apache ECharts draws them; `npm ci --prefix web` installs it. Without it only the numbers are shown.

import { format, METRICS } from './metrics.js';
import { number, phrase } from './strings.js';

const LIBRARY = './node_modules/echarts/dist/echarts.esm.min.mjs';
const PANEL = { top: 38, height: 96, gap: 34 }; // pixels
const PANELS = [
  { name: phrase('inside.behind'), scores: ['al', 'dal', 'cw'] },
  { name: phrase('inside.share'), scores: ['ap'], max: 1 },
  { name: phrase('inside.delays'), scores: ['delay'] },
];
const LOOKS = {
  al: { colour: '--live', type: 'solid' },
  dal: { colour: '--ahead', type: 'dashed' },
  cw: { colour: '--text', type: 'dotted' },
  ap: { colour: '--live', type: 'solid' },
  delay: { colour: '--ahead', type: 'solid' },
};
const DELAY = { name: 'delay', label: phrase('inside.delay'), unit: 's', digits: 2, title: phrase('inside.delay-title') };

export class InsideCurves {
  #list;
  #place;
  #values = new Map(); // name -> {value, mean} elements
  #chart = null;
  #track = null; // drawn last
  #echarts;

  // Shows the numbers in `list`, a dl, and the curves in `place`.
  constructor(list, place) {
    this.#list = list;
    this.#place = place;
    place.style.height = `${PANELS.length * (PANEL.top + PANEL.height) + PANEL.gap}px`;
    for (const row of [...METRICS, DELAY]) this.#addValue(row);
    this.#echarts = import(LIBRARY).then(
      (library) => this.#begin(library),
      () => {
        place.textContent = phrase('inside.no-library');
        place.style.height = 'auto';
      },
    );
  }

  // Resolves when curves can be drawn, or when the library could not be loaded.
  get ready() {
    return this.#echarts;
  }

  // `track`: a track of Steps.
  draw(track) {
    this.#track = track;
    const delay = track.points.findLast((point) => point.delay !== undefined)?.delay;
    this.#show('delay', delay === undefined ? null : delay / 1000, null);
    for (const { name } of METRICS) this.#show(name, track.scores?.[name], track.mean?.[name]);
    const times = track.points.map(({ time }) => time / 1000);
    const range = times.length > 0 ? { min: Math.floor(times[0]), max: Math.ceil(times.at(-1)) } : {};
    this.#chart?.setOption({ xAxis: PANELS.map(() => range), series: seriesOf(track).map(({ id, data }) => ({ id, data })) });
  }

  resize() {
    this.#chart?.resize();
  }

  #addValue({ name, label, unit, title }) {
    const part = (tag, text = '') => Object.assign(document.createElement(tag), { textContent: text });
    const row = document.createElement('div');
    row.dataset.score = name;
    row.title = title;
    const [value, mean] = [part('dd'), part('dd')];
    value.className = 'value';
    mean.className = 'mean';
    const term = part('dt', label);
    const key = document.createElement('span');
    key.className = `key ${LOOKS[name].type}`;
    key.style.borderColor = `var(${LOOKS[name].colour})`;
    term.prepend(key);
    const measure = part('dd', unit);
    measure.className = 'unit';
    row.append(term, value, measure, mean);
    this.#list.append(row);
    this.#values.set(name, { value, mean, digits: [...METRICS, DELAY].find((one) => one.name === name).digits });
  }

  #show(name, value, mean) {
    const row = this.#values.get(name);
    row.value.textContent = format(value, row.digits);
    row.mean.textContent = typeof mean === 'number' ? phrase('mean', { value: format(mean, row.digits) }) : '';
  }

  #begin({ init }) {
    this.#place.setAttribute('role', 'img');
    this.#place.setAttribute('aria-label', phrase('inside.curves'));
    this.#chart = init(this.#place, null, { renderer: 'canvas' });
    const style = getComputedStyle(this.#place);
    const colour = (name) => style.getPropertyValue(name).trim();
    const [ink, line] = [colour('--muted'), colour('--faint')];
    const top = (i) => PANEL.top + i * (PANEL.top + PANEL.height);
    const font = { color: ink, fontFamily: style.fontFamily, fontSize: 12 };
    this.#chart.setOption({
      animation: false,
      textStyle: font,
      title: PANELS.map(({ name }, i) => ({ text: name, left: 0, top: top(i) - 24, padding: 0, textStyle: { ...font, fontWeight: 'normal' } })),
      grid: PANELS.map((_, i) => ({ left: 44, right: 12, top: top(i), height: PANEL.height })),
      xAxis: PANELS.map((_, i) => ({
        type: 'value',
        gridIndex: i,
        axisLabel: { ...font, show: i === PANELS.length - 1, formatter: (seconds) => phrase('seconds', { value: seconds }) },
        splitLine: { show: false },
        axisLine: { lineStyle: { color: ink } },
      })),
      yAxis: PANELS.map(({ max }, i) => ({
        type: 'value',
        gridIndex: i,
        max,
        splitNumber: max ? 2 : 3,
        axisLabel: { ...font, formatter: (value) => number(value) },
        splitLine: { lineStyle: { color: line } },
      })),
      // Rich text, because the page's security policy forbids inline styles.
      tooltip: { trigger: 'axis', renderMode: 'richText', valueFormatter: (value) => format(value, 2) },
      axisPointer: { link: [{ xAxisIndex: 'all' }] },
      series: seriesOf({ points: [] }).map((series) => ({
        ...series,
        type: series.id === 'delay' ? 'scatter' : 'line',
        symbol: 'circle',
        symbolSize: series.id === 'delay' ? 4 : 3,
        connectNulls: false,
        color: colour(LOOKS[series.id].colour),
        lineStyle: { color: colour(LOOKS[series.id].colour), type: LOOKS[series.id].type, width: 2 },
      })),
    });
    if (this.#track) this.draw(this.#track);
  }
}

// Returns a curve for each score, with a gap between sentences, because scores restart with each of them.
function seriesOf({ points }) {
  return PANELS.flatMap(({ scores }, panel) =>
    scores.map((id) => {
      const data = [];
      let before = null;
      for (const { time, sentence, scores: known, delay } of points) {
        const value = id === 'delay' ? delay / 1000 : known?.[id];
        if (typeof value !== 'number' || Number.isNaN(value)) continue;
        if (before !== null && before !== sentence) data.push([time / 1000, null]);
        before = sentence;
        data.push([time / 1000, value]);
      }
      const name = id === 'delay' ? DELAY.label : id.toUpperCase();
      return { id, name, xAxisIndex: panel, yAxisIndex: panel, data };
    }));
}
