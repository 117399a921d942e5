import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Origins } from '../../web/origin.js';

const flat = ({ before, aligned, after }) => `${before}[${aligned}]${after}`;

test('the origin of a word has the source words that had been read, the aligned one, and the delay after the last', () => {
  const origins = new Origins();
  origins.add({ sentence: 3, words: ['wie', 'geht'], taken: 100 });
  origins.add({ sentence: 3, words: ['es', 'Ihnen?'], taken: 400 });
  const how = { text: 'How', sentence: 3, read: 5, words: 3, time: 460.4, aligned: 1 };
  assert.equal(flat(origins.tell(how)), '“How” from “wie [geht] es” · 3 words, 5 tokens read · 0.06 s after the last of them');
  assert.equal(
    flat(origins.tell({ ...how, words: 1, read: 1, time: 2400, aligned: 0 })),
    '“How” from “[wie]” · 1 word, 1 token read · 2.3 s after the last of them',
  );
});

test('unknown parts of an origin are left out', () => {
  const origins = new Origins();
  origins.add({ sentence: 0, words: ['wie'] });
  assert.equal(flat(origins.tell({ text: 'x', sentence: 0, read: 1, words: 1, time: 5 })), '“x” from “wie[]” · 1 word, 1 token read');
  assert.equal(flat(origins.tell({ text: 'x', sentence: 9, read: 0, words: 0, time: 5 })), '“x” from “[]” · 0 words, 0 tokens read');
});

test('of a long sentence, the origin has the last words, or those that follow the aligned one', () => {
  const origins = new Origins();
  origins.add({ sentence: 0, words: 'a b c d e f g h i j'.split(' '), taken: 0 });
  const last = { text: 'x', sentence: 0, read: 9, words: 9, time: 0 };
  assert.match(flat(origins.tell(last)), /from “… b c d e f g h i\[\]” · 9 words/u);
  assert.match(flat(origins.tell({ ...last, aligned: 0 })), /from “\[a\] b c d e f g h …” · 9 words/u);
});
