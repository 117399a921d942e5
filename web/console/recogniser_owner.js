// Names the company that receives the voice if the browser recognises speech.

// [mark in the browser's user agent, company]. Edge also has Chrome's mark.
const OWNERS = [
  [/\bEdg/u, 'Microsoft'],
  [/\bOPR/u, 'Opera'],
  [/\bChrom(?:e|ium)|\bHeadlessChrome/u, 'Google'],
];

// Returns {label, note}: the source's name on the page, and a sentence about the voice.
export function describeRecogniser(offered, userAgent) {
  if (!offered) return { label: 'Speech: this browser has no recogniser', note: '' };
  const owner = OWNERS.find(([mark]) => mark.test(userAgent))?.[1];
  if (!owner) {
    const note = "The browser chooses the recogniser, and may send the voice to the browser's maker.";
    return { label: 'Speech, recognised by this browser', note };
  }
  return {
    label: `Speech, recognised by ${owner}`,
    note: `The browser sends the voice to ${owner}, which recognises it. It works only with the internet.`,
  };
}
