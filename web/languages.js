// What a language tag says: the direction of its writing and its name.

const RIGHT_TO_LEFT = ['Adlm', 'Arab', 'Hebr', 'Mand', 'Mend', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa', 'Yezi'];

// `language` is a BCP 47 tag; an unknown one is written as its letters are.
export function direction(language) {
  try {
    return RIGHT_TO_LEFT.includes(new Intl.Locale(language).maximize().script) ? 'rtl' : 'ltr';
  } catch {
    return 'auto';
  }
}

// Its name in the reader's own language.
export function languageName(language, reader = globalThis.navigator?.language) {
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
