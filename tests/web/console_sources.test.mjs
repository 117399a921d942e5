// The console's sources of words, without a page.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Playback } from '../../web/console/playback.js';
import { Recognition } from '../../web/console/recognition.js';
import { REMARKS, SOUNDS } from '../../web/console/sounds.js';
import { parsePlainText, parseTimedTranscript } from '../../web/console/timed_transcript.js';
import { takeTyped } from '../../web/console/typing.js';
import { root } from './support/daemon.mjs';

test('a space completes a word, and a new line a sentence', () => {
  for (const [text, said, rest] of [
    ['', [], ''],
    ['Gut', [], 'Gut'],
    ['Guten ', [{ text: 'Guten' }], ''],
    ['Guten Morgen, mei', [{ text: 'Guten Morgen,' }], 'mei'],
    ['Guten\n', [{ text: 'Guten' }, { end: true }], ''],
    ['\n', [{ end: true }], ''],
    ['eins zwei\ndrei vier', [{ text: 'eins zwei' }, { end: true }, { text: 'drei' }], 'vier'],
    [' \t ', [], ''],
  ]) {
    assert.deepEqual(takeTyped(text), { said, rest }, JSON.stringify(text));
  }
});

test('the demo talk is parsed like on the command line', () => {
  const content = readFileSync(join(root, 'tests/data/demo/europarl.jsonl'), 'utf8');
  const texts = parseTimedTranscript(content, 'europarl.jsonl', 2.5);
  assert.equal(texts.length, content.trim().split('\n').length);
  assert.deepEqual(texts[0], { time: 0, clock: 0.7, text: 'Als', end: false });
  assert.ok(texts.every(({ time }, i) => i === 0 || time >= texts[i - 1].time));
});

test('a log of WhisperLiveKit is played word by word, in both of its modes', () => {
  const read = (name) => readFileSync(join(root, 'tests/data/recognisers', name), 'utf8');
  const last = read('whisperlivekit.jsonl').trim().split('\n').at(-1);
  const words = JSON.parse(last).lines[0].text.trim().split(' ');
  for (const name of ['whisperlivekit.jsonl', 'whisperlivekit_diff.jsonl']) {
    const texts = parseTimedTranscript(`Connected\n${read(name)}`, name, 2.5);
    assert.deepEqual(texts.map(({ text }) => text), words);
    assert.deepEqual(texts.slice(0, 3).map(({ clock }) => clock), [0.36, 0.72, 2.5]);
    assert.equal(texts.at(-1).clock, 43.56);
    assert.equal(texts.at(-1).end, true);
  }
});

test('in a log of WhisperLiveKit, a silence and another speaker end the sentence, and the unstable end counts', () => {
  const line = (text, start, end, speaker = 1) => ({ speaker, text, start: `0:00:0${start}`, end: `0:00:0${end}` });
  const state = (lines, unstable = '', unassigned = '') =>
    JSON.stringify({ lines, buffer_transcription: unstable, buffer_diarization: unassigned });
  const log = [
    state([line(' a Schalter', 0, 1)]),
    state([line(' a Schalter-Medien', 0, 2)], ' b'),
    state([line(' a Schalter-Medien', 0, 2), line(null, 2, 8, -2), line(' b', 8, 9)], ' c'),
    state([line(' b', 8, 9), line(' c', 9, 9, 2)], ' e', ' d'), // the first line was removed
  ].join('\n');
  const texts = parseTimedTranscript(log, 'log', 2.5).map(({ text, end }) => text + (end ? '.' : ''));
  assert.deepEqual(texts, ['a', 'Schalter-Medien.', 'b.', 'c', 'd', 'e.']);
});

test('plain text has a constant rate of words, and an empty line ends the sentence', () => {
  const texts = parseTimedTranscript('eins zwei\ndrei\n \nvier\n', 'a.txt', 2);
  assert.deepEqual(texts, [
    { time: 0, text: 'eins', end: false },
    { time: 0.5, text: 'zwei', end: false },
    { time: 1, text: 'drei', end: true },
    { time: 1.5, text: 'vier', end: false },
  ]);
  assert.deepEqual(parsePlainText(' \n\n ', 2), []);
});

