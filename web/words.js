// Words as the daemon counts them: runs without white space, and each character of a script without spaces, with the
// marks on it and the signs around it. The same rules are in model/text/unspaced.h.

const UNSPACED =
  '\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0edf\u1000-\u109f\u1780-\u17d3\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029' +
  '\u3031-\u303c\u3041-\u309f\u30a1-\u30fa\u30fc-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff' +
  '\uf900-\ufaff\uff66-\uff9f\u{20000}-\u{323af}';
const MARKS =
  '\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059' +
  '\u105e-\u1060\u17b4-\u17d3\u3099\u309a\ufe00-\ufe0f';
const OPENINGS = '(\\[{¡¿«‘“‚„‹「『（【《〈〔［｛〖〘〚｟｢';
const SIGNS =
  '!-\\/:-@\\[-`{-~\u00a1-\u00bf\u2000-\u206f\u3000-\u303f\u30a0\u30fb\ufe10-\ufe6f\uff01-\uff0f\uff1a-\uff20' +
  '\uff3b-\uff40\uff5b-\uff65';
const WIDES =
  '\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6' +
  '\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}';

const one = (classes) => new RegExp(`^[${classes}]$`, 'u');
const ANY_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u');
const [IS_MARK, IS_UNSPACED, IS_OPENING, IS_SIGN, IS_WIDE] = [MARKS, UNSPACED, OPENINGS, SIGNS, WIDES].map(one);
const WIDE_SIGN = /^[\u3000-\u{10ffff}]$/u;

function classOf(character) {
  if (IS_MARK.test(character)) return 'mark';
  if (IS_UNSPACED.test(character)) return 'unspaced';
  if (IS_OPENING.test(character)) return 'opening';
  return IS_SIGN.test(character) ? 'sign' : 'letter';
}

export function splitWords(text) {
  const runs = text.split(/\s+/u).filter((run) => run !== '');
  return runs.flatMap((run) => (ANY_UNSPACED.test(run) ? split(run) : [run]));
}

function split(run) {
  const words = [];
  let last = null; // the class of the word's last letter
  for (const character of run) {
    const its = classOf(character);
    const divides = its === 'unspaced' || (last === 'unspaced' && (its === 'letter' || its === 'opening'));
    if (words.length === 0 || (last !== null && divides)) {
      words.push('');
      last = null;
    }
    words[words.length - 1] += character;
    if (its === 'letter' || its === 'unspaced') last = its;
  }
  return words;
}

// Returns '' or ' ', the text between two words or texts that are joined.
export function spaceBetween(text, next) {
  const joins = (character) => {
    const its = classOf(character);
    return its === 'unspaced' || its === 'mark' || (its !== 'letter' && WIDE_SIGN.test(character));
  };
  if (text === '' || next === '') return '';
  return joins([...text.slice(-2)].at(-1)) && joins([...next.slice(0, 2)][0]) ? '' : ' ';
}

export function joinWords(words) {
  return words.reduce((text, word) => text + spaceBetween(text, word) + word, '');
}

// Returns the columns that a text needs: two for each wide character.
export function width(text) {
  return [...text].reduce((sum, character) => sum + (IS_MARK.test(character) ? 0 : IS_WIDE.test(character) ? 2 : 1), 0);
}
