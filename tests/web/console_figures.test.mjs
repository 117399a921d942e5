// The console's numbers, without a page.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Catalogue, range } from '../../web/console/catalogue.js';
import { Delays, quantile } from '../../web/console/delays.js';
import { milliseconds, signed } from '../../web/console/numbers.js';
import { Sentences } from '../../web/console/sentences.js';

const source = (sentence, text, taken) => ({ type: 'source', sentence, text, taken });
const write = (sentence, words, time, more) => ({ type: 'write', sentence, words, time, text: 'x', ...more });

function last(delays, time = 0) {
  return delays.standing(time).last;
}

test('the delay of a write is measured from the last word that it needed', () => {
  const delays = new Delays();
  delays.apply(source(0, 'Guten Morgen', 100));
  delays.apply(source(0, 'meine', 400));
  delays.apply(write(0, 1, 410));
  assert.equal(last(delays), 310);
  delays.apply(write(0, 3, 450));
  assert.equal(last(delays), 50);
  delays.apply(write(0, 0, 460));
  assert.equal(last(delays), 360, 'a write before any word needed the first');
  delays.apply(write(7, 1, 500));
  assert.equal(last(delays), 360, 'a write of an unknown sentence does not count');
});

test('the delay of a write that needed the end of its sentence is measured from that end', () => {
  const delays = new Delays(2);
  delays.apply(source(0, 'Guten Morgen', 100));
  delays.ended(900);
  delays.apply(write(0, 2, 950));
  assert.equal(last(delays), 50);
  delays.apply(write(0, 1, 960));
  assert.equal(last(delays), 860, 'this write did not need the end');
  delays.apply(source(1, 'Und jetzt', 2000));
  delays.apply(write(1, 2, 2010));
  assert.equal(last(delays), 10, 'the end before the sentence is not its own');
  delays.apply(write(1, 2, 4020));
  assert.equal(last(delays), 20, 'two seconds of silence ended it');
});

test('the delays of the last minute have a median and a 95th percentile', () => {
  const delays = new Delays();
  delays.apply(source(0, 'a', 0));
  delays.apply(write(0, 1, 500));
  delays.apply(source(1, 'a', 60_000));
  for (let i = 1; i <= 100; i += 1) delays.apply(write(1, 1, 60_000 + i));
  assert.deepEqual(delays.standing(60_600), { last: 100, p50: 50, p95: 95 });
  assert.deepEqual(delays.standing(200_000), { last: 100, p50: null, p95: null });
  assert.deepEqual(new Delays().standing(0), { last: null, p50: null, p95: null });
  assert.deepEqual([quantile([], 0.5), quantile([3], 0.95), quantile([1, 2], 0.5)], [null, 3, 1]);
});

const sentence = (number, al, more) => ({ type: 'sentence', sentence: number, target: 'xy', metrics: { words: { al } }, ...more });
const SECOND = { track: 'second' };

test('two tracks of a sentence share a row, with their difference when both are complete', () => {
  const sentences = new Sentences();
  sentences.apply(source(0, 'Guten', 0));
  sentences.apply(source(0, 'Morgen', 10));
  sentences.apply(write(0, 1, 20));
  sentences.apply(write(0, 2, 30));
  sentences.apply({ type: 'metrics', sentence: 0, al: 1.5 });
  let row = sentences.apply(write(0, 2, 35, SECOND));
  assert.deepEqual([row.source, row.tracks.get('').text, row.tracks.get('').al], ['Guten Morgen', 'xx', 1.5]);
  assert.deepEqual(row.tracks.get('').first, { words: 1, time: 20 });
  sentences.apply(sentence(0, 3, SECOND));
  assert.equal(row.difference, null);
  row = sentences.apply(sentence(0, 2));
  assert.deepEqual(row.difference, { al: -1, words: -1, ms: -15 });
  assert.equal(row.tracks.get('').text, 'xy');
  assert.deepEqual(sentences.mean, { sentences: 1, al: -1, words: -1, ms: -15 });

  for (const more of [{}, SECOND]) sentences.apply(write(1, 4, 50, more));
  sentences.apply(sentence(1, 4));
  sentences.apply(sentence(1, 2, SECOND));
  assert.deepEqual(sentences.mean, { sentences: 2, al: 0.5, words: -0.5, ms: -7.5 });
});