test('an error in a log is reported with its line', () => {
  for (const [content, problem] of [
    ['', /^a: contains no words$/u],
    ['{"time": 1, "text": "a"}\n{', /^a:2: invalid JSON/u],
    ['{"time": 1, "text": "a"}\n\n{"text": "b"}', /^a:3: field time must be a number/u],
    ['{"time": -1, "text": "a"}', /^a:1: field time/u],
    ['{"time": 1}', /^a:1: field text must be a string$/u],
    ['{"time": 2, "text": "a"}\n{"time": 1, "text": "b"}', /^a:2: time 1 is before the previous line/u],
    ['{"time": 1, "text": "a", "final": false}', /^a:1: hypotheses \(field final\) cannot be replayed/u],
    ['{"time": 1, "text": "a"}\nnull', /^a:2: field text/u],
  ]) {
    assert.throws(() => parseTimedTranscript(content, 'a', 1), { message: problem }, content);
  }
});

test('subtitles are read as what they are', () => {
  const words = (content, name) => parseTimedTranscript(content, name, 2.5).map(({ text, end }) => (end ? `${text}|` : text));
  const srt = '1\n00:00:10,000 --> 00:00:12,000\n<i>Guten</i> {\\an8}Morgen\n\n2\n00:00:13,000 --> 00:00:14,000\n- Danke &\n- Bitte\n';
  assert.deepEqual(parseTimedTranscript(srt, 'a.srt', 2.5).slice(0, 3), [
    { time: 0, clock: 11, text: 'Guten', end: false },
    { time: 1, clock: 12, text: 'Morgen', end: true },
    { time: 2.333, clock: 13.333, text: 'Danke', end: false },
  ]);
  assert.deepEqual(words(srt, 'a.srt'), ['Guten', 'Morgen|', 'Danke', '&|', 'Bitte']);
  const vtt = '\ufeffWEBVTT\n\nNOTE nicht\n\n00:01.000 --> 00:02.000\n<v Anna>eins &amp; <00:01.500><c>zwei</c>\n\n00:03.000 --> 00:04.000\n<v Ben>drei';
  assert.deepEqual(words(vtt, 'a.vtt'), ['eins', '&', 'zwei|', 'drei']);
  assert.deepEqual(words('00:00:01,0 --> 00:00:02,0\neins', 'a'), ['eins']);
  assert.throws(() => parseTimedTranscript('WEBVTT\n', 'a.vtt', 1), { message: 'a.vtt has no subtitles; must be a WebVTT or SRT file' });
  assert.deepEqual(words('1\neins --> zwei', 'a.txt'), ['1', 'eins', '-->', 'zwei']);
});

test('marks of sounds are sentences of their own', () => {
  const words = (content) => parseTimedTranscript(content, 'a', 2.5).map(({ text, end }) => (end ? `${text}|` : text));
  assert.deepEqual(words('Danke. [Leise Musik] Und jetzt'), ['Danke.|', '[Leise Musik]|', 'Und', 'jetzt']);
  assert.deepEqual(words('[Applaus] Kolleg[inn]en [offen'), ['[Applaus]|', 'Kolleg[inn]en', '[offen']);
  assert.deepEqual(words('{"time": 1, "text": "Danke [Applaus]. Guten Tag"}'), ['Danke|', '[Applaus].|', 'Guten Tag']);
  const vtt = (text) => words(`WEBVTT\n\n00:01.000 --> 00:02.000\n${text}`);
  assert.deepEqual(vtt('(Musik)\nja (nein) doch'), ['[Musik]|', 'ja', '(nein)', 'doch']);
  assert.deepEqual(vtt('♪ la la ♪'), ['[♪ la la ♪]|']);
  assert.deepEqual(words('(Musik) Danke. *lacht* Gut (sehr gut) ♪ la la ♪ ja'), [
    '[Musik]|', 'Danke.|', '[lacht]|', 'Gut', '(sehr', 'gut)|', '[♪ la la ♪]|', 'ja',
  ]);
  assert.deepEqual(words('a*b*c (f) {\\an8}eins <unk> ++NOISE++ <i>zwei</i>'), ['a*b*c', '(f)', 'eins', 'zwei']);
});

