import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PAUSE } from '../../web/pause.js';
import { describe, pauseText } from '../../web/status.js';
import { format } from '../../web/metrics.js';

test('the state describes the connection, the speaker and the last error', () => {
  const text = (phase, more = {}) => describe({ connection: { phase, seconds: 4 }, sender: false, problem: '', ...more });
  assert.deepEqual(text('connecting'), { kind: 'wait', text: 'Connecting' });
  const again = { connection: { phase: 'connecting', again: true }, sender: false };
  assert.deepEqual(describe({ ...again, problem: '' }), { kind: 'lost', text: 'No connection · trying again' });
  assert.equal(describe({ ...again, problem: 'all places are taken' }).text, 'all places are taken · trying again');
  assert.deepEqual(text('open'), { kind: 'wait', text: 'Waiting for a speaker' });
  assert.deepEqual(text('open', { ended: true }), { kind: 'wait', text: 'The talk has ended' });
  assert.deepEqual(text('open', { sender: true }), { kind: 'live', text: 'Live' });
  assert.deepEqual(text('waiting', { sender: true }), { kind: 'lost', text: 'No connection · next try in 4 s' });
  assert.equal(text('waiting', { problem: 'all 9 places are taken' }).text, 'all 9 places are taken · next try in 4 s');
});

test("an operator's pause is shown with its text until other words come", () => {
  const pause = pauseText({ type: 'sentence', source: '[‖ Weiter um 15:00]' }, null);
  assert.equal(pause, 'Weiter um 15:00');
  assert.equal(pauseText({ type: 'viewers' }, pause), pause);
  assert.equal(pauseText({ type: 'source', text: 'Und' }, pause), null);
  assert.equal(pauseText({ type: 'sentence', source: '[Applaus]' }, pause), null);
  const open = { connection: { phase: 'open' }, problem: '', pause };
  assert.deepEqual(describe({ ...open, sender: true }), { kind: 'wait', text: 'Paused · Weiter um 15:00' });
  assert.equal(describe({ ...open, sender: false }).text, 'Waiting for a speaker');
  assert.equal(describe({ ...open, sender: true, pause: PAUSE }).text, 'Paused');
  assert.equal(describe({ ...open, sender: true, interrupted: true }).text, 'Paused · Weiter um 15:00');
});

test('an interruption is shown while the stream waits for its sender', () => {
  const open = { connection: { phase: 'open' }, problem: '', interrupted: true };
  assert.deepEqual(describe({ ...open, sender: true }), { kind: 'wait', text: 'Interrupted' });
  assert.equal(describe({ ...open, sender: false }).text, 'Waiting for a speaker');
});

test('a metric without a value is a dash', () => {
  assert.equal(format(2.345, 1), '2.3');
  assert.equal(format(0, 2), '0.00');
  assert.equal(format(null, 1), '–');
});
