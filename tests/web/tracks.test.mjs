import assert from 'node:assert/strict';
import { test } from 'node:test';
import { direction, languageMatch, languageName } from '../../web/languages.js';
import { Tracks } from '../../web/tracks.js';

const LIST = [
  { name: '', target: 'en' },
  { name: 'fr-fast', target: 'fr' },
  { name: 'fr-good', target: 'fr' },
];

const write = (track) => ({ type: 'write', track });

test('the first track is shown unless another is chosen, by name or by language', () => {
  for (const [wanted, chosen] of [[null, 'first'], ['en', 'first'], ['fr-good', 'fr-good'], ['fr', 'fr-fast'], ['FR_ca', 'fr-fast'], ['xx', 'first']]) {
    const tracks = new Tracks(wanted);
    tracks.set(LIST);
    assert.equal(tracks.chosen.name, chosen);
  }
});

test('messages of other tracks are not shown, and messages without a track always are', () => {
  const tracks = new Tracks();
  tracks.set(LIST);
  assert.deepEqual([undefined, 'fr-fast'].map((track) => tracks.shows(write(track))), [true, false]);
  tracks.choose('fr-fast');
  assert.deepEqual([undefined, 'fr-fast', 'fr-good'].map((track) => tracks.shows(write(track))), [false, true, false]);
  for (const type of ['source', 'ready', 'state', 'bye', 'something-new']) assert.ok(tracks.shows({ type }), type);
});

test('a change of a track’s policy updates the track', () => {
  const tracks = new Tracks('fr');
  tracks.set(LIST);
  assert.ok(tracks.shows({ type: 'policy', track: 'fr-fast' }) && !tracks.shows({ type: 'policy' }));
  tracks.change({ model: 'm', policy: 'wait-k:k=9' });
  assert.deepEqual(tracks.chosen, { ...LIST[1], model: 'm', policy: 'wait-k:k=9' });
});

test('without a list of tracks there is one track', () => {
  const tracks = new Tracks('fr');
  assert.deepEqual([tracks.chosen, tracks.shows(write(undefined)), tracks.shows(write('en'))], [null, true, false]);
});

test('a language has a direction and a name', () => {
  for (const language of ['ar', 'he', 'fa-IR', 'ur', 'yi', 'ps', 'az-Arab', 'dv']) assert.equal(direction(language), 'rtl', language);
  for (const language of ['en', 'de-CH', 'az', 'zh-Hant', 'ru']) assert.equal(direction(language), 'ltr', language);
  assert.equal(direction('no language'), 'auto');
  assert.equal(languageName('fr', 'en'), 'French');
  assert.equal(languageName('no language', 'en'), 'no language');
});

test('a language serves a request for another region, and not for another script', () => {
  const same = [['de', 'DE'], ['pt-BR', 'pt_br']];
  const region = [['de', 'de_AT'], ['pt-BR', 'pt'], ['de-CH', 'de-AT'], ['zh-TW', 'zh-Hant']];
  const other = [['de', 'en'], ['zh-Hans', 'zh-Hant'], ['de', ''], ['de', 'x y']];
  for (const [pairs, match] of [[same, 2], [region, 1], [other, 0]]) {
    for (const [offered, requested] of pairs) assert.equal(languageMatch(offered, requested), match, `${offered} ${requested}`);
  }
  assert.equal(direction('ar_EG'), 'rtl');
});
