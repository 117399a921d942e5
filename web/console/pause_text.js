// The text that viewers read in a pause, as a sentence of the stream.
//
// A sentence that is only a mark in square brackets is shown and not translated. The sign tells it from other marks.

import { Memory, openStorage } from '../memory.js';
import { PAUSE } from '../pause.js';

const SIGN = '‖'; // fonts without emoji have it
const WORDS = 20; // a longer bracket is no mark

// Returns the source words of a text, or those of PAUSE if it has none. A stop would end the sentence within the mark.
export function pauseMark(text) {
  const words = text
    .replace(/[[\]]/gu, ' ')
    .replace(/[.!?…。？！]+(?=\s|$)/gu, '')
    .split(/\s+/u)
    .filter((word) => word !== '');
  return `[${SIGN} ${words.length === 0 ? PAUSE : words.slice(0, WORDS).join(' ')}]`;
}

// Keeps the text of the field while its tab is open.
export function keepPauseText(field) {
  const memory = new Memory('surtitle.pause-text', openStorage('sessionStorage'));
  field.value = memory.recall().text ?? '';
  field.addEventListener('input', () => memory.remember({ text: field.value }));
}