test('a sentence that one track does not translate has no difference', () => {
  const sentences = new Sentences();
  sentences.apply(write(0, 1, 20));
  sentences.apply(sentence(0, 1));
  sentences.apply(sentence(0, null, SECOND));
  assert.equal(sentences.mean.sentences, 0);
  assert.equal(sentences.mean.al, null);
  assert.equal(sentences.apply({ type: 'ack', seq: 1 }), null);
});

const CATALOGUE = new Catalogue(
  [
    { name: 'a', source: 'de', target: 'en', policies: ['gma'], default_policy: 'gma' },
    { name: 'b', source: 'de', target: 'en', policies: ['wait-k', 'full-sentence'], default_policy: 'wait-k:k=3' },
    { name: 'c', source: 'de', target: 'fr', policies: ['gma'], default_policy: 'gma' },
  ],
  [
    { name: 'gma', trained_as: ['gma'], parameters: [{ name: 'delta', default: 1 }] },
    { name: 'wait-k', trained_as: ['wait-k'], parameters: [{ name: 'k', default: 3 }, { name: 'catchup', default: 0 }] },
    { name: 'local-agreement', trained_as: ['full-sentence'], parameters: [] },
  ],
);

test('a policy is parsed and written in the daemon’s syntax', () => {
  for (const spec of ['gma:delta=1', 'gma:delta=0.5', 'wait-k:k=3', 'wait-k:k=5,catchup=0.25', 'local-agreement']) {
    assert.equal(CATALOGUE.write(CATALOGUE.parse(spec)), spec);
  }
  assert.equal(CATALOGUE.write(CATALOGUE.parse('gma')), 'gma:delta=1');
  assert.equal(CATALOGUE.write(CATALOGUE.parse('wait-k:other=2')), 'wait-k:k=3');
  assert.equal(CATALOGUE.parse('nothing:k=1'), null);
});

test('languages are offered once, and policies by what a model was trained for', () => {
  assert.deepEqual(CATALOGUE.languages, [{ source: 'de', target: 'en' }, { source: 'de', target: 'fr' }]);
  assert.deepEqual(CATALOGUE.modelsFor({ source: 'de', target: 'en' }).map(({ name }) => name), ['a', 'b']);
  const several = new Catalogue([{ name: 'd', source: 'en', target: 'fr', targets: ['fr', 'it'] }], []);
  assert.deepEqual(several.languages, [{ source: 'en', target: 'fr' }, { source: 'en', target: 'it' }]);
  assert.deepEqual(several.modelsFor({ source: 'en', target: 'it' }).map(({ name }) => name), ['d']);
  const suits = (model, policy) => CATALOGUE.suits(CATALOGUE.model(model), CATALOGUE.policy(policy));
  assert.deepEqual([suits('a', 'gma'), suits('a', 'wait-k'), suits('b', 'local-agreement')], [true, false, true]);
});

test('a control covers the usual values, and its number field all allowed values', () => {
  assert.deepEqual(range({ minimum: 0, usual_maximum: 6, step: 0.25 }), { low: 0, usual: 6, high: null, step: 0.25 });
  assert.deepEqual(range({ exclusiveMinimum: 0, exclusiveMaximum: 1, usual_maximum: 0.95, step: 0.05 }), { low: 0.05, usual: 0.95, high: 0.95, step: 0.05 });
  assert.equal(range({ exclusiveMinimum: 0, maximum: 100, usual_maximum: 12, step: 0.5 }).high, 100);
});

test('numbers are written with their sign and unit', () => {
  assert.deepEqual([signed(1.25, 1), signed(-0.5, 1), signed(-0.04, 1), signed(12, 0)], ['+1.3', '−0.5', '0.0', '+12']);
  assert.deepEqual([milliseconds(null), milliseconds(3.14), milliseconds(120.4)], ['–', '3.1 ms', '120 ms']);
});
