// Direction of writing and name of a language, from its tag.

import { ui } from './strings.js';

const RIGHT_TO_LEFT = ['Adlm', 'Arab', 'Hebr', 'Mand', 'Mend', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa', 'Yezi'];

// Returns the parts of a tag in any spelling, or null if it is invalid.
function locale(language) {
  try {
    return new Intl.Locale(language.replaceAll('_', '-'));
  } catch {
    return null;
  }
}

// Returns how well a language serves a request for another one: 2 if they are the same, 1 if it is the same language of
// another region, 0 if not at all.
export function languageMatch(offered, requested) {
  const [one, other] = [locale(offered), locale(requested)];
  if (!one || one.language !== other?.language || one.maximize().script !== other.maximize().script) return 0;
  return `${one}` === `${other}` ? 2 : 1;
}

// `language` is a BCP 47 tag. Returns 'auto' if it is invalid: the direction then depends on the letters.
export function direction(language) {
  const known = locale(language);
  if (!known) return 'auto';
  return RIGHT_TO_LEFT.includes(known.maximize().script) ? 'rtl' : 'ltr';
}

// Returns the name of a language in the language of the page, or the tag if it is unknown.
export function languageName(language, reader = ui) {
  try {
    return new Intl.DisplayNames(reader, { type: 'language' }).of(language);
  } catch {
    return language;
  }
}

export function setLanguage(element, language) {
  element.lang = language;
  element.dir = direction(language);
}
