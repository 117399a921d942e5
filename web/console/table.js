// The table of sentences: a row for each, with a column for each track.

import { setLanguage } from '../languages.js';
import { format } from '../metrics.js';
import { number, phrase } from '../strings.js';
import { make, setText } from './dom.js';
import { signed } from './numbers.js';
import { FIRST } from './sentences.js';

const SHOWN = 100; // rows
const NEAR = 40; // pixels from the end within which the table follows new rows

export class Table {
  #scroll;
  #head;
  #body;
  #nothing;
  #following = true; // the table scrolls to new rows
  #size = ''; // heights of the rows and of their visible part
  #rows = new Map(); // sentence -> {row, source, difference, targets}
  #tracks = []; // {name, target}
  #source;

  constructor(document) {
    this.#scroll = document.querySelector('#scroll');
    this.#head = document.querySelector('#scroll thead tr');
    this.#body = document.querySelector('#scroll tbody');
    this.#nothing = document.querySelector('#nothing');
    this.#scroll.addEventListener('scroll', () => this.#scrolled());
    new ResizeObserver(() => this.#follow()).observe(this.#scroll);
    this.begin('', []);
  }

  // Starts another stream with its source language and tracks.
  begin(source, tracks) {
    this.#source = source;
    this.#tracks = tracks.length > 0 ? tracks : [{ name: FIRST, target: '' }];
    this.#rows.clear();
    this.#body.replaceChildren();
    const compared = [phrase('table.first'), phrase('table.second')];
    const titles = ['#', phrase('table.source'), ...(this.#tracks.length > 1 ? compared : [phrase('table.translation')])];
    this.#head.replaceChildren(...titles.map((textContent) => make('th', { scope: 'col', textContent })));
    this.#nothing.hidden = false;
  }

  // Shows a row of sentences.js.
  show({ sentence, source, tracks, difference }) {
    const row = this.#rows.get(sentence) ?? this.#add(sentence);
    setText(row.source, source);
    for (const { name } of this.#tracks) this.#showTrack(row.targets.get(name), tracks.get(name));
    if (difference) setText(row.difference, describeDifference(difference));
    this.#follow();
  }

  // Shows that a track has another model or policy from this sentence on.
  note({ sentence, track = FIRST, model, policy }) {
    const { notes } = (this.#rows.get(sentence) ?? this.#add(sentence)).targets.get(track);
    notes.textContent = `${model} · ${policy}`;
  }

  #follow() {
    if (!this.#following) return;
    this.#scroll.scrollTop = this.#scroll.scrollHeight;
    this.#size = this.#measure();
  }

  #measure() {
    return `${this.#scroll.scrollHeight} ${this.#scroll.clientHeight}`;
  }

  // Scrolling by the user stops the following; a change of size does not.
  #scrolled() {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroll;
    const size = this.#measure();
    const near = scrollHeight - scrollTop - clientHeight < NEAR;
    if (near || size === this.#size) this.#following = near;
    this.#size = size;
  }

  #add(sentence) {
    this.#nothing.hidden = true;
    const [source, difference] = ['said', 'difference'].map((className) => make('p', { className }));
    setLanguage(source, this.#source);
    const targets = new Map(this.#tracks.map((track) => [track.name, this.#cell(track)]));
    const number = make('th', { scope: 'row', textContent: number(sentence + 1) });
    const cells = [...targets.values()].map(({ cell }) => cell);
    const row = make('tr', {}, number, make('td', {}, source, difference), ...cells);
    this.#body.append(row);
    this.#rows.set(sentence, { row, source, targets, difference });
    if (this.#rows.size > SHOWN) this.#forget();
    return this.#rows.get(sentence);
  }

  #forget() {
    const [[sentence, { row }]] = this.#rows;
    row.remove();
    this.#rows.delete(sentence);
  }

  #cell({ target }) {
    const [notes, text, lag] = ['notes', 'text', 'lag'].map((className) => make('p', { className }));
    setLanguage(text, target);
    return { cell: make('td', {}, notes, text, lag), notes, text, lag };
  }

  #showTrack({ cell, text, lag }, track) {
    if (!track) return;
    setText(text, track.text);
    cell.classList.toggle('complete', track.complete);
    const first = track.first ? phrase('table.begun', { count: track.first.words }) : '';
    setText(lag, phrase('table.behind', { words: format(track.al, 1) }) + first);
  }
}

function describeDifference({ al, words, ms }) {
  return phrase('table.difference', { al: signed(al, 1), words: signed(words, 0), ms: signed(ms, 0) });
}
