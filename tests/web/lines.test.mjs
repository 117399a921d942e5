import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineBreaker } from '../../web/lines.js';

// Every character has width 1.
function breaker(width = 20, reserve = 3) {
  return new LineBreaker({ width, reserve, measure: (text) => text.length });
}

// Returns the lines of the pieces, with '-' at the end of a line that is broken within a word.
function lines(breaker, pieces) {
  const made = [];
  for (const part of pieces.flatMap((piece) => breaker.place(piece))) {
    if (part.broken) made[made.length - 1] += '-';
    if (part.line) made.push('');
    made[made.length - 1] += part.text;
  }
  return made;
}

test('words fill a line until the next one does not fit', () => {
  const text = ['We', ' must', ' ask', ' ourselves', ' what', ' role'];
  assert.deepEqual(lines(breaker(), text), ['We must ask', 'ourselves what', 'role']);
});

test('a word that would leave too little space in a line begins the next one', () => {
  assert.deepEqual(lines(breaker(20, 3), ['0123456789 0123', ' ab']), ['0123456789 0123', 'ab']);
  assert.deepEqual(lines(breaker(20, 2), ['0123456789 0123', ' ab']), ['0123456789 0123 ab']);
});

test('a word that grows beyond its line is broken, and no text moves', () => {
  assert.deepEqual(lines(breaker(), ['we need', ' inter', 'national', 'isation', ' now']), [
    'we need inter-',
    'nationalisation',
    'now',
  ]);
});

test('punctuation after a word never begins a line', () => {
  assert.deepEqual(lines(breaker(), ['0123456789012345', '6789', '.', '”', ' Yes']), ['01234567890123456789.”', 'Yes']);
});

test('a word longer than a line is broken into several lines', () => {
  const long = 'x'.repeat(47);
  assert.deepEqual(lines(breaker(), ['so', ` ${long}`, ' it is']), ['so', `${'x'.repeat(20)}-`, `${'x'.repeat(20)}-`, 'xxxxxxx it is']);
});

test('characters outside the basic plane are not cut in two', () => {
  const parts = lines(breaker(21), ['🎭'.repeat(30)]).map((line) => line.replace(/-$/u, ''));
  assert.equal(parts.join(''), '🎭'.repeat(30));
  assert.ok(parts.every((part) => part.isWellFormed?.() ?? !/[\ud800-\udbff]$/.test(part)));
});

test('a piece that is only a space begins a word', () => {
  assert.deepEqual(lines(breaker(), ['We', ' ', 'must', ' ', ' ask']), ['We must ask']);
});

test('a sentence begins a new line', () => {
  const placed = breaker();
  assert.deepEqual(lines(placed, ['Yes', '. ']), ['Yes.']);
  placed.endLine();
  assert.deepEqual(placed.place('No'), [{ text: 'No', line: true, word: true, broken: false }]);
});

test('a piece of several words is placed word by word', () => {
  assert.deepEqual(lines(breaker(), ['one two  three four five']), ['one two three', 'four five']);
});
