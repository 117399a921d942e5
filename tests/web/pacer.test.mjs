import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pacer } from '../../web/pacer.js';

// A clock that the test moves.
class Clock {
  time = 1000;
  #timers = new Map();
  #next = 1;
  now = () => this.time;
  setTimeout = (work, ms) => {
    this.#timers.set((this.#next += 1), { work, at: this.time + ms });
    return this.#next;
  };
  clearTimeout = (timer) => this.#timers.delete(timer);

  turn(ms) {
    const end = this.time + ms;
    for (;;) {
      const due = [...this.#timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at)[0];
      if (!due) break;
      this.#timers.delete(due[0]);
      this.time = due[1].at;
      due[1].work();
    }
    this.time = end;
  }
}

const target = (text, sentence = 0) => ({ kind: 'target', sentence, text });

function pacer({ pace = 10, hold = 0, room = 20 } = {}) {
  const clock = new Clock();
  const shown = [];
  const made = new Pacer((change, delay) => shown.push([change.text ?? change.kind, clock.time - 1000, delay]), { clock });
  made.set({ pace, hold, room });
  return { clock, shown, pacer: made };
}

test('without a pace everything is shown at once', () => {
  const { shown, pacer: paced } = pacer({ pace: 0 });
  for (let i = 0; i < 50; i += 1) paced.push(target('0123456789'));
  assert.equal(shown.length, 50);
  assert.ok(shown.every(([, , delay]) => delay === 0));
});

test('text that arrives no faster than it is read does not wait', () => {
  const { clock, shown, pacer: paced } = pacer();
  for (let i = 0; i < 30; i += 1) {
    paced.push(target('12345'));
    clock.turn(500);
  }
  assert.deepEqual(new Set(shown.map(([, , delay]) => delay)), new Set([0]));
});

test('a burst fills the room; the rest is shown as text is read', () => {
  const { clock, shown, pacer: paced } = pacer();
  for (const text of ['aaaaaaaaaa', 'bbbbbbbbbb', 'cccccccccc', 'ddddd']) paced.push(target(text));
  clock.turn(10_000);
  assert.deepEqual(shown, [
    ['aaaaaaaaaa', 0, 0],
    ['bbbbbbbbbb', 0, 0],
    ['cccccccccc', 1000, 1000],
    ['ddddd', 1500, 1500],
  ]);
  paced.push(target('eeeee'));
  assert.deepEqual(shown.at(-1), ['eeeee', 10_000, 0], 'a pause ends the delay');
});

test('a text larger than the room waits only until everything before it is read', () => {
  const { clock, shown, pacer: paced } = pacer();
  paced.push(target('a'.repeat(10)));
  paced.push(target('b'.repeat(50)));
  paced.push(target('c'));
  clock.turn(60_000);
  assert.deepEqual(shown.map(([text, at]) => [text[0], at]), [['a', 0], ['b', 1000], ['c', 4100]]);
});

test('a short sentence is shown for its minimum time', () => {
  const { clock, shown, pacer: paced } = pacer({ hold: 2, room: 10 });
  paced.push(target('Ja.', 0));
  paced.push(target('Nein.', 1));
  paced.push(target('Doch!', 2));
  clock.turn(60_000);
  // The sentences are read from 0, 2000 and 4000 ms. The room is 10 characters, or one second, ahead of the reader.
  assert.deepEqual(shown.map(([, at]) => at), [0, 1500, 3500]);
});

test('changes of the translation keep their order, and the source does not wait', () => {
  const { clock, shown, pacer: paced } = pacer();
  paced.push(target('a'.repeat(20)));
  paced.push(target('b'.repeat(20)));
  paced.push({ kind: 'read', sentence: 0, words: 2 });
  paced.push({ kind: 'source', sentence: 0, words: ['x'] });
  paced.push({ kind: 'sentence', sentence: 0 });
  assert.deepEqual(shown.map(([what]) => what[0]), ['a', 's']);
  clock.turn(2000);
  assert.deepEqual(shown.map(([what]) => what).slice(2), ['b'.repeat(20), 'read', 'sentence']);
});

test('`clear` drops waiting text, and without a pace all waiting text is shown', () => {
  const { shown, pacer: paced } = pacer();
  for (const text of ['a', 'b', 'c']) paced.push(target(text.repeat(20)));
  paced.push({ kind: 'clear' });
  assert.deepEqual(shown.map(([what]) => what[0]), ['a', 'c'], 'waiting text is dropped');
  paced.push(target('d'.repeat(20)));
  paced.push(target('e'.repeat(20)));
  paced.set({ pace: 0, hold: 0, room: 20 });
  assert.deepEqual(shown.map(([what]) => what[0]), ['a', 'c', 'd', 'e']);
});