test('hesitations and labels of speakers are no words', () => {
  const words = (content) => parseTimedTranscript(content, 'a', 2.5).map(({ text, end }) => (end ? `${text}|` : text));
  assert.deepEqual(words('Äh, ich glaube äh. Und ähm, hm ja ehe'), ['ich', 'glaube.', 'Und', 'ja', 'ehe']);
  assert.deepEqual(words('gut >> ja Speaker 2: nein [SPEAKER_01]: doch'), ['gut|', 'ja|', 'nein|', 'doch']);
  assert.deepEqual(words('{"time": 1, "text": ">> gut >>ja"}'), ['gut|', 'ja']);
  assert.deepEqual(words('Der Sprecher sagte: gut'), ['Der', 'Sprecher', 'sagte:', 'gut']);
});

test('the names of sounds are those of the daemon', () => {
  const source = readFileSync(new URL('../../model/text/speech_marks.cpp', import.meta.url), 'utf8');
  const list = (name) => [...new RegExp(`${name} =(.*?);`, 'su').exec(source)[1].matchAll(/"([^"]*)"/gu)].map((found) => found[1]);
  const words = (name) => list(name).join(' ').trim().split(/\s+/u);
  assert.deepEqual([...SOUNDS], [...new Set(words('kSounds'))]);
  assert.deepEqual([...REMARKS], words('kRemarks'));
});

// A clock that the test moves.
class Clock {
  time = 0;
  #timers = new Map();
  #last = 0;
  now = () => this.time;

  setTimeout = (work, ms) => {
    this.#timers.set((this.#last += 1), { work, at: this.time + ms });
    return this.#last;
  };

  clearTimeout = (timer) => this.#timers.delete(timer);

  get waiting() {
    return this.#timers.size;
  }

