// View of the inside of a channel's translation.
//
// It shows a sentence as a grid of source against target, and curves of latency. The grid has the staircase of READs
// and WRITEs, the attention of each decoder layer and GMA's aligned positions.
//
//   const view = new InsideView(element);
//   channel.on('*', (message) => view.take(message)); // a Channel of surtitle.js; shade and dots need {attention: true}
//
// The module loads its own style sheet; colours are those of themes.css.

import { InsideCurves } from './inside_curves.js';
import { InsideGrid } from './inside_grid.js';
import { Steps, tableOf } from './inside_steps.js';
import { fillTexts, number, phrase } from './strings.js';

const STYLE = new URL('inside_view.css', import.meta.url).href;
const MEAN = 'mean';

const BODY = `
  <form class="choice" data-aria-label="inside.choice">
    <label class="track" data-text="inside.track" hidden><select name="track"></select></label>
    <label data-text="inside.layer"><select name="layer"><option value="${MEAN}" data-text="inside.layer-mean"></option></select></label>
    <span class="sentences">
      <button type="button" name="earlier" data-aria-label="inside.earlier">‹</button>
      <span class="number" data-text="inside.no-sentence"></span>
      <button type="button" name="later" data-aria-label="inside.later">›</button>
    </span>
  </form>
  <p class="hint" data-text="inside.no-attention" hidden><code>"attention": true</code><code>start</code><code>surtitle pipe --attention</code></p>
  <ul class="legend">
    <li data-text="inside.stairs"><i class="stairs"></i></li>
    <li class="of-attention" data-text="inside.shade"><i class="shade"></i><span class="strongest"></span></li>
    <li class="of-positions" data-text="inside.position"><i class="dot"></i></li>
    <li data-text="inside.unread"><i class="unread"></i></li>
  </ul>
  <div class="grid"></div>
  <p class="cell" role="status"></p>
  <dl class="scores"></dl>
  <div class="curves"></div>`;

export class InsideView {
  #element;
  #steps = new Steps();
  #grid;
  #curves;
  #track = ''; // its name
  #layer = null; // null: the mean of all
  #number = null; // of the chosen sentence; null: always the last one
  #painting = false;

  constructor(element) {
    this.#element = element;
    element.classList.add('inside-view');
    element.innerHTML = BODY; // a constant; no data from the network
    fillTexts(element);
    if (!document.querySelector(`link[href="${STYLE}"]`)) {
      document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: STYLE }));
    }
    this.#grid = new InsideGrid(this.#part('.grid'), (text) => {
      this.#part('.cell').textContent = text;
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

  // Applies a message of the server, parsed.
  take(message) {
    if (this.#steps.take(message)) this.#paintSoon();
  }

  // Forgets all messages.
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

  // Moves to the sentence before or after. At the last one, the view follows new sentences again.
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
    this.#part('.number').textContent = sentence ? phrase('inside.sentence', { sentence: sentence.number + 1 }) : phrase('inside.no-sentence');
    this.#part('[name="earlier"]').disabled = at <= 0;
    this.#part('[name="later"]').disabled = at === sentences.length - 1;
    const table = tableOf(sentence ?? { steps: [], words: [], pieces: [] }, this.#layer);
    this.#offerLayers(table.layers);
    this.#grid.draw(table);
    const hasAttention = sentences.some(({ steps }) => steps.some((step) => step?.layers));
    this.#part('.hint').hidden = sentence === null || hasAttention;
    this.#part('.of-attention').hidden = table.layers === 0;
    this.#part('.of-positions').hidden = !table.rows.some(({ positions }) => positions.length > 0);
    this.#part('.strongest').textContent = number(this.#grid.strongest, 2);
    this.#curves.draw(this.#steps.track(this.#track));
  }

  #offerTracks() {
    const { tracks } = this.#steps;
    if (tracks.length > 0 && !tracks.some(({ name }) => name === this.#track)) this.#track = tracks[0].name;
    const select = this.#part('[name="track"]');
    select.parentElement.hidden = tracks.length < 2;
    offer(select, tracks.map(({ name, label }) => [name, label]), this.#track);
  }

  // A sentence without attention does not change the choice.
  #offerLayers(count) {
    const select = this.#part('[name="layer"]');
    select.disabled = count === 0;
    if (count === 0) return;
    if (this.#layer !== null && this.#layer >= count) this.#layer = null;
    const layers = Array.from({ length: count }, (_, i) => [`${i}`, i === 0 ? phrase('inside.layer-lowest', { layer: i }) : `${i}`]);
    offer(select, [[MEAN, phrase('inside.layer-mean')], ...layers], this.#layer === null ? MEAN : `${this.#layer}`);
  }
}

// Sets the choices of a select. It changes nothing if they are the same: an open select would close.
function offer(select, choices, chosen) {
  const known = [...select.options].map(({ value, text }) => `${value} ${text}`);
  if (known.join('\n') !== choices.map(([value, text]) => `${value} ${text}`).join('\n')) {
    select.replaceChildren(...choices.map(([value, text]) => new Option(text, value)));
  }
  if (select.value !== chosen) select.value = chosen;
}
