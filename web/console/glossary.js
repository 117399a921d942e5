// Terms with their translations, as lines of a text: the field `glossary` of the protocol.
//
// A line is "term = translation", a term alone, which is kept as it is, or two columns with a tab, a semicolon or a comma.

const SEPARATORS = [/\t/u, /\s=\s/u, /=/u, /;/u, /,/u];

// Returns the pairs of the terms.
export function readGlossary(text) {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(readLine);
}

function readLine(line) {
  const separator = SEPARATORS.find((one) => one.test(line));
  if (separator === undefined) return [line, line.replace(/(?<=[^*\s])\*(?=\s|$)/gu, '')];
  const at = line.search(separator);
  const rest = line.slice(at).replace(separator, '');
  const columns = separator.source === '\\t' || separator.source === ';' || separator.source === ',';
  return [line.slice(0, at), columns ? rest.split(separator)[0] : rest].map((side) => side.trim());
}

// Returns the first term without a translation, or the translation without a term; undefined if there is none.
export function incomplete(glossary) {
  return glossary.find((pair) => pair.includes(''))?.join('');
}
