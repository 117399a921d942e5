import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Record } from '../../web/record.js';
import { parseSubtitles } from '../../web/subtitle_file.js';

const target = (sentence, text, seconds) => ({ kind: 'target', sentence, text, time: seconds * 1000 });

function recorded(changes) {
  const record = new Record();
  for (const change of changes) record.apply(change);
  return record;
}

const cues = (record) => parseSubtitles('talk.vtt', record.toWebVtt());

test('a record has a line for each sentence, and cues from the first word on', () => {
  const record = recorded([
    target(0, 'Good', 10),
    target(0, ' morning.', 11),
    { kind: 'read', sentence: 0, words: 2 },
    target(1, 'How are', 14),
    target(1, ' you?', 15),
  ]);
  assert.equal(record.toText(), 'Good morning.\nHow are you?\n');
  const [first, second] = cues(record);
  assert.deepEqual([first.start, first.text], [0, 'Good morning.']);
  assert.ok(first.end > 1 && first.end <= second.start);
  assert.equal(second.text, 'How are you?');
});

test('a long sentence of the past is divided into cues of two lines, in order and without overlap', () => {
  const long = Array.from({ length: 60 }, (_, i) => `word${i}`).join(' ');
  const record = recorded([target(0, 'Before.', 1), target(1, long, 40), target(2, long, 41), target(3, 'After.', 41)]);
  const made = cues(record);
  assert.ok(made.every(({ text }) => text.split('\n').length <= 2 && text.length <= 84));
  for (const [i, cue] of made.entries()) assert.ok(cue.end > cue.start && cue.start >= (made[i - 1]?.end ?? 0), `cue ${i}`);
  assert.equal(made.map(({ text }) => text.replace('\n', ' ')).join(' '), ['Before.', long, long, 'After.'].join(' '));
});

test('another stream of the channel follows the last one in time, and an empty screen is an empty record', () => {
  const record = recorded([target(0, 'One.', 100), target(0, ' Two.', 160), target(1, 'Three.', 2)]);
  const [first, second] = cues(record).slice(-2);
  assert.ok(second.start >= first.start && second.text === 'Three.');
  record.apply({ kind: 'clear' });
  assert.ok(record.isEmpty);
  assert.equal(record.toText(), '');
});

test('markup is text in WebVTT, and long times have hours', () => {
  const record = recorded([target(0, 'Start.', 0), target(1, '<b> & --> x', 3725.5)]);
  assert.match(record.toWebVtt(), /^01:02:0[45]\.\d{3} --> 01:02:\d\d\.\d{3}\n&lt;b&gt; &amp; --&gt; x$/mu);
});
