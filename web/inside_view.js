// What goes on inside while a channel is translated: the sentence as a grid of source against target, with the staircase of
// READs and WRITEs, the attention of each decoder layer and GMA's aligned positions; and curves of latency.
//
//   const view = new InsideView(element);
//   channel.on('*', (message) => view.take(message)); // of surtitle.js; {attention: true} brings shade and dots
//
// The module brings its own style sheet; colours are those of themes.css.

import { InsideCurves } from './inside_curves.js';
import { InsideGrid } from './inside_grid.js';
import { Steps, tableOf } from './inside_steps.js';

const STYLE = new URL('inside_view.css', import.meta.url).href;
const MEAN = 'mean';

const BODY = `
  <form class="choice" aria-label="What is shown">
    <label class="track" hidden>Track <select name="track"></select></label>
    <label>Layer <select name="layer"><option value="${MEAN}">mean of all</option></select></label>
    <span class="sentences">
      <button type="button" name="earlier" aria-label="Earlier sentence">‹</button>
      <span class="number">No sentence yet</span>
      <button type="button" name="later" aria-label="Later sentence">›</button>
    </span>
  </form>
  <p class="hint" hidden>This stream does not show its attention: the grid has words, and no shade. Say
    <code>"attention": true</code> in <code>start</code>, or <code>surtitle pipe --attention</code>.</p>
  <ul class="legend">
    <li><i class="stairs"></i>READ to the right, WRITE down</li>
    <li class="of-attention"><i class="shade"></i>0 to <span class="strongest"></span>, attention</li>
    <li class="of-positions"><i class="dot"></i>p, where a layer aligns the token</li>
    <li><i class="unread"></i>not read</li>
  </ul>
  <div class="grid"></div>
  <p class="told" role="status"></p>
  <dl class="scores"></dl>
  <div class="curves"></div>`;

export class InsideView {
  #element;
  #steps = new Steps();
  #grid;
  #curves;
  #track = ''; // its name
  #layer = null; // null: the mean of all
  #number = null; // of the sentence that is held; null: the last one
  #painting = false;

  constructor(element) {
    this.#element = element;
    element.classList.add('inside-view');
    element.innerHTML = BODY; // ours alone
    if (!document.querySelector(`link[href="${STYLE}"]`)) {
      document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: STYLE }));
    }
    this.#grid = new InsideGrid(this.#part('.grid'), (text) => {
      this.#part('.told').textContent = text;
    });
    this.#curves = new InsideCurves(this.#part('.scores'), this.#part('.curves'));
    this.#part('form').addEventListener('submit', (event) => event.preventDefault());
    this.#part('[name="track"]').addEventListener('change', ({ target }) => this.#choose({ track: target.value, number: null }));
    this.#part('[name="layer"]').addEventListener('change', ({ target }) =>
      this.#choose({ layer: target.value === MEAN ? null : Number(target.value) }));
    for (const [name, by] of [['earlier', -1], ['later', 1]]) {
      this.#part(`[name="${name}"]`).addEventListener('click', () => this.#turn(by));
    }
    new ResizeObserver(() => {
      this.#curves.resize();
      this.#paintSoon();
    }).observe(element);
  }

  // One of the server's messages, parsed.
  take(message) {
    if (this.#steps.take(message)) this.#paintSoon();
  }

  // Nothing has been said.
  reset() {
    this.#steps.reset();
    this.#number = null;
    this.#paintSoon();
  }

  #part(selector) {
    return this.#element.querySelector(selector);
  }

  #choose({ track = this.#track, layer = this.#layer, number = this.#number }) {
    this.#track = track;
    this.#layer = layer;
    this.#number = number;
    this.#paintSoon();
  }

  #sentences() {
    return [...this.#steps.track(this.#track).sentences.values()].filter(({ steps }) => steps.length > 0);
  }

  #shown() {
    const sentences = this.#sentences();
    return sentences.find(({ number }) => number === this.#number) ?? sentences.at(-1) ?? null;
  }

  // To the sentence before or after; after the last but one, the last one is followed.
  #turn(by) {
    const sentences = this.#sentences();
    const to = sentences.indexOf(this.#shown()) + by;
    if (to >= 0 && to < sentences.length) this.#choose({ number: to === sentences.length - 1 ? null : sentences[to].number });
  }

  #paintSoon() {
    if (this.#painting) return;
    this.#painting = true;
    requestAnimationFrame(() => {
      this.#painting = false;
      this.#paint();
    });
  }

  #paint() {
    this.#offerTracks();
    const sentence = this.#shown();
    const sentences = this.#sentences();
    const at = sentences.indexOf(sentence);
    this.#part('.number').textContent = sentence ? `Sentence ${sentence.number}` : 'No sentence yet';
    this.#part('[name="earlier"]').disabled = at <= 0;
    this.#part('[name="later"]').disabled = at === sentences.length - 1;
    const table = tableOf(sentence ?? { steps: [], words: [], pieces: [] }, this.#layer);
    this.#offerLayers(table.layers);
    this.#grid.draw(table);
    const tells = sentences.some(({ steps }) => steps.some((step) => step?.layers));
    this.#part('.hint').hidden = sentence === null || tells;
    this.#part('.of-attention').hidden = table.layers === 0;
    this.#part('.of-positions').hidden = !table.rows.some(({ positions }) => positions.length > 0);
    this.#part('.strongest').textContent = this.#grid.strongest.toFixed(2);
    this.#curves.draw(this.#steps.track(this.#track));
  }

  #offerTracks() {
    const { tracks } = this.#steps;
    if (tracks.length > 0 && !tracks.some(({ name }) => name === this.#track)) this.#track = tracks[0].name;
    const select = this.#part('[name="track"]');
    select.parentElement.hidden = tracks.length < 2;
    offer(select, tracks.map(({ name, label }) => [name, label]), this.#track);
  }

  // A sentence without attention leaves the choice as it was.
  #offerLayers(count) {
    const select = this.#part('[name="layer"]');
    select.disabled = count === 0;
    if (count === 0) return;
    if (this.#layer !== null && this.#layer >= count) this.#layer = null;
    const layers = Array.from({ length: count }, (_, i) => [`${i}`, `${i}${i === 0 ? ', the lowest' : ''}`]);
    offer(select, [[MEAN, 'mean of all'], ...layers], this.#layer === null ? MEAN : `${this.#layer}`);
  }
}

// The choices of a select, left alone where they are there already: one that is open stays so.
function offer(select, choices, chosen) {
  const known = [...select.options].map(({ value, text }) => `${value} ${text}`);
  if (known.join('\n') !== choices.map(([value, text]) => `${value} ${text}`).join('\n')) {
    select.replaceChildren(...choices.map(([value, text]) => new Option(text, value)));
  }
  if (select.value !== chosen) select.value = chosen;
}
