// Tells marks of sounds, such as [Applaus], from the words around them. The daemon shows a sentence that is a mark without
// translating it.

const MARK = /(?<!\S)(\[[^[\]]{1,80}\][.,!?:;]?)(?!\S)/u;

// Returns the parts of a text, [{text, mark}]: what is between the marks, and each mark.
export function splitMarks(text) {
  const parts = text.split(MARK).map((part, i) => ({ text: part.trim(), mark: i % 2 === 1 }));
  return parts.filter((part) => part.text !== '');
}

// The same, with each word as a part of its own.
export function splitWords(text) {
  const words = (part) => (part.mark ? [part] : part.text.split(/\s+/u).map((word) => ({ text: word, mark: false })));
  return splitMarks(text).flatMap(words);
}

// Ends the sentence before each mark and after it. Returns the texts without `mark`.
export function endAtMarks(texts) {
  return texts.map(({ mark, ...timed }, i) => ({ ...timed, end: timed.end || mark || Boolean(texts[i + 1]?.mark) }));
}
