// The sentences and tables that the Inside view makes from messages.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Steps, tableOf } from '../../web/inside_steps.js';

const ready = { type: 'ready', stream: 's', tracks: [{ name: '', target: 'en', model: 'm', policy: 'gma:delta=1' }] };
const source = (text, taken, sentence = 0) => ({ type: 'source', sentence, text, taken });
const write = (index, text, read, words, time, more = {}) => ({ type: 'write', sentence: 0, index, text, read, words, time, ...more });

function attention(index, target, read, from, pieces, layers) {
  return { type: 'attention', sentence: 0, index, target, read, source_from: from, source: pieces, layers };
}

function stepsOf(...messages) {
  const steps = new Steps();
  for (const message of messages) steps.take(message);
  return steps;
}

const shown = () =>
  stepsOf(
    ready,
    source('Guten Tag', 100),
    write(0, 'Good', 2, 1, 130),
    attention(0, '\u2581Good', 2, 0, ['\u2581Gute', 'n', '\u2581Tag'], [
      { weights: [0.5, 0.5], positions: [0.5] },
      { weights: [1], positions: [0, 1] },
    ]),
    source('auch.', 300),
    write(1, ' day', 4, 2, 350),
    attention(1, '\u2581day', 4, 3, ['\u2581auch', '.'], [
      { weights: [0, 0, 0.25, 0.75], positions: [2.5] },
      { weights: [0, 0, 1, 0], positions: [2, 3] },
    ]),
  );

test('a stream with attention is a table of tokens', () => {
  const { unit, columns, rows, layers } = tableOf(shown().track('').last);
  assert.equal(unit, 'tokens');
  assert.equal(layers, 2);
  assert.deepEqual(columns.map(({ label, begins }) => `${begins ? '' : '+'}${label}`), ['Gute', '+n', 'Tag', 'auch', '+.']);
  assert.deepEqual(rows.map(({ label, read }) => [label, read]), [['Good', 2], ['day', 4]]);
  assert.deepEqual(rows.map(({ weights }) => weights), [[0.75, 0.25], [0, 0, 0.625, 0.375]], 'the mean of the layers');
  assert.deepEqual(rows[0].positions, [0.5, 0, 1], 'those of all layers');
});

test('one layer can be chosen', () => {
  const { rows } = tableOf(shown().track('').last, 1);
  assert.deepEqual(rows.map(({ weights, positions }) => [weights, positions]), [[[1], [0, 1]], [[0, 0, 1, 0], [2, 3]]]);
});

test('delays are measured from the last source word that a step needed', () => {
  assert.deepEqual(shown().track('').last.steps.map(({ delay }) => delay), [30, 250]);
  assert.deepEqual(shown().track('').points.map(({ time, delay }) => [time, delay]), [[130, 30], [350, 250]]);
});

test('a stream without attention is a table of words', () => {
  const steps = stepsOf(ready, source('Guten Tag auch.', 100), write(0, 'Good', 2, 1, 130), write(2, ' day', 5, 3, 150));
  const { unit, columns, rows, layers } = tableOf(steps.track('').last);
  assert.equal(unit, 'words');
  assert.equal(layers, 0);
  assert.deepEqual(columns.map(({ label }) => label), ['Guten', 'Tag', 'auch.']);
  assert.deepEqual(rows.map(({ label, read, weights }) => [label, read, weights]), [['Good', 1, null], ['day', 3, null]]);
});

test('a viewer that arrives within a sentence sees a question mark for each token that it has not received', () => {
  const steps = stepsOf(ready, write(0, 'Good', 2, 1, 130), attention(1, '\u2581day', 4, 3, ['\u2581auch'], [{ weights: [0, 0, 0, 1], positions: [] }]));
  const { columns, rows } = tableOf(steps.track('').last);
  assert.deepEqual(columns.map(({ label }) => label), ['?', '?', '?', 'auch']);
  assert.deepEqual(rows.map(({ label, weights }) => [label, weights]), [['Good', null], ['day', [0, 0, 0, 1]]]);
});

test('messages that are repeated after a lost connection have no effect', () => {
  const steps = shown();
  const before = JSON.stringify(tableOf(steps.track('').last));
  for (const message of [ready, source('Guten Tag', 100), source('auch.', 300), write(0, 'Good', 2, 1, 130), write(1, ' day', 4, 2, 350)]) {
    steps.take(message);
  }
  assert.equal(JSON.stringify(tableOf(steps.track('').last)), before);
  assert.deepEqual(steps.track('').last.words.map(({ text }) => text), ['Guten', 'Tag', 'auch.']);
  assert.equal(steps.track('').points.length, 2);
});

test('a finished sentence of the backlog, which is one write, is not shown', () => {
  const metrics = { words: { al: 1, ap: 0.5, dal: 1, cw: 1 }, tokens: {} };
  const steps = stepsOf(ready, source('Guten Tag.', 5), write(1, 'Good day.', 3, 2, 20),
    { type: 'sentence', sentence: 0, source: 'Guten Tag.', target: 'Good day.', metrics });
  assert.equal(steps.track('').last, null);
});

test('tracks are kept apart, and another stream replaces all of them', () => {
  const steps = shown();
  steps.take(write(0, 'Bon', 2, 1, 140, { track: 'fr' }));
  assert.equal(steps.track('fr').last.steps[0].text, 'Bon');
  assert.equal(steps.track('').last.steps[0].text, 'Good');
  steps.take({ type: 'state', sender: true, stream: 't', tracks: [{ name: '', target: 'fr', model: 'n', policy: 'p' }] });
  assert.equal(steps.track('').last, null);
  assert.deepEqual(steps.tracks, [{ name: '', label: 'first · fr · n · p' }]);
});

test('scores come from metrics, and those of the whole sentence at its end', () => {
  const steps = shown();
  steps.take({ type: 'metrics', sentence: 0, al: 1, ap: 0.5, dal: 2, cw: null, stream: { al: 3, ap: 0.6, dal: 4, cw: 1, sentences: 2 } });
  steps.take({ type: 'sentence', sentence: 0, source: '', target: 'Good day', metrics: { words: { al: 2, ap: 0.7, dal: 3, cw: 1 }, tokens: {} } });
  const track = steps.track('');
  assert.deepEqual(track.points.slice(-2).map(({ time, scores }) => [time, scores.al]), [[350, 1], [350, 2]]);
  assert.equal(track.mean.dal, 4);
  assert.equal(track.last.complete, true);
});

test('tokens of a dictionary that marks the ends of words are recognised', () => {
  const steps = stepsOf(ready, attention(0, 'good\u2581', 2, 0, ['gu', 'ten\u2581', 'tag\u2581', '</s>'], [{ weights: [1, 0], positions: [] }]));
  const { columns } = tableOf(steps.track('').last);
  assert.deepEqual(columns.map(({ label, begins }) => [label, begins]), [['gu', true], ['ten', false], ['tag', true], ['</s>', true]]);
});
