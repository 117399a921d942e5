import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WholeWords } from '../../web/whole_words.js';

// Returns the released texts after each piece, and after the end.
function released(pieces) {
  const words = new WholeWords();
  const texts = (parts) => parts.map(({ text }) => text).join('|');
  return [...pieces.map((text) => texts(words.push({ text }))), texts(words.end())];
}

test('a word is released by the piece that begins the next one, and by the end', () => {
  assert.deepEqual(released(['A', ' contribu', 'tion', ' of', ' all', '.']), ['', 'A', '', ' contribution', ' of', '', ' all.']);
});

test('a space at the end of a piece releases its word at once', () => {
  assert.deepEqual(released(['contribu', 'tion ', 'of']), ['', 'contribution ', '', 'of']);
  assert.deepEqual(released(['Yes', ' ', 'we']), ['', 'Yes| ', '', 'we']);
});

test('a piece of several words releases all but the last', () => {
  assert.deepEqual(released(['How do', ' you do?']), ['How', ' do| you', ' do?']);
  assert.deepEqual(released(['contribu', 'tion of']), ['', 'contribution', ' of']);
});

test('a word has the fields of its last piece, not of the next word', () => {
  const words = new WholeWords();
  words.push({ text: 'contribu', time: 1 });
  words.push({ text: 'tion', time: 2 });
  assert.deepEqual(words.push({ text: ' of', time: 9 }), [{ text: 'contribution', time: 2 }]);
});

test('scripts without spaces are not held back', () => {
  assert.deepEqual(released(['我们', '今天', '。', '在']), ['我们', '今天', '', '。在', '']);
  assert.deepEqual(released(['สวัสดี', 'ครับ']), ['สวัสดี', 'ครับ', '']);
});
