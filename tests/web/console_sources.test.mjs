// The console's sources of words, without a page.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Playback } from '../../web/console/playback.js';
import { Recognition } from '../../web/console/recognition.js';
import { parsePlainText, parseTimedTranscript } from '../../web/console/timed_transcript.js';
import { takeTyped } from '../../web/console/typing.js';
import { root } from './support/daemon.mjs';

test('a word is complete with the space behind it, a sentence with a new line', () => {
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

test('the demo talk is read as the command line reads it', () => {
  const content = readFileSync(join(root, 'tests/data/demo/europarl.jsonl'), 'utf8');
  const texts = parseTimedTranscript(content, 'europarl.jsonl', 2.5);
  assert.equal(texts.length, content.trim().split('\n').length);
  assert.deepEqual(texts[0], { time: 0, clock: 0.7, text: 'Als', end: false });
  assert.ok(texts.every(({ time }, i) => i === 0 || time >= texts[i - 1].time));
});

test('in plain text the words come at a pace, and an empty line ends the sentence', () => {
  const texts = parseTimedTranscript('eins zwei\ndrei\n \nvier\n', 'a.txt', 2);
  assert.deepEqual(texts, [
    { time: 0, text: 'eins', end: false },
    { time: 0.5, text: 'zwei', end: false },
    { time: 1, text: 'drei', end: true },
    { time: 1.5, text: 'vier', end: false },
  ]);
  assert.deepEqual(parsePlainText(' \n\n ', 2), []);
});

test('what is wrong with a log is told with its place', () => {
  for (const [content, problem] of [
    ['', /^a: there is no word in it$/u],
    ['{"time": 1, "text": "a"}\n{', /^a:2: this is no JSON/u],
    ['{"time": 1, "text": "a"}\n\n{"text": "b"}', /^a:3: field time must be a number/u],
    ['{"time": -1, "text": "a"}', /^a:1: field time/u],
    ['{"time": 1}', /^a:1: field text must be a text$/u],
    ['{"time": 2, "text": "a"}\n{"time": 1, "text": "b"}', /^a:2: time 1 lies before the line above/u],
    ['{"time": 1, "text": "a", "final": false}', /^a:1: hypotheses \(field final\) cannot be replayed/u],
    ['{"time": 1, "text": "a"}\nnull', /^a:2: field text/u],
  ]) {
    assert.throws(() => parseTimedTranscript(content, 'a', 1), { message: problem }, content);
  }
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

test('a log is said at its times, at any speed, and waits where it is stopped', () => {
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

test('what is pasted while something is said comes behind it', () => {
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

// The Web Speech API's recogniser, whose results are the test's.
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

    // [text, isFinal] of all results so far
    tell(...results) {
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

test('what the browser hears becomes hypotheses, and a final one each time it is sure', () => {
  const { recognition, sessions, heard } = recogniser();
  recognition.running = true;
  const [session] = sessions;
  assert.deepEqual([session.started, session.lang, session.continuous, session.interimResults], [1, 'de', true, true]);
  session.tell(['guten', false]);
  session.tell(['guten', false], [' morgen', false]);
  session.tell(['guten morgen', true]);
  session.tell(['guten morgen', true], [' wie', false]);
  session.tell(['guten morgen', true], [' wie geht es', true], [' ja', true], [' und', false]);
  assert.deepEqual(heard, ['guten', 'guten morgen', 'guten morgen|', 'wie', 'wie geht es|', 'ja|', 'und']);
});

test('where the browser ends its session another one begins, and the tail is not lost', () => {
  const { recognition, sessions, clock, heard } = recogniser();
  recognition.running = true;
  sessions[0].tell(['das war', false]);
  sessions[0].onend();
  assert.deepEqual(heard, ['das war', 'das war|']);
  clock.pass(0);
  assert.equal(sessions.length, 2);
  sessions[1].tell(['noch nicht', false]);
  assert.equal(heard.at(-1), 'noch nicht');
  sessions[1].onend();
  clock.pass(0);
  sessions[2].onend();
  clock.pass(0);
  assert.equal(sessions.length, 3, 'not at once again where nothing was heard');
  clock.pass(10_000);
  assert.equal(sessions.length, 4);
});

test('a stop tells what was heard, and a start begins again', async () => {
  const { recognition, sessions, clock, heard } = recogniser();
  recognition.running = true;
  sessions[0].tell(['bis hier', false]);
  recognition.running = false;
  assert.ok(sessions[0].stopped);
  let silent = false;
  const stopped = recognition.stopped().then(() => (silent = true));
  await Promise.resolve();
  assert.ok(!silent, 'the browser has not told all');
  sessions[0].tell(['bis hierher', true]);
  sessions[0].onend();
  await stopped;
  assert.deepEqual(heard, ['bis hier', 'bis hierher|']);
  clock.pass(60_000);
  assert.equal(sessions.length, 1);
  recognition.running = true;
  assert.equal(sessions.length, 2);
});

test('a stop and a start before the browser has ended its session', () => {
  const { recognition, sessions, clock } = recogniser();
  recognition.running = true;
  recognition.running = false;
  recognition.running = true;
  assert.equal(sessions.length, 1);
  sessions[0].onend();
  clock.pass(0);
  assert.equal(sessions.length, 2);
});

test('errors are told in a sentence; those that pass do not end it', () => {
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

test('a browser without a recogniser has none', () => {
  assert.equal(new Recognition(undefined).offered, false);
});
