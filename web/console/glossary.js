// Terms with their translations, as lines of a text: the field `glossary` of the protocol.
//
// A line is "term = translation", a term alone, which is kept as it is, or two columns with a tab, a semicolon or a comma.

// The rules are those of daemon/protocol/glossary.cpp.

import { phrase } from '../strings.js';

const SEPARATORS = [/\t/u, /\s=\s/u, /=/u, /;/u, /,/u];
const MAX_ENTRIES = 500;
const MAX_WORDS = 8; // of a term
const MAX_BYTES = 200; // of a term or a translation
const CONTROL = /[\u0000-\u001f\u007f]/u;

// Returns the pairs of the terms.
export function readGlossary(text) {
  return numbered(text).map(({ pair }) => pair);
}

// Returns the first reason why the daemon would reject the text, as a sentence with the line; '' if there is none.
export function glossaryProblem(text) {
  const entries = numbered(text);
  const wrong = entries.map(({ pair }) => problemOf(pair)).findIndex((problem) => problem !== '');
  if (wrong >= 0) return inLine(entries[wrong], problemOf(entries[wrong].pair));
  return entries.length > MAX_ENTRIES ? inLine(entries[MAX_ENTRIES], phrase('glossary.entries', { max: MAX_ENTRIES })) : '';
}

function inLine({ line }, problem) {
  return phrase('glossary.line', { line, problem });
}

// Returns {line: its number, pair} of the lines that are entries.
function numbered(text) {
  return text
    .split('\n')
    .map((line, i) => ({ line: i + 1, text: line.trim() }))
    .filter((line) => line.text !== '' && !line.text.startsWith('#'))
    .map(({ line, text: entry }) => ({ line, pair: readLine(entry) }));
}

function problemOf([term, translation]) {
  const words = term.split(/\s+/u).length;
  const long = [term, translation].some((side) => new TextEncoder().encode(side).length > MAX_BYTES);
  if (term === '' || translation === '') return phrase('glossary.incomplete', { wrong: term + translation });
  if (words > MAX_WORDS) return phrase('glossary.words', { max: MAX_WORDS, words });
  if (long) return phrase('glossary.bytes', { max: MAX_BYTES });
  if (CONTROL.test(term + translation)) return phrase('glossary.control');
  if (/^[* ]*$/u.test(term)) return phrase('glossary.stars');
  if (/^\**$/u.test(translation) && words > 1) return phrase('glossary.mask', { term });
  return '';
}

function readLine(line) {
  const separator = SEPARATORS.find((one) => one.test(line));
  if (separator === undefined) return [line, line.replace(/(?<=[^*\s])\*(?=\s|$)/gu, '')];
  const at = line.search(separator);
  const rest = line.slice(at).replace(separator, '');
  const columns = separator.source === '\\t' || separator.source === ';' || separator.source === ',';
  return [line.slice(0, at), columns ? rest.split(separator)[0] : rest].map((side) => side.trim());
}
