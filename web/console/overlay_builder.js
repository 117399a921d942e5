// The options of an overlay as fields, and a preview.
//
// The page's security policy allows no frames. The preview is therefore made of the overlay's own parts, on a stage with
// the size of OBS's canvas that is scaled to its place.

import { dress } from '../appearance.js';
import { OPTIONS, defaults, readValue, writeValue } from '../options.js';
import { Screen } from '../screen.js';
import { Subtitles } from '../subtitles.js';
import { make } from './dom.js';

const CANVASES = ['1920 × 1080', '1280 × 720', '1080 × 1920'];
const SAMPLE = { source: ['Guten Morgen,', 'meine Damen', 'und Herren.'], target: 'Good morning, ladies and gentlemen. The words of your speaker appear here as they are translated.' };

// [option, label, help]; an option with `choices` or a flag needs no help on its values.
const FIELDS = [
  ['lines', 'Lines', 'of the translation, 1 to 12'],
  ['size', 'Size of letters', 'in pixels, 8 to 400; empty: by the canvas'],
  ['position', 'Position', 'of the lines on the canvas', ['top', 'middle', 'bottom']],
  ['align', 'Alignment', 'other than at the start, words move while a line grows', ['start', 'center', 'end']],
  ['maxwidth', 'Width', 'in % of the canvas, 10 to 100'],
  ['theme', 'Colours', 'of letters and box', ['dark', 'light', 'cream', 'blue', 'yellow']],
  ['bgopacity', 'Opacity of the box', 'behind the lines, in %; 0: no box'],
  ['outline', 'Outline', 'of the letters, in pixels, 0 to 20'],
  ['shadow', 'Shadow of the letters', '', 'flag'],
  ['uppercase', 'Capitals only', '', 'flag'],
  ['source', 'Source words', 'above the translation', 'flag'],
  ['fade', 'Lines disappear after', 'seconds without a word; 0: never'],
  ['pace', 'Reading speed', 'characters a second at most; 0: no limit'],
  ['track', 'Translation', 'name or language, if there are several; empty: the first'],
  ['font', 'Font', 'on the machine of OBS; empty: Inter'],
];

export class OverlayBuilder {
  onChange = () => {};
  #usual = defaults('overlay');
  #options = { ...this.#usual };
  #details;
  #frame;
  #stage = null; // with its screen, from the first opening on: lines cannot be broken without a width
  #screen;
  #subtitles = null; // null: the sample is shown

  constructor(document) {
    this.#details = document.querySelector('#builder');
    this.#frame = document.querySelector('#stage-frame');
    const form = document.querySelector('#overlay-options');
    const canvas = make('select', {}, ...CANVASES.map((size) => new Option(size)));
    canvas.addEventListener('change', () => this.#resize(canvas.value));
    form.append(...FIELDS.flatMap((field) => this.#field(field)), make('label', {}, 'Canvas', canvas), help(canvas, 'size of the browser source in OBS'));
    form.addEventListener('submit', (event) => event.preventDefault());
    this.#resize(canvas.value);
    this.#details.addEventListener('toggle', () => this.#details.open && this.#showSample());
    new ResizeObserver(() => this.#frame.style.setProperty('--frame', this.#frame.clientWidth)).observe(this.#frame);
  }

  // The options that differ from their defaults, as in the overlay's address.
  get query() {
    const given = Object.entries(this.#options).filter(([name, value]) => value !== this.#usual[name]);
    return new URLSearchParams([['overlay', '1'], ...given.map(([name, value]) => [name, writeValue(value)])]).toString();
  }

  // A message of the stream. Only the first track is shown.
  apply(message) {
    if (!this.#stage || !this.#details.open || message.track) return;
    if (!['source', 'write', 'sentence'].includes(message.type)) return;
    if (this.#subtitles === null) this.#screen.apply({ kind: 'clear' });
    this.#subtitles ??= new Subtitles();
    for (const change of this.#subtitles.apply(message)) this.#screen.apply(change);
  }

  #showSample() {
    this.#stage ??= makeStage(this.#frame);
    dress(this.#stage, this.#options);
    this.#screen ??= new Screen(this.#stage, { scrolls: false });
    this.#subtitles = null;
    this.#screen.apply({ kind: 'clear' });
    this.#screen.apply({ kind: 'source', sentence: 0, words: SAMPLE.source });
    this.#screen.apply({ kind: 'target', sentence: 0, text: SAMPLE.target, read: 0, words: 0, time: 0 });
  }

  #field([name, label, meaning, kind]) {
    const value = writeValue(this.#usual[name]);
    const field = kind === 'flag' ? make('input', { type: 'checkbox', checked: this.#usual[name] })
      : kind ? make('select', {}, ...kind.map((choice) => new Option(choice)))
      : make('input', { autocomplete: 'off', spellcheck: false });
    if (kind !== 'flag') field.value = value;
    field.name = name;
    field.addEventListener('input', () => this.#read(field));
    const parts = kind === 'flag' ? [field, ` ${label}`] : [label, field];
    return [make('label', { className: kind === 'flag' ? 'tick' : '' }, ...parts), ...(meaning ? [help(field, meaning)] : [])];
  }

  #read(field) {
    const { name } = field;
    const { allowed, overlay } = OPTIONS.find((option) => option.name === name);
    const text = field.type === 'checkbox' ? `${Number(field.checked)}` : field.value.trim();
    const value = text === '' ? overlay : readValue(name, text);
    field.setCustomValidity(value === undefined ? `${name} must be ${allowed}` : '');
    if (!field.reportValidity()) return;
    this.#options = { ...this.#options, [name]: value };
    if (this.#stage) dress(this.#stage, this.#options);
    this.#screen?.set({ fade: 0 });
    this.onChange();
  }

  #resize(size) {
    const [width, height] = size.split(' × ').map(Number);
    for (const [name, value] of Object.entries({ width, height })) this.#frame.style.setProperty(`--${name}`, value);
  }
}

let helped = 0;

function help(field, textContent) {
  const text = make('p', { className: 'help', textContent, id: `overlay-help-${(helped += 1)}` });
  field.setAttribute('aria-describedby', text.id);
  return text;
}

// Returns a stage with the overlay's elements, as viewer.html has them.
function makeStage(frame) {
  const part = (id, className = '') => make('div', { id, className });
  const stage = make('div', { id: 'stage', translate: false }, part('placeholder'), part('source', 'rolling'), part('target', 'rolling'), part('spoken'));
  stage.dataset.mode = 'overlay';
  frame.append(stage);
  return stage;
}
