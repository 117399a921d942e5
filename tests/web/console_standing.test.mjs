// What the console tells its operator, without a page.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Catalogue } from '../../web/console/catalogue.js';
import { delaySteps } from '../../web/console/delay_choice.js';
import { Keeper } from '../../web/console/keeper.js';
import { pauseMark } from '../../web/console/pause_text.js';
import { describeRecogniser } from '../../web/console/recogniser_owner.js';
import { describe } from '../../web/console/standing.js';

const usual = { phase: 'running', problem: '', deadline: null, now: 1000, outbox: { waiting: 2, sent: 3, lag: 100 } };

test('only a stream with a connection and with acknowledgements is green', () => {
  assert.deepEqual(describe(usual), { kind: 'live', text: 'On air', more: '' });
  const late = describe({ ...usual, outbox: { waiting: 0, sent: 1, lag: 7200 } });
  assert.deepEqual(late, { kind: 'warn', text: 'On air, without confirmation', more: 'For 7 s · 1 word kept' });
  for (const phase of ['running', 'paused', 'finishing']) {
    const lost = describe({ ...usual, phase, deadline: 24_001 });
    assert.deepEqual(lost, { kind: 'warn', text: 'No connection', more: 'The daemon waits 24 s more · 5 words kept' });
  }
  assert.match(describe({ ...usual, deadline: 1 }).more, /waits 0 s more/u);
  assert.equal(describe({ ...usual, phase: 'lost', problem: 'x' }).text, 'The stream is lost: x');
});

test("an operator's text for a pause is one mark, without stops and brackets", () => {
  assert.equal(pauseMark(' \n'), '[‖ Pause]');
  assert.equal(pauseMark('[...]'), '[‖ Pause]');
  assert.equal(pauseMark('Pause! Weiter um 15.30 Uhr. [Foyer]'), '[‖ Pause Weiter um 15.30 Uhr Foyer]');
  assert.equal(pauseMark('w '.repeat(50)).split(' ').length, 21);
});

test('the company behind a recogniser of the browser is named, if it is known', () => {
  const label = (agent) => describeRecogniser(true, agent).label;
  assert.equal(label('Mozilla/5.0 Chrome/131.0 Safari/537.36'), 'Speech, recognised by Google');
  assert.equal(label('Mozilla/5.0 Chrome/131.0 Safari/537.36 Edg/131.0'), 'Speech, recognised by Microsoft');
  assert.equal(label('Mozilla/5.0 Version/17.0 Safari/605.1'), 'Speech, recognised by this browser');
  assert.equal(describeRecogniser(false, 'Firefox').label, 'Speech: this browser has no recogniser');
});

test('the slider has the delays that the model was trained for', () => {
  const policy = (name, ...trained) => ({ name, trained_as: trained, parameters: [] });
  const policies = [policy('auto', 'gma', 'wait-k', 'alignatt'), policy('full-sentence', 'full-sentence')];
  const steps = (...trained) => delaySteps(new Catalogue([], policies), { policies: trained }).map((step) => step.policy);
  assert.deepEqual(steps('mma'), []);
  assert.deepEqual(steps('full-sentence'), ['full-sentence']);
  assert.equal(steps('gma')[0], 'auto:lag=2');
  assert.equal(steps('alignatt')[0], 'auto:lag=2');
  assert.equal(steps('wait-k', 'full-sentence').at(-1), 'full-sentence');
});

test('the browser keeps a record for each channel; one that cannot be read or written stops nothing', async () => {
  const items = new Map([['surtitle.session.hall', '{']]);
  const storage = { getItem: (key) => items.get(key) ?? null, setItem: (key, text) => items.set(key, text), removeItem: (key) => items.delete(key) };
  const keeper = new Keeper({ locks: null, storage });
  const problems = [];
  keeper.onProblem = (text) => problems.push(text);
  assert.deepEqual(await keeper.hold('hall'), { session: null, sources: null });
  keeper.write('session', { a: 1 });
  assert.deepEqual(await new Keeper({ locks: null, storage }).hold('hall'), { session: { a: 1 }, sources: null });
  await keeper.hold('main');
  assert.equal(items.size, 0, 'the words continue on the other channel');
  storage.setItem = () => {
    throw new Error('full');
  };
  for (const value of [{ a: 1 }, { a: 2 }]) keeper.write('session', value);
  assert.deepEqual(problems, ['The browser cannot keep words, and a reload would lose those that are not sent: full']);
});
