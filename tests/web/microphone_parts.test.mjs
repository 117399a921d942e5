// The parts of the console's microphone, without a page.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Resampler } from '../../web/console/resampler.js';
import { SPEECH_SERVERS } from '../../web/console/speech_servers.js';
import { root } from './support/daemon.mjs';

// Returns a second of a tone.
function tone(hertz, rate) {
  return Float32Array.from({ length: rate }, (_, i) => Math.sin((2 * Math.PI * hertz * i) / rate));
}

// Returns the tone at 16 kHz, of pieces as the browser has them, without its ends.
function resampled(hertz, rate) {
  const resampler = new Resampler(rate, 16_000);
  const sound = tone(hertz, rate);
  const pieces = [];
  for (let i = 0; i < sound.length; i += 128) pieces.push(...resampler.push(sound.subarray(i, i + 128)));
  return pieces.slice(500, -500);
}

const loudest = (samples) => Math.max(...samples.map(Math.abs));

test('speech keeps its loudness and pitch at another rate, and what is too high is removed', () => {
  for (const rate of [48_000, 44_100, 16_000, 8_000]) {
    const samples = resampled(440, rate);
    assert.ok(Math.abs(samples.length + 1000 - 16_000) < 100, `${rate}: ${samples.length} samples`);
    assert.ok(Math.abs(loudest(samples) - 1) < 0.02, `${rate}: ${loudest(samples)}`);
    const crossings = samples.filter((sample, i) => i > 0 && sample >= 0 && samples[i - 1] < 0).length;
    assert.ok(Math.abs(crossings / (samples.length / 16_000) - 440) < 3, `${rate}: ${crossings} periods`);
  }
  assert.ok(loudest(resampled(12_000, 48_000)) < 0.01, 'it would sound as 4 kHz');
});

// Returns the connection of a recogniser, and the words that it has sent.
function connect(server) {
  const words = [];
  const speech = SPEECH_SERVERS[server].speech({
    words: (text) => words.push(text),
    endSentence: () => words.push('.'),
    hypothesis: (text, final) => words.push([text, final]),
  });
  return { speech, words };
}

const samples = Int16Array.from([0, 16_384, -32_768]);

test('WhisperLiveKit receives bare samples, or a file of them, and its committed words count', () => {
  const { speech, words } = connect('whisperlivekit');
  assert.equal(speech.ready, false);
  speech.receive('{"type": "config", "useAudioWorklet": true}');
  assert.equal(speech.ready, true);
  assert.deepEqual([...speech.speech(samples)], [0, 0, 0, 64, 0, 128]);
  const line = (text, speaker = 1) => ({ speaker, text, start: '0:00:00', end: '0:00:01' });
  const state = (lines, unstable) => speech.receive(JSON.stringify({ lines, buffer_transcription: unstable, buffer_diarization: '' }));
  state([line(' Guten Mor')], 'gen');
  assert.deepEqual(words.splice(0), ['Guten'], 'a word that may continue waits');
  assert.equal(speech.heard, 'gen');
  state([line(' Guten Morgen.')], ' Wie');
  assert.deepEqual(words.splice(0), ['Morgen.']);
  state([line(' Guten Morgen.'), line(' Wie geht', 2)], '');
  assert.deepEqual(words.splice(0), ['.', 'Wie'], 'another speaker ends the sentence');
  assert.equal(speech.end().length, 0);
  speech.receive('{"type": "ready_to_stop"}');
  assert.deepEqual(words.splice(0), ['geht', '.']);
  assert.equal(speech.done, true);
  speech.close();
  assert.deepEqual(words, []);

  const file = connect('whisperlivekit').speech;
  file.receive('{"type": "config", "useAudioWorklet": false}');
  const first = Buffer.from(file.speech(samples));
  assert.deepEqual([first.length, first.toString('latin1', 0, 4), first.readUInt32LE(24), first.readUInt16LE(34)], [50, 'RIFF', 16_000, 16]);
  assert.equal(file.speech(samples).length, 6, 'the header is sent once');
});

test('a recorded session of WhisperLiveKit gives the words of its log', () => {
  const { speech, words } = connect('whisperlivekit');
  const log = readFileSync(join(root, 'tests/data/recognisers/whisperlivekit.jsonl'), 'utf8').trim().split('\n');
  for (const message of log) speech.receive(message);
  speech.close();
  assert.deepEqual(words.filter((word) => word !== '.'), JSON.parse(log.at(-1)).lines[0].text.trim().split(' '));
});

test('Vosk receives its sample rate and answers each piece', () => {
  const { speech, words } = connect('vosk');
  assert.deepEqual(JSON.parse(speech.opening), { config: { sample_rate: 16_000, words: true } });
  assert.equal(speech.speech(samples), samples);
  speech.receive('{"partial": ""}'); // the configuration, which one of its servers answers
  speech.receive('{"partial": "guten"}');
  assert.equal(speech.heard, 'guten');
  assert.equal(speech.end(), '{"eof" : 1}');
  assert.equal(speech.done, false);
  speech.receive('{"result": [], "text": "guten morgen"}');
  assert.equal(speech.done, true);
  assert.deepEqual(words, [['guten', false], ['guten morgen', true]]);
});

test('sherpa-onnx receives numbers from -1 to 1, and a new segment ends the last one', () => {
  const { speech, words } = connect('sherpa-onnx');
  assert.deepEqual([...speech.speech(samples)], [0, 0.5, -1]);
  speech.receive('{"text": "GUTEN", "segment": 0}');
  speech.receive('{"text": "WIE", "segment": 1}');
  speech.receive('{"text": "WIE GEHT", "segment": 1, "is_final": true}');
  speech.receive('no JSON');
  assert.equal(speech.end(), 'Done');
  speech.receive('Done!');
  assert.equal(speech.done, true);
  assert.deepEqual(words, [['GUTEN', false], ['GUTEN', true], ['WIE', false], ['WIE GEHT', true]]);
});

test('the words of a cut connection count, as the next one does not repeat them', () => {
  const { speech, words } = connect('vosk');
  speech.receive('{"partial": "guten mor"}');
  speech.close();
  assert.deepEqual(words, [['guten mor', false], ['guten mor', true]]);
});

test("the console's command for WhisperLiveKit is that of docs/voice.md", () => {
  const [install, start] = SPEECH_SERVERS.whisperlivekit.command('de').split(' && ');
  const lines = readFileSync(join(root, 'docs/voice.md'), 'utf8').split('\n');
  assert.ok(lines.includes(start), start);
  assert.ok(lines.some((line) => line.startsWith(`${install} `)), install);
});
