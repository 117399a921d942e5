// Direction of writing and name of a language, from its tag.

const RIGHT_TO_LEFT = ['Adlm', 'Arab', 'Hebr', 'Mand', 'Mend', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa', 'Yezi'];

// `language` is a BCP 47 tag. Returns 'auto' if it is invalid: the direction then depends on the letters.
export function direction(language) {
  try {
    return RIGHT_TO_LEFT.includes(new Intl.Locale(language).maximize().script) ? 'rtl' : 'ltr';
  } catch {
    return 'auto';
  }
}

// Returns the name of a language in the reader's own language, or the tag if it is unknown.
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
