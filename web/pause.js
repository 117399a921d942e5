// The operator's text for a pause if they have entered none: a word that many languages have.

export const PAUSE = 'Pause';
