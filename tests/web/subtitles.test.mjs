import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Subtitles } from '../../web/subtitles.js';

const source = (sentence, text, taken = 0) => ({ type: 'source', sentence, text, taken });
const write = (sentence, index, text, words) => ({ type: 'write', sentence, index, text, read: words + 1, words, time: 9 });
const complete = (sentence, target) => ({ type: 'sentence', sentence, target });
const ready = (stream) => ({ type: 'ready', channel: 'main', stream });

function applyAll(subtitles, messages) {
  return messages.flatMap((message) => subtitles.apply(message));
}

function joined(changes, kind, sentence) {
  const texts = changes.filter((change) => change.kind === kind && change.sentence === sentence);
  return texts.map((change) => change.text ?? change.words.join(' ')).join(kind === 'source' ? ' ' : '');
}

const talk = [
  source(0, 'Guten Morgen.', 1),
  write(0, 0, 'Good', 1),
  write(0, 1, ' morning.', 2),
  complete(0, 'Good morning.'),
  source(1, 'Wie  geht', 7),
  write(1, 0, 'How', 1),
];

test('a new viewer starts with an empty screen and receives all changes in order', () => {
  assert.deepEqual(applyAll(new Subtitles(), [ready('s-1'), ...talk]), [
    { kind: 'clear' },
    { kind: 'source', sentence: 0, words: ['Guten', 'Morgen.'], taken: 1 },
    { kind: 'read', sentence: 0, words: 1 },
    { kind: 'target', sentence: 0, text: 'Good', read: 2, words: 1, time: 9, index: 0 },
    { kind: 'read', sentence: 0, words: 2 },
    { kind: 'target', sentence: 0, text: ' morning.', read: 3, words: 2, time: 9, index: 1 },
    { kind: 'read', sentence: 0, words: 2 },
    { kind: 'sentence', sentence: 0, text: 'Good morning.' },
    { kind: 'source', sentence: 1, words: ['Wie', 'geht'], taken: 7 },
    { kind: 'read', sentence: 1, words: 1 },
  ]);
});

test('a sentence that ended meanwhile arrives in one piece, and only its rest is shown', () => {
  for (const again of [[ready('s-1')], [{ type: 'catch_up', skipped: 9 }, ready('s-1')]]) {
    const subtitles = new Subtitles();
    const before = applyAll(subtitles, [ready('s-1'), source(0, 'Guten'), write(0, 0, 'Good', 1)]);
    const after = applyAll(subtitles, [
      ...again,
      source(0, 'Guten Morgen.'),
      write(0, 0, 'Good morning.', 2),
      complete(0, 'Good morning.'),
      source(1, 'Wie geht es?'),
      write(1, 0, 'How goes it?', 3),
      complete(1, 'How goes it?'),
    ]);
    const all = [...before, ...after];
    assert.equal(joined(all, 'source', 0), 'Guten Morgen.');
    assert.equal(joined(all, 'target', 0), 'Good morning.');
    assert.equal(joined(all, 'source', 1), 'Wie geht es?');
    assert.equal(joined(all, 'target', 1), 'How goes it?');
  }
});

test('a return to the same stream shows only the missed text', () => {
  const subtitles = new Subtitles();
  const before = applyAll(subtitles, [ready('s-1'), ...talk]);
  const after = applyAll(subtitles, [
    ready('s-1'),
    ...talk,
    source(1, 'es Ihnen?'),
    write(1, 1, ' are', 2),
    write(1, 3, ' you?', 4),
    complete(1, 'How are you?'),
  ]);
  assert.ok(!after.some(({ kind, sentence }) => kind === 'clear' || sentence === 0));
  const all = [...before, ...after];
  assert.equal(joined(all, 'source', 1), 'Wie geht es Ihnen?');
  assert.equal(joined(all, 'target', 1), 'How are you?');
});

test('repeated returns within known text show no text twice', () => {
  const subtitles = new Subtitles();
  applyAll(subtitles, [ready('s-1'), ...talk]);
  assert.deepEqual(applyAll(subtitles, [ready('s-1'), ...talk.slice(0, 2), ready('s-1'), ...talk]), []);
});

test('another stream after a lost connection starts with an empty screen', () => {
  const subtitles = new Subtitles();
  applyAll(subtitles, [ready('s-1'), ...talk]);
  const [first, words] = applyAll(subtitles, [ready('s-2'), source(0, 'Neu')]);
  assert.deepEqual(first, { kind: 'clear' });
  assert.deepEqual(words.words, ['Neu']);
});

test('a stream that has ended is shown again on an empty screen, because `ready` does not name it', () => {
  const subtitles = new Subtitles();
  applyAll(subtitles, [ready('s-1'), ...talk, { type: 'state', sender: false }]);
  const changes = applyAll(subtitles, [ready(undefined), ...talk]);
  assert.deepEqual(changes[0], { kind: 'clear' });
  assert.deepEqual(changes[1].words, ['Guten', 'Morgen.']);
});

test('text of the next sender of a channel follows that of the last one', () => {
  const subtitles = new Subtitles();
  applyAll(subtitles, [ready('s-1'), ...talk]);
  assert.equal(joined(subtitles.apply({ type: 'state', sender: false }), 'target', 1), 'How', 'the last word of the speaker');
  const changes = applyAll(subtitles, [
    { type: 'state', sender: true, stream: 's-2' },
    source(0, 'Danke'),
    write(0, 0, 'Thanks', 1),
    complete(0, 'Thanks'),
  ]);
  assert.ok(!changes.some(({ kind }) => kind === 'clear'));
  assert.deepEqual(changes[0], { kind: 'source', sentence: 2, words: ['Danke'], taken: 0 });
  assert.deepEqual(changes[2], { kind: 'target', sentence: 2, text: 'Thanks', read: 2, words: 1, time: 9, index: 0 });
});

test('messages without text for the screen cause no change', () => {
  const subtitles = new Subtitles();
  applyAll(subtitles, [ready('s-1'), ...talk]);
  for (const type of ['metrics', 'bye', 'error', 'something-new']) {
    assert.deepEqual(subtitles.apply({ type, sentence: 1 }), []);
  }
});

test('the aligned source word of a token follows it', () => {
  const subtitles = new Subtitles();
  const layer = (positions, weights = [1]) => ({ positions, weights });
  const attention = (index, layers, source, from) => ({ type: 'attention', sentence: 0, index, source_from: from, source, layers });
  const changes = applyAll(subtitles, [
    ready('s-1'),
    attention(0, [layer([1]), layer([2])], ['▁Gu', 'ten', '▁Morgen', '</s>'], 0),
    attention(1, [layer([], [0.1, 0.8, 0.1]), layer([], [0.5, 0.3, 0.2])], [], 4),
    attention(2, [layer([3])], [], 4),
    { ...attention(0, [layer([5])], ['▁es'], 5), sentence: 1 }, // the viewer has missed the first tokens
  ]);
  assert.deepEqual(changes.slice(1), [
    { kind: 'aligned', sentence: 0, index: 0, word: 1 },
    { kind: 'aligned', sentence: 0, index: 1, word: 0 },
    { kind: 'aligned', sentence: 0, index: 2, word: 1 },
  ]);
});
