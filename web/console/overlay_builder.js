// The options of an overlay as fields, and a preview.
//
// The page's security policy allows no frames. The preview is therefore made of the overlay's own parts, on a stage with
// the size of OBS's canvas that is scaled to its place.

import { dress } from '../appearance.js';
import { OPTIONS, defaults, readValue, writeValue } from '../options.js';
import { Screen } from '../screen.js';
import { phrase } from '../strings.js';
import { Subtitles } from '../subtitles.js';
import { make } from './dom.js';

const CANVASES = ['1920 × 1080', '1280 × 720', '1080 × 1920'];

// [option, label, help]; an option with `choices` or a flag needs no help on its values.
const FIELDS = [
  ['lines', phrase('overlay.lines'), phrase('overlay.lines-help')],
  ['size', phrase('overlay.size'), phrase('overlay.size-help')],
  ['position', phrase('overlay.position'), phrase('overlay.position-help'), ['top', 'middle', 'bottom']],
  ['align', phrase('overlay.align'), phrase('overlay.align-help'), ['start', 'center', 'end']],
  ['maxwidth', phrase('overlay.maxwidth'), phrase('overlay.maxwidth-help')],
  ['theme', phrase('overlay.theme'), phrase('overlay.theme-help'), ['dark', 'light', 'cream', 'blue', 'yellow']],
  ['bgopacity', phrase('overlay.bgopacity'), phrase('overlay.bgopacity-help')],
  ['outline', phrase('overlay.outline'), phrase('overlay.outline-help')],
  ['shadow', phrase('overlay.shadow'), '', 'flag'],
  ['uppercase', phrase('overlay.uppercase'), '', 'flag'],
  ['source', phrase('overlay.source'), phrase('overlay.source-help'), 'flag'],
  ['fade', phrase('overlay.fade'), phrase('overlay.fade-help')],
  ['pace', phrase('overlay.pace'), phrase('overlay.pace-help')],
  ['track', phrase('overlay.track'), phrase('overlay.track-help')],
  ['font', phrase('overlay.font'), phrase('overlay.font-help')],
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
    form.append(...FIELDS.flatMap((field) => this.#field(field)), make('label', {}, phrase('overlay.canvas'), canvas), help(canvas, phrase('overlay.canvas-help')));
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
    this.#screen.apply({ kind: 'source', sentence: 0, words: phrase('overlay.sample-source').split(' ') });
    this.#screen.apply({ kind: 'target', sentence: 0, text: phrase('overlay.sample'), read: 0, words: 0, time: 0 });
  }

  #field([name, label, meaning, kind]) {
    const value = writeValue(this.#usual[name]);
    const field = kind === 'flag' ? make('input', { type: 'checkbox', checked: this.#usual[name] })
      : kind ? make('select', {}, ...kind.map((choice) => new Option(phrase(`${name}.${choice}`), choice)))
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
    field.setCustomValidity(value === undefined ? phrase('overlay.invalid', { name, allowed }) : '');
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
