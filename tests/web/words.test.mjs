// The cases are those of tests/model/text/unspaced_test.cpp.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Record } from '../../web/record.js';
import { joinWords, splitWords, spaceBetween, width } from '../../web/words.js';
import { splitForLimits } from '../../web/wire.js';

test('a character of a script without spaces is a word, with its signs', () => {
  assert.deepEqual(splitWords('今天，很好。「真的」吗？'), ['今', '天，', '很', '好。', '「真', '的」', '吗？']);
  assert.deepEqual(splitWords('私は スピーチ'), ['私', 'は', 'ス', 'ピ', 'ー', 'チ']);
  assert.deepEqual(splitWords('ที่นี่ ดี'), ['ที่', 'นี่', 'ดี']);
  assert.deepEqual(splitWords('约3.5米, iPhone15的(新)机'), ['约', '3.5', '米,', 'iPhone15', '的', '(新)', '机']);
  assert.deepEqual(splitWords('。。 （ 好'), ['。。', '（', '好']);
  const others = ["don't", '(well-known)', '«Où?»', '—', '안녕하세요,', 'мир!'];
  assert.deepEqual(splitWords(` ${others.join(' ')} `), others);
  assert.deepEqual(splitWords(' \n'), []);
});

test('words of such scripts are joined without a space', () => {
  const joined = [['好。', '明'], ['好', '（新'], ['ที่', 'นี่'], ['', 'a']];
  const spaced = [['好', 'OK'], ['OK', '好'], ['안녕', '하세요']];
  for (const pair of joined) assert.equal(spaceBetween(...pair), '', pair);
  for (const pair of spaced) assert.equal(spaceBetween(...pair), ' ', pair);
  assert.equal(joinWords(splitWords('今天，很 好。A b')), '今天，很好。 A b');
});

test('a long text without spaces is sent in several messages', () => {
  const texts = splitForLimits('今天很好。'.repeat(10), { message_bytes: 10000, queued_words: 16 });
  assert.deepEqual(texts.map((text) => splitWords(text).length), [16, 16, 8]);
  assert.equal(texts.join(''), '今天很好。'.repeat(10));
});

test('wide characters need two columns', () => {
  assert.deepEqual(['Où?', '今天。', '안녕', 'ที่'].map(width), [3, 6, 4, 1]);
});

test('a record divides text without spaces at its width, with no stop at the begin of a line', () => {
  const record = new Record();
  for (let i = 0; i < 10; i += 1) record.apply({ kind: 'target', sentence: 0, text: '今天很好。', time: i });
  assert.equal(record.toText(), `${'今天很好。'.repeat(10)}\n`);
  assert.match(record.toWebVtt(), /\n(今天很好。){4}今\n天很好。/u); // 42 columns
  assert.doesNotMatch(record.toWebVtt(), /^。/mu);
});
