// Splits typed text into complete words, and the word that is still being typed.

// Returns {said: [{text} | {end: true}], rest}. White space completes a word, a new line ends the sentence.
export function takeTyped(text) {
  const lines = text.split('\n');
  const last = lines.pop();
  const rest = /\S*$/u.exec(last)[0];
  const words = last.slice(0, last.length - rest.length).trim();
  const said = lines.flatMap((line) => [...(line.trim() === '' ? [] : [{ text: line.trim() }]), { end: true }]);
  return { said: words === '' ? said : [...said, { text: words }], rest };
}
