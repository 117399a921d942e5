import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Speech } from '../../web/speech.js';

before(() => {
  globalThis.SpeechSynthesisUtterance = class extends EventTarget {
    constructor(text) {
      super();
      this.text = text;
    }
  };
});

const VOICES = [
  { lang: 'en-GB', name: 'far', localService: false },
  { lang: 'de-DE', name: 'Anna', localService: true },
  { lang: 'en_US', name: 'Sam', localService: true },
];

function speaker(language = 'en') {
  const said = [];
  const problems = [];
  const synthesis = { getVoices: () => VOICES, speak: (utterance) => said.push(utterance), cancel: () => {} };
  const speech = new Speech(synthesis);
  speech.language = language;
  speech.onProblem = (text) => problems.push(text);
  return { speech, said, problems };
}

test('sentences are read only if the viewer wants it, by a local voice of the target language', () => {
  const { speech, said } = speaker();
  speech.say('This is not read.');
  speech.on = true;
  speech.say('Good morning.');
  assert.deepEqual(said.map(({ text, voice, lang }) => [text, voice.name, lang]), [['Good morning.', 'Sam', 'en_US']]);
  speech.on = false;
  speech.say('Nor this.');
  assert.equal(said.length, 1);
});

test('sentences are read one after the other; late ones are left out', () => {
  const { speech, said } = speaker();
  speech.on = true;
  for (const text of ['1', '2', '3', '4', '5']) speech.say(text);
  assert.deepEqual(said.map(({ text }) => text), ['1']);
  said[0].dispatchEvent(new Event('end'));
  said[1].dispatchEvent(new Event('error'));
  said[2].dispatchEvent(new Event('end'));
  assert.deepEqual(said.map(({ text }) => text), ['1', '4', '5']);
  speech.say('6');
  assert.equal(said.at(-1).text, '6');
});

test('a missing voice of the language is reported in a sentence', () => {
  const { speech, said, problems } = speaker('ar');
  speech.on = true;
  speech.say('مرحبا');
  assert.deepEqual(said, []);
  assert.equal(problems.at(-1), 'This device has no voice for Arabic.');
  speech.on = false;
  assert.equal(problems.at(-1), '');
});

test('speech is not offered by a browser without voices', () => {
  assert.equal(new Speech(undefined).offered, false);
});
