// The notices with their time of day, and the recogniser's revisions.

import { mixed, number, phrase, ui } from '../strings.js';
import { make } from './dom.js';

const KEPT = 200;

export class Notices {
  #notices;
  #revisions;
  #count;
  #revised = 0;

  constructor(document) {
    this.#notices = document.querySelector('#notices');
    this.#revisions = document.querySelector('#revisions');
    this.#count = document.querySelector('#revision-count');
  }

  // `kind`: error or news.
  tell(kind, text) {
    const time = new Date();
    const textContent = time.toLocaleTimeString(ui, { hourCycle: 'h23' });
    const clock = make('time', { dateTime: time.toISOString(), textContent });
    add(this.#notices, make('p', {}, clock, ' ', make('span', { className: kind, textContent: text })));
  }

  // Adds a `revision`: the committed words, and what the recogniser has in their place now.
  revise({ sentence, committed, heard }) {
    this.#revised += 1;
    this.#revisions.hidden = false;
    this.#count.textContent = phrase('revisions.count', { count: number(this.#revised) });
    const quoted = [committed, heard].map((textContent) => make('q', { textContent }));
    const found = heard === '' ? phrase('revisions.nothing') : quoted[1];
    add(this.#revisions, make('li', {}, ...mixed('revisions.revision', [quoted[0], found], { sentence: sentence + 1 })));
  }

  // Starts another stream.
  begin() {
    this.#revised = 0;
    this.#revisions.replaceChildren();
    this.#revisions.hidden = true;
    this.#count.textContent = phrase('revisions.none');
  }
}

function add(list, item) {
  list.prepend(item);
  if (list.childElementCount > KEPT) list.lastElementChild.remove();
}
