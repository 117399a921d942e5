// Names the company that receives the voice if the browser recognises speech.

import { phrase } from '../strings.js';

// [mark in the browser's user agent, company]. Edge also has Chrome's mark.
const OWNERS = [
  [/\bEdg/u, 'Microsoft'],
  [/\bOPR/u, 'Opera'],
  [/\bChrom(?:e|ium)|\bHeadlessChrome/u, 'Google'],
];

// Returns {label, note}: the source's name on the page, and a sentence about the voice.
export function describeRecogniser(offered, userAgent) {
  if (!offered) return { label: phrase('speech.none'), note: '' };
  const owner = OWNERS.find(([mark]) => mark.test(userAgent))?.[1];
  if (!owner) return { label: phrase('speech.browser'), note: phrase('speech.browser-note') };
  return { label: phrase('speech.owner', { owner }), note: phrase('speech.owner-note', { owner }) };
}