  pass(ms) {
    const until = this.time + ms;
    for (let due; (due = [...this.#timers].filter(([, { at }]) => at <= until).sort(([, a], [, b]) => a.at - b.at)[0]); ) {
      this.#timers.delete(due[0]);
      this.time = due[1].at;
      due[1].work();
    }
    this.time = until;
  }
}

function player(texts) {
  const [clock, said] = [new Clock(), []];
  const playback = new Playback(({ text }) => said.push(text), clock);
  playback.load(texts.map(([time, text]) => ({ time, text, end: false })));
  return { clock, said, playback };
}

test('a log is played at its times, at any speed, and waits while it is stopped', () => {
  const { clock, said, playback } = player([[0, 'a'], [1, 'b'], [2, 'c'], [6, 'd']]);
  assert.deepEqual(said, []);
  playback.running = true;
  assert.deepEqual(said, ['a']);
  clock.pass(999);
  assert.deepEqual(said, ['a']);
  clock.pass(1);
  assert.deepEqual(said, ['a', 'b']);
  playback.running = false;
  clock.pass(60_000);
  assert.deepEqual([said.length, clock.waiting], [2, 0]);
  playback.running = true;
  clock.pass(999);
  assert.equal(said.length, 2);
  clock.pass(1);
  assert.equal(said.length, 3);
  playback.speed = 4;
  clock.pass(999);
  assert.equal(said.length, 3);
  clock.pass(1);
  assert.deepEqual([said, playback.done, playback.said, playback.total], [['a', 'b', 'c', 'd'], true, 4, 4]);
  playback.rewind();
  assert.deepEqual(said.slice(4), ['a']);
});

test('text that is pasted during playback follows the present text', () => {
  const { clock, said, playback } = player([[0, 'a'], [1, 'b']]);
  playback.running = true;
  playback.append([{ time: 0, text: 'c' }, { time: 1, text: 'd' }], 1);
  clock.pass(2000);
  assert.deepEqual(said, ['a', 'b', 'c']);
  clock.pass(1000);
  assert.deepEqual(said, ['a', 'b', 'c', 'd']);
  clock.pass(5000);
  playback.append([{ time: 0, text: 'e' }], 1);
  assert.deepEqual(said.slice(4), ['e']);
});

// A recogniser of the Web Speech API whose results come from the test.
function recogniser() {
  const sessions = [];
  const clock = new Clock();
  class FakeRecognition {
    started = 0;
    stopped = false;

    constructor() {
      sessions.push(this);
    }

    start() {
      this.started += 1;
    }

    stop() {
      this.stopped = true;
    }

    // `results`: [text, isFinal] of all results so far.
    deliver(...results) {
      this.onresult({ results: results.map(([transcript, isFinal]) => Object.assign([{ transcript }], { isFinal })) });
    }
  }
  const recognition = new Recognition(FakeRecognition, clock);
  const heard = [];
  const problems = [];
  recognition.language = 'de';
  recognition.onHypothesis = (text, final) => heard.push(final ? `${text}|` : text);
  recognition.onProblem = (text) => problems.push(text);
  return { recognition, sessions, clock, heard, problems };
}

test('results of the browser become hypotheses, and final results final ones', () => {
  const { recognition, sessions, heard } = recogniser();
  recognition.running = true;
  const [session] = sessions;
  assert.deepEqual([session.started, session.lang, session.continuous, session.interimResults], [1, 'de', true, true]);
  session.deliver(['guten', false]);
  session.deliver(['guten', false], [' morgen', false]);
  session.deliver(['guten morgen', true]);
  session.deliver(['guten morgen', true], [' wie', false]);
  session.deliver(['guten morgen', true], [' wie geht es', true], [' ja', true], [' und', false]);
  assert.deepEqual(heard, ['guten', 'guten morgen', 'guten morgen|', 'wie', 'wie geht es|', 'ja|', 'und']);
});

test('another session begins when the browser ends one, and the open hypothesis is not lost', () => {
  const { recognition, sessions, clock, heard } = recogniser();
  recognition.running = true;
  sessions[0].deliver(['das war', false]);
  sessions[0].onend();
  assert.deepEqual(heard, ['das war', 'das war|']);
  clock.pass(0);
  assert.equal(sessions.length, 2);
  sessions[1].deliver(['noch nicht', false]);
  assert.equal(heard.at(-1), 'noch nicht');
  sessions[1].onend();
  clock.pass(0);
  sessions[2].onend();
  clock.pass(0);
  assert.equal(sessions.length, 3, 'a session without results is not restarted at once');
  clock.pass(10_000);
  assert.equal(sessions.length, 4);
});

test('a stop delivers the last results, and a start begins another session', async () => {
  const { recognition, sessions, clock, heard } = recogniser();
  recognition.running = true;
  sessions[0].deliver(['bis hier', false]);
  recognition.running = false;
  assert.ok(sessions[0].stopped);
  let silent = false;
  const stopped = recognition.stopped().then(() => (silent = true));
  await Promise.resolve();
  assert.ok(!silent, 'the browser has not delivered all results');
  sessions[0].deliver(['bis hierher', true]);
  sessions[0].onend();
  await stopped;
  assert.deepEqual(heard, ['bis hier', 'bis hierher|']);
  clock.pass(60_000);
  assert.equal(sessions.length, 1);
  recognition.running = true;
  assert.equal(sessions.length, 2);
});

test('a start before the browser has ended the stopped session begins another one afterwards', () => {
  const { recognition, sessions, clock } = recogniser();
  recognition.running = true;
  recognition.running = false;
  recognition.running = true;
  assert.equal(sessions.length, 1);
  sessions[0].onend();
  clock.pass(0);
  assert.equal(sessions.length, 2);
});

test('errors are reported in a sentence; temporary ones do not end the recognition', () => {
  for (const [error, message, again] of [
    ['no-speech', undefined, true],
    ['network', /cannot reach its recogniser/u, true],
    ['not-allowed', /may not use the microphone/u, false],
    ['audio-capture', /no microphone/u, false],
    ['language-not-supported', /this language/u, false],
    ['something-new', /something-new/u, false],
  ]) {
    const { recognition, sessions, clock, problems } = recogniser();
    recognition.running = true;
    sessions[0].onerror({ error });
    sessions[0].onend();
    clock.pass(60_000);
    assert.equal(sessions.length > 1, again, error);
    if (message) assert.match(problems[0], message);
    else assert.deepEqual(problems, []);
  }
});

test('recognition is not offered by a browser without a recogniser', () => {
  assert.equal(new Recognition(undefined).offered, false);
});
