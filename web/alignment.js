// The source word that each target token was made from, by the `attention` messages of a sentence.

const WORD_BEGIN = '\u2581';
const SENTENCE_END = '</s>';

export class Alignment {
  #pieces = []; // source tokens

  // Applies a message, and returns the number of the source word, or null if it is unknown.
  apply({ source_from: from, source, layers }) {
    for (const [i, piece] of source.entries()) this.#pieces[from + i] = piece;
    const position = layers.every(({ positions }) => positions.length > 0) ? predicted(layers) : strongest(layers);
    const before = Array.from(this.#pieces.slice(0, position + 1));
    if (position < 0 || before.includes(undefined)) return null; // the viewer arrived within the sentence
    const begun = before.filter((piece, i) => i === 0 || (piece.startsWith(WORD_BEGIN) && piece !== SENTENCE_END));
    return begun.length - 1;
  }
}

function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

// Returns the position that the layers predict, as in GMA.
function predicted(layers) {
  return Math.round(mean(layers.map(({ positions }) => mean(positions))));
}

// Returns the position with the largest attention of all layers, or -1 if there is none.
function strongest(layers) {
  const sums = [];
  for (const { weights } of layers) weights.forEach((weight, i) => { sums[i] = (sums[i] ?? 0) + weight; });
  return sums.indexOf(Math.max(...sums));
}
