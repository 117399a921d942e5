// The operator's console in a real browser.
//
// Most tests use a real daemon, whose scripted translation is the source in capitals. The others use a fake daemon, for
// messages that the real one cannot send here.

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { audit } from './support/axe.mjs';
import { launch, Viewer } from './support/browser.mjs';
import { closeRest, forget, remember } from './support/cleanup.mjs';
import { Daemon } from './support/daemon.mjs';
import { FakeDaemon } from './support/fake_daemon.mjs';
import { Proxy } from './support/proxy.mjs';
import { witness } from './support/witness.mjs';

const DESK = { width: 1280, height: 800 };
const SMALL = { width: 800, height: 900 };

let browser;

before(async () => {
  browser = await launch();
});

afterEach(closeRest);

after(() => browser?.close());

async function scripted(options) {
  const daemon = await Daemon.scripted(options);
  remember(daemon, async () => assert.equal(await daemon.stop(), 0));
  return daemon;
}

// The console of a daemon, ready to start.
async function open(daemon, { query = '', ...options } = {}) {
  const console = await Viewer.open(browser, daemon, { viewport: DESK, query: `console${query}`, ...options });
  await console.shows('#state', 'Not started');
  return console;
}

// The same, with the settings for experts.
async function openExpert(daemon, options) {
  const console = await open(daemon, options);
  await console.page.click('#expert summary');
  return console;
}

async function start(console) {
  await console.page.click('#start');
  await console.shows('#state', 'On air');
}

function type(console, text) {
  return console.page.locator('#typed').pressSequentially(text);
}

// Waits until the last sentence has these cells: the source words, then each translation.
async function reads(console, ...cells) {
  await console.page.waitForFunction(
    (expected) => {
      const row = [...document.querySelectorAll('#scroll tbody tr')].at(-1);
      const shown = [row?.querySelector('.said'), ...(row?.querySelectorAll('.text') ?? [])].map((cell) => cell?.textContent);
      return JSON.stringify(shown) === JSON.stringify(expected);
    },
    cells,
  );
}

async function noticed(console, text) {
  await console.shows('#notices p', text);
}

test('typed words become subtitles one by one, and Enter ends the sentence', async () => {
  const daemon = await scripted();
  const console = await open(daemon);
  const viewer = await Viewer.open(browser, daemon);
  await start(console);
  await viewer.shows('#state', 'Live');
  await type(console, 'Guten Mor');
  await viewer.reads('#source', 'Guten');
  assert.equal(await console.page.inputValue('#typed'), 'Mor');
  await type(console, 'gen ihr ');
  await viewer.reads('#target', 'GUTEN MORG');
  await reads(console, 'Guten Morgen ihr', 'GUTEN MORGEN IHR');
  await type(console, 'alle\nUnd ');
  await viewer.shows('#spoken', 'GUTEN MORGEN IHR ALLE');
  await reads(console, 'Und', 'UND');
  await console.shows('[data-figure="viewers"]', '1');
  await type(console, 'noch');
  await console.page.click('#end-sentence');
  await viewer.shows('#spoken', 'UND NOCH');
  await type(console, 'etwas');
  await console.page.click('#finish');
  await viewer.shows('#spoken', 'ETWAS');
  await console.shows('#state', 'Finished');
  await viewer.shows('#state', 'The talk has ended');
  for (const close of [console, viewer]) await close.close();
});

test('words typed in a pause or before the start are kept and sent afterwards', async () => {
  const daemon = await scripted();
  const console = await open(daemon);
  await type(console, 'Vorher gesagt. ');
  await console.shows('#kept', '2 words kept, to be sent with the next Start: … Vorher gesagt.');
  await start(console);
  await reads(console, 'Vorher gesagt.', 'VORHER GESAGT.');
  await console.page.click('#pause');
  await console.shows('#state', 'Paused');
  await noticed(console, 'Paused: new words are kept until you resume.');
  await type(console, 'In der Pause. ');
  await console.shows('#kept', '3 words kept, to be sent when you resume: … In der Pause.');
  await reads(console, '[‖ Pause]', '[pause]');
  await console.page.getByRole('button', { name: 'Resume' }).click();
  await reads(console, 'In der Pause.', 'IN DER PAUSE.');
  await console.page.locator('#kept').filter({ hasText: /^$/u }).waitFor({ state: 'attached' });
  await console.page.click('#pause');
  await type(console, 'Und das Ende ');
  await console.page.click('#finish');
  await console.shows('#state', 'Finished');
  await reads(console, 'Und das Ende', 'UND DAS ENDE');
  await console.close();
});

function paste(console, text) {
  return console.page.locator('#typed').evaluate((field, content) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', content);
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

test('pasted text is sent at once, or word by word', async () => {
  const daemon = await scripted();
  const console = await open(daemon, { clock: true });
  await start(console);
  await console.page.selectOption('#paste-rate', '0');
  await paste(console, 'Alles auf einmal\n\nund gleich. Ja');
  await reads(console, 'Ja', 'JA');
  assert.deepEqual(await console.page.locator('#scroll .said').allTextContents(), ['Alles auf einmal', 'und gleich.', 'Ja']);
  await console.page.click('#end-sentence');
  await console.page.selectOption('#paste-rate', '4');
  await paste(console, 'hier steht ein Satz');
  await reads(console, 'hier', 'HIER');
  await console.shows('#pasted', '3 words left');
  await console.page.clock.runFor(250);
  await reads(console, 'hier steht', 'HIER STEHT');
  await console.page.click('#pause');
  await console.page.clock.runFor(5000);
  await console.shows('#pasted', '2 words left');
  await console.page.click('#pause');
  await console.page.clock.runFor(250);
  await reads(console, 'hier steht ein', 'HIER STEHT EIN');
  await console.page.click('#drop-paste');
  await console.page.locator('#drop-paste').waitFor({ state: 'hidden' });
  await console.page.click('#finish');
  await console.shows('#state', 'Finished');
  await console.close();
});

const LOG = [[10, 'Als'], [11, 'erstes'], [15, 'bitte.']].map(([time, text]) => JSON.stringify({ time, text })).join('\n');

function file(name, text) {
  return { name, mimeType: 'text/plain', buffer: Buffer.from(text) };
}

test('a log is played at its times or faster, and waits in a pause', async () => {
  const daemon = await scripted();
  const console = await open(daemon, { clock: true });
  await console.page.check('input[value="log"]');
  await console.page.setInputFiles('#log', file('talk.jsonl', LOG));
  await console.shows('#played', '0 of 3 played');
  await start(console);
  await reads(console, 'Als', 'ALS');
  await console.page.clock.runFor(1000);
  await reads(console, 'Als erstes', 'ALS ERSTES');
  await console.page.click('#pause');
  await console.page.clock.runFor(60_000);
  await console.shows('#played', '2 of 3 played');
  await console.page.fill('#speed', '4');
  await console.page.locator('#speed').dispatchEvent('change');
  await console.page.click('#pause');
  await console.page.clock.runFor(1000);
  await reads(console, 'Als erstes bitte.', 'ALS ERSTES BITTE.');
  await console.shows('#played', '3 of 3 played; finished');
  await console.page.setInputFiles('#log', file('wrong.jsonl', '{"time": 1}'));
  await noticed(console, 'wrong.jsonl:1: field text must be a string');
  await console.page.click('#finish');
  await console.shows('#state', 'Finished');
  const transcript = await fetch(`${daemon.url}v1/channels/main/transcript.json`);
  assert.match(await transcript.text(), /"begin":10,"end":15,"target":"ALS ERSTES BITTE\."/u);
  await console.close();
});

// Runs in the page: replaces the browser's recogniser by one that the test controls.
function fakeRecogniser() {
  window.sessions = [];
  class FakeRecognition {
    start() {
      window.sessions.push(this);
    }

    stop() {
      this.onend();
    }

    deliver(...results) {
      this.onresult({ results: results.map(([transcript, isFinal]) => Object.assign([{ transcript }], { isFinal })) });
    }
  }
  window.SpeechRecognition = FakeRecognition;
}

function recognise(console, ...results) {
  return console.page.evaluate((all) => window.sessions.at(-1).deliver(...all), results);
}

test("the browser's recogniser is a source; its revisions are shown and not applied", async () => {
  const daemon = await scripted();
  const console = await openExpert(daemon, { watch: fakeRecogniser });
  await console.page.fill('[name="agreement"]', '1');
  await console.page.check('input[value="speech"]');
  assert.equal(await console.page.evaluate(() => window.sessions.length), 0, 'recognition does not run before the start');
  await start(console);
  await console.shows('#listening', 'Listening');
  assert.equal(await console.page.evaluate(() => window.sessions[0].lang), 'de');
  await recognise(console, ['das ist', false]);
  await reads(console, 'das', 'DAS');
  await console.shows('#heard', 'das ist');
  await recognise(console, ['dass ist gut', true]);
  await reads(console, 'das ist gut', 'DAS IST GUT');
  await console.shows('#revisions', 'Sentence 1: das, now recognised as dass');
  await console.shows('#revision-count', '1; committed words stay');

  await recognise(console, ['dass ist gut', true], ['und noch', false]);
  await reads(console, 'und', 'UND');
  await console.page.click('#pause');
  await console.shows('#listening', 'Not listening');
  await console.shows('#kept', '2 words kept, to be sent when you resume: … und noch');
  await console.page.click('#pause');
  await reads(console, 'und noch', 'UND NOCH');
  await recognise(console, ['das Ende', false]);
  await reads(console, 'das', 'DAS');
  await console.page.click('#finish');
  await console.shows('#state', 'Finished');
  await reads(console, 'das Ende', 'DAS ENDE');
  await console.close();
});

test('a browser without a recogniser is reported beside the choice', async () => {
  const daemon = await scripted();
  const watch = () => {
    delete window.SpeechRecognition;
    delete window.webkitSpeechRecognition;
  };
  const console = await open(daemon, { watch });
  await console.shows('#sources', 'Speech: this browser has no recogniser');
  assert.ok(await console.page.isDisabled('input[value="speech"]'));
  await console.close();
});

test('model and policy change while the stream runs, from the next sentence on', async () => {
  const daemon = await scripted({ models: 'de-en-gma,de-en-multipath' });
  const console = await openExpert(daemon);
  const field = (name) => `[data-track=""] [data-field="${name}"]`;
  await console.shows(field('origin'), 'Licence: MIT. Origin: https://example.org/de-en-gma.');
  await start(console);
  await console.shows(field('holds'), 'In force: de-en-gma · gma:delta=1');
  await type(console, 'Ein Satz ');
  await reads(console, 'Ein Satz', 'EIN SATZ');
  await console.page.locator(`${field('parameters')} input[type="range"]`).fill('2.5');
  await console.shows(field('holds'), 'In force from sentence 2 on: de-en-gma · gma:delta=2.5');
  await console.page.selectOption(field('model'), 'de-en-multipath');
  await noticed(console, 'de-en-multipath · wait-k:k=3 from sentence 2 on.');
  assert.equal(await console.page.getAttribute(`${field('origin')} a`, 'href'), 'https://example.org/de-en-multipath');
  assert.equal(await console.page.inputValue(field('policy')), 'wait-k');
  await console.page.fill(`${field('parameters')} input[type="number"] >> nth=0`, '2');
  await console.page.locator(`${field('parameters')} input[type="number"] >> nth=0`).dispatchEvent('change');
  await noticed(console, 'de-en-multipath · wait-k:k=2 from sentence 2 on.');
  await type(console, 'ist da. Noch ein ');
  await console.shows('#scroll tr:nth-child(2) .notes', 'de-en-multipath · wait-k:k=2');
  await reads(console, 'Noch ein', 'NOCH');
  assert.deepEqual(await console.page.locator(`${field('policy')} option`).allTextContents(), ['wait-k', 'full-sentence', 'local-agreement', 'alignatt', 'auto']);
  await console.page.check('[name="untrained"]');
  await console.page.selectOption(field('policy'), 'gma');
  await console.shows('#trained', 'de-en-multipath was trained for wait-k, full-sentence, not for gma.');
  await console.shows('#tracks h3', 'de-en-multipath · gma:delta=1');
  await console.page.click('#finish');
  await console.shows('#state', 'Finished');
  await console.close();
});

test('licence and origin are those of the chosen model', async () => {
  const daemon = await scripted({ models: 'de-en-gma,de-en-gma-small' });
  const console = await openExpert(daemon);
  await console.page.selectOption('[data-track=""] [data-field="model"]', 'de-en-gma-small');
  await console.shows('[data-track=""] [data-field="origin"]', 'Licence: MIT. Origin: https://example.org/de-en-gma-small.');
  await console.close();
});

test('a slider with a single delay chooses it at each of its places', async () => {
  const daemon = await scripted({ models: 'de-en-gma,de-en-whole' });
  const console = await openExpert(daemon);
  await console.page.selectOption('[data-track=""] [data-field="model"]', 'de-en-whole');
  const slider = console.page.locator('[name="delay"]');
  for (const place of ['1', '0']) {
    await slider.fill(place);
    await console.shows('#delay-means', 'Each sentence is translated when it has ended.');
  }
  await start(console);
  await console.shows('[data-track=""] [data-field="holds"]', 'de-en-whole · full-sentence');
  await console.close();
});

test('a parameter that is not allowed is not sent, and its field is marked invalid', async () => {
  const daemon = await scripted();
  const console = await openExpert(daemon);
  await start(console);
  const number = console.page.locator('[data-track=""] input[type="number"]');
  await number.fill('-1');
  await number.dispatchEvent('change');
  assert.ok(await number.evaluate((field) => !field.validity.valid));
  await number.fill('8.5');
  await number.dispatchEvent('change');
  await noticed(console, 'gma:delta=8.5');
  assert.doesNotMatch(await console.page.textContent('#notices'), /delta=-1/u);
  await console.close();
});

test('two translations are shown side by side, with the difference of their lag', async () => {
  const daemon = await scripted({ models: 'de-en-gma,de-en-multipath' });
  const console = await openExpert(daemon);
  await console.page.check('[name="compare"]');
  await console.page.locator('[data-track="second"] input[type="number"] >> nth=0').fill('4');
  await console.page.locator('[data-track="second"] input[type="number"] >> nth=0').dispatchEvent('change');
  await start(console);
  await type(console, 'Wir alle sind hier ');
  await reads(console, 'Wir alle sind hier', 'WIR ALLE SIND HIER', 'WIR');
  await type(console, 'und bleiben.\n');
  await reads(console, 'Wir alle sind hier und bleiben.', 'WIR ALLE SIND HIER UND BLEIBEN.', 'WIR ALLE SIND HIER UND BLEIBEN.');
  const ahead = /^First minus second: AL (−\d\.\d), first write −\d words, [−+]?\d+ ms$/u;
  await console.shows('#scroll .difference', ahead);
  const [, al] = ahead.exec(await console.page.textContent('#scroll .difference'));
  await console.shows('#difference', 'mean of 1 sentence');
  await console.shows('#difference [data-figure="al"]', `${al} words`);
  await console.shows('#difference [data-figure="words"]', /^−\d/u);
  assert.equal(await console.page.locator('#tracks .metrics').count(), 2);
  for (const i of [0, 1]) await console.shows(`#tracks .metrics >> nth=${i} >> [data-metric="al"] .value`, /^\d/u);
  await console.page.locator('[data-track="second"] input[type="range"] >> nth=0').fill('6');
  await noticed(console, 'Second translation: de-en-multipath · wait-k:k=6 from sentence 2 on.');
  await console.page.click('#finish');
  await console.shows('#state', 'Finished');
  await console.close();
});

test('a lost connection is reported and the stream continues: console and viewer show each word once', async () => {
  const daemon = await scripted();
  const proxy = await Proxy.start(daemon);
  const viewer = await Viewer.open(browser, proxy, { watch: witness });
  const console = await open(proxy);
  await start(console);
  await type(console, 'Eins und zwei. Dort ');
  await reads(console, 'Dort', 'DORT');
  proxy.reset();
  await noticed(console, 'Connection lost; words are kept until the console has reconnected.');
  await type(console, 'und vier. Auch ');
  await noticed(console, 'Reconnected; the stream continues.');
  await reads(console, 'Auch', 'AUCH');
  proxy.reset();
  await type(console, 'und sechs. ');
  await console.page.click('#finish');
  await console.shows('#state', 'Finished');
  await viewer.reads('#target', 'AUCH UND SECHS.');
  assert.deepEqual(await viewer.lines('#target'), ['EINS UND ZWEI.', 'DORT UND VIER.', 'AUCH UND SECHS.']);
  assert.deepEqual(await viewer.lines('#source'), ['Eins und zwei.', 'Dort und vier.', 'Auch und sechs.']);
  const said = await console.page.locator('#scroll tbody tr .said').allTextContents();
  assert.deepEqual(said, ['Eins und zwei.', 'Dort und vier.', 'Auch und sechs.']);
  const seen = await viewer.page.evaluate(() => window.witness);
  assert.deepEqual([seen.moved, seen.lost, seen.changed], [[], [], []]);
  await viewer.close({ expected: /WebSocket connection|net::/u });
  await console.close({ expected: /WebSocket connection|net::/u });
});

test('a lost stream is reported, unacknowledged words are kept, and Start works again', async () => {
  const daemon = await scripted({ flags: ['--resume-timeout', '0.5'] });
  const console = await open(daemon);
  await start(console);
  await type(console, 'Das kam an. ');
  await reads(console, 'Das kam an.', 'DAS KAM AN.');
  forget(daemon);
  await daemon.stop('SIGKILL');
  await console.shows('#state', 'The stream is lost: no connection to the daemon');
  await noticed(console, '0 words kept for the next Start');
  await type(console, 'Das noch nicht. ');
  await console.shows('#kept', '3 words kept, to be sent with the next Start: … Das noch nicht.');
  await console.page.click('#start');
  await console.shows('#state', 'Not started: no connection to the daemon');
  await console.shows('#kept', '3 words kept');
  const again = await scripted({ port: daemon.port });
  await start(console);
  await reads(console, 'Das noch nicht.', 'DAS NOCH NICHT.');
  await console.page.click('#finish');
  await console.shows('#state', 'Finished');
  assert.equal(again.port, daemon.port);
  await console.close({ expected: /ERR_CONNECTION|WebSocket/u });
});

test('a channel with a sender cannot be started, and another one can be chosen', async () => {
  const daemon = await scripted();
  const [first, second] = [await open(daemon), await open(daemon, { query: '?channel=hall' })];
  await start(first);
  assert.equal(await second.page.inputValue('[name="channel"]'), 'hall');
  assert.equal(await second.page.getAttribute('#to-viewer', 'href'), 'c/hall');
  assert.equal(await second.page.getAttribute('#to-inside', 'href'), 'inside?channel=hall');
  await second.page.fill('[name="channel"]', 'main');
  await second.page.locator('[name="channel"]').blur();
  await second.shows('#state', 'Another sender is on air on this channel');
  assert.ok(await second.page.isDisabled('#start'));
  await second.page.fill('[name="channel"]', 'a b');
  await second.page.locator('[name="channel"]').blur();
  await second.page.click('#start');
  await second.shows('#state', 'Not started');
  await second.page.fill('[name="channel"]', 'hall');
  await start(second);
  assert.equal(await second.page.getAttribute('[data-transcript="srt"]', 'href'), 'v1/channels/hall/transcript.srt');
  for (const console of [first, second]) await console.close();
});

test('choices are remembered', async () => {
  const daemon = await scripted({ models: 'de-en-gma,de-en-multipath,de-fr-gma' });
  const console = await openExpert(daemon);
  await console.page.fill('[name="channel"]', 'hall');
  await console.page.fill('[name="agreement"]', '3');
  await console.page.selectOption('[name="form"]', 'spoken');
  await console.page.check('[name="compare"]');
  await console.page.selectOption('[data-track=""] [data-field="policy"]', 'auto');
  await console.page.locator('[data-track=""] input[type="range"]').fill('4.5');
  await console.page.check('[name="attention"]');
  await console.page.check('input[value="log"]');
  await console.page.selectOption('#theme', 'cream');
  await console.page.reload();
  await console.shows('#state', 'Not started');
  const values = await console.page.evaluate(() => [
    ...['[name="channel"]', '[name="agreement"]', '[name="form"]', '[data-track=""] input[type="number"]'].map((selector) => document.querySelector(selector).value),
    document.querySelector('input[value="log"]').checked,
    document.querySelector('[name="attention"]').checked,
    document.documentElement.dataset.theme,
  ]);
  assert.deepEqual(values, ['hall', '3', 'spoken', '4.5', true, true, 'cream']);
  await start(console);
  await console.shows('[data-track=""] [data-field="holds"]', 'In force: de-en-gma · auto:lag=4.5');
  await console.shows('[data-track="second"] [data-field="holds"]', 'In force: de-en-multipath · wait-k:k=3');
  await console.page.click('#finish');
  await console.shows('#state', 'Finished');
  await console.page.selectOption('[name="languages"]', { label: 'German to French' });
  assert.deepEqual(await console.page.locator('[data-track=""] [data-field="model"] option').allTextContents(), ['de-fr-gma']);
  await console.close();
});

const LIMITS = { message_bytes: 65536, queued_words: 2000, silence_seconds: 0 };
const TRACK = { name: '', target: 'en', model: 'm', policy: 'gma:delta=1' };
const GMA = {
  name: 'gma',
  meaning: 'waits',
  trained_as: ['gma'],
  parameters: [{ name: 'delta', type: 'number', minimum: 0, default: 1, usual_maximum: 6, step: 0.25 }],
};

// A console on a fake daemon. `send` sends a message to the console, `end` closes its connection, `received` are the
// console's messages so far, and `receives` waits for one.
async function fake(prepare = () => {}) {
  const ready = { type: 'ready', stream: 's', channel: 'main', model: 'm', policy: TRACK.policy, warnings: ['policy gma: a test'], limits: LIMITS, tracks: [TRACK] };
  const models = [{ name: 'm', source: 'de', target: 'en', policies: ['gma'], default_policy: 'gma' }];
  const daemon = await FakeDaemon.start(({ sends }) => (sends ? [ready] : []), { models, files: { '/v1/policies': JSON.stringify([GMA]) } });
  const console = await openExpert(daemon);
  await prepare(console.page);
  await start(console);
  const viewer = daemon.viewers.find(({ sends }) => sends);
  return { console, send: (message) => viewer.send(message), end: () => viewer.end(), received: viewer.received, receives: viewer.receives };
}

test('`start` has the choices of the form', async () => {
  const { console, receives } = await fake(async (page) => {
    await page.check('[name="compare"]');
    await page.check('[name="attention"]');
    await page.fill('[name="agreement"]', '4');
    await page.selectOption('[name="form"]', 'spoken');
  });
  await console.shows('[data-track=""] [data-field="origin"]', 'Licence: not known. Origin: not known.');
  const choice = { model: 'm', policy: 'gma:delta=1' };
  assert.deepEqual(await receives('start'), {
    type: 'start',
    source: 'de',
    target: 'en',
    ...choice,
    channel: 'main',
    title: '',
    speaker: '',
    agreement: 4,
    source_form: 'spoken',
    attention: true,
    tracks: [{ name: 'second', ...choice }],
    echo: true,
  });
  await console.close();
});

test('warnings, notices and changes for a lag are shown; a refused change is taken back', async () => {
  const { console, send, receives } = await fake();
  await noticed(console, 'Warning: policy gma: a test.');
  const number = console.page.locator('[data-track=""] input[type="number"]');
  await number.fill('3');
  await number.dispatchEvent('change');
  assert.deepEqual(await receives('configure'), { type: 'configure', model: 'm', policy: 'gma:delta=3' });
  send({ type: 'error', code: 'not-configured', message: 'configure: no.' });
  await noticed(console, 'configure: no.');
  assert.equal(await number.inputValue(), '1');
  send({ type: 'policy', sentence: 4, model: 'm', policy: 'gma:delta=1.5', by_lag: true });
  await noticed(console, 'm · gma:delta=1.5 from sentence 5 on, to hold the lag.');
  await console.shows('[data-track=""] [data-field="holds"]', 'In force from sentence 5 on: m · gma:delta=1 as gma:delta=1.5');
  send({ type: 'viewers', viewers: 12 });
  await console.shows('[data-figure="viewers"]', '12');
  send({ type: 'revision', sentence: 0, committed: '<b>so</b>', heard: '' });
  await console.shows('#revisions', 'Sentence 1: <b>so</b>, now recognised as nothing');
  await console.close();
});

test('write delays are shown, and unacknowledged words are counted', async () => {
  const { console, send } = await fake();
  await type(console, 'Guten Morgen ');
  await console.shows('[data-figure="sent"]', '2 words');
  send({ type: 'source', sentence: 0, text: 'Guten', taken: 100 });
  send({ type: 'write', sentence: 0, index: 0, text: 'Good', read: 1, words: 1, time: 120 });
  await console.shows('[data-figure="last"]', '20 ms');
  send({ type: 'write', sentence: 0, index: 1, text: ' morning', read: 1, words: 1, time: 340 });
  await console.shows('[data-figure="last"]', '240 ms');
  await console.shows('[data-figure="recent"]', '20 ms · 240 ms');
  send({ type: 'ack', seq: 1 });
  await console.shows('[data-figure="sent"]', '1 word');
  await console.shows('[data-figure="lag"]', 'ms');
  await console.close();
});

test('words that the model left out are in the notices', async () => {
  const { console, send } = await fake();
  const scores = { al: null, laal: null, ap: null, dal: null, cw: null, atd: null, yaal: null, long_yaal: null };
  const metrics = { words: scores, tokens: scores };
  send({ type: 'source', sentence: 0, text: 'Guten Morgen liebe', taken: 100 });
  send({ type: 'sentence', sentence: 0, source: 'Guten Morgen liebe', target: 'Good', untranslated: 1, metrics });
  await noticed(console, 'Sentence 1: the model left out 1 word.');
  await console.close();
});

test('the end of a stream by the daemon is shown with its reason, and unacknowledged words are kept', async () => {
  const { console, send, end } = await fake();
  await type(console, 'Guten ');
  await console.shows('[data-figure="sent"]', '1 word');
  send({ type: 'error', code: 'sentence-too-long', message: 'a notice' });
  send({ type: 'error', code: 'internal', message: 'the model broke' });
  await noticed(console, 'the model broke');
  end();
  await console.shows('#state', 'The stream is lost: the model broke');
  await noticed(console, '1 word kept for the next Start.');
  await console.shows('#kept', '1 word kept, to be sent with the next Start: … Guten');
  await console.close();
});

test('the console can be used by keyboard alone', async () => {
  const daemon = await scripted();
  const console = await open(daemon);
  const { keyboard } = console.page;
  const focused = () => console.page.evaluate(() => document.activeElement.id || document.activeElement.name || document.activeElement.dataset.field || document.activeElement.tagName);
  const order = [];
  for (let next = ''; next !== 'notices'; ) {
    await keyboard.press('Tab');
    next = await focused();
    assert.ok(!order.includes('BODY'), `${order}: the notices are not reached`);
    order.push(next);
  }
  for (const name of ['to-viewer', 'start', 'channel', 'languages', 'own', 'delay', 'SUMMARY', 'from', 'typed', 'paste-rate', 'pause-text', 'scroll', 'share-view']) {
    assert.ok(order.includes(name), `${name} is not among ${order}`);
  }
  await console.page.focus('#start');
  await keyboard.press('Enter');
  await console.shows('#state', 'On air');
  assert.equal(await focused(), 'typed');
  await keyboard.type('Hallo ihr da.\n');
  await reads(console, 'Hallo ihr da.', 'HALLO IHR DA.');
  await console.page.focus('#finish');
  await keyboard.press('Space');
  await console.shows('#state', 'Finished');
  assert.equal(await focused(), 'start');
  await console.close();
});

// The contrast of rows under the table's head cannot be measured. The frames let the table handle first its new size,
// then the scrolling.
const toTheFirstRow = (page) =>
  page.locator('#scroll').evaluate(async (element) => {
    const frame = () => new Promise(requestAnimationFrame);
    await frame();
    await frame();
    element.scrollTo(0, 0);
    await frame();
    await frame();
  });

test('every theme has enough contrast, names for all controls, and no overflow at any width', async () => {
  const daemon = await scripted({ models: 'de-en-gma,de-en-multipath' });
  const console = await openExpert(daemon);
  await console.page.check('[name="compare"]');
  await start(console);
  await type(console, 'Ein ganzer Satz. Und ein hal');
  await console.page.check('[name="untrained"]');
  await console.page.selectOption('[data-track=""] [data-field="policy"]', 'wait-k');
  await noticed(console, 'wait-k:k=3');
  await console.page.click('#pause');
  await type(console, 'ber ');
  await console.shows('#kept', '1 word kept');
  for (const part of ['#latencies', '#builder']) await console.page.click(`${part} summary`);
  await console.page.locator('#stage #target .sentence').first().waitFor();
  for (const viewport of [DESK, SMALL, { width: 390, height: 844 }]) {
    await console.page.setViewportSize(viewport);
    const [width, room] = await console.page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(width <= room, `${width} of ${room} pixels`);
    await toTheFirstRow(console.page);
    for (const theme of ['dark', 'light', 'cream', 'blue', 'yellow']) {
      await console.page.selectOption('#theme', theme);
      const { violations, unknown, contrasts } = await audit(console.page);
      assert.deepEqual(violations, [], `${theme} at ${viewport.width}`);
      // The boxes of the preview's lines are gradients, which axe does not measure; themes.css has their contrast.
      const unmeasured = unknown.filter((line) => line.startsWith('color-contrast') && !line.includes('class="word"'));
      assert.deepEqual(unmeasured, [], theme);
      assert.ok(contrasts.length > 30, `${contrasts.length} measured`);
    }
  }
  await console.close();
});

test('the newest sentence is in the window, also on a small laptop', async () => {
  const daemon = await scripted();
  const console = await open(daemon);
  await start(console);
  for (let i = 0; i < 6; i += 1) await type(console, 'Ein ganzer Satz. ');
  await reads(console, 'Ein ganzer Satz.', 'EIN GANZER SATZ.');
  for (const viewport of [{ width: 1280, height: 720 }, { width: 1366, height: 768 }, { width: 1920, height: 1080 }]) {
    await console.page.setViewportSize(viewport);
    const { bottom, room } = await console.page.evaluate(() => ({
      bottom: document.querySelector('#scroll').getBoundingClientRect().bottom,
      room: window.innerHeight,
    }));
    assert.ok(bottom <= room, `${bottom} of ${room} pixels at ${viewport.width}`);
  }
  await console.close();
});

// Returns the sides at which a part of the page cuts the ring of the focused element.
function cuts() {
  const ring = (box, { outlineOffset, outlineWidth }) => {
    const grow = parseFloat(outlineOffset) + parseFloat(outlineWidth);
    return [box.left - grow, box.top - grow, -box.right - grow, -box.bottom - grow];
  };
  const room = (part, { left, top } = part.getBoundingClientRect()) => {
    const [x, y] = [left + part.clientLeft, top + part.clientTop];
    return [x, y, -x - part.clientWidth, -y - part.clientHeight];
  };
  const focused = document.activeElement;
  const edges = ring(focused.getBoundingClientRect(), getComputedStyle(focused));
  const found = [];
  for (let part = focused.parentElement; part !== document.documentElement; part = part.parentElement) {
    if (getComputedStyle(part).overflow === 'visible') continue;
    for (const [i, edge] of room(part).entries()) if (edge - edges[i] > 0.5) found.push(`${focused.outerHTML} in ${part.id || part.tagName}: side ${i}`);
  }
  return found;
}

test('the ring of a focused field is whole', async () => {
  const daemon = await scripted();
  const console = await open(daemon);
  for (const viewport of [{ width: 1280, height: 720 }, { width: 1000, height: 700 }, { width: 390, height: 844 }]) {
    await console.page.setViewportSize(viewport);
    await console.page.focus('#to-viewer');
    const found = [];
    for (let last = ''; last !== 'notices'; ) {
      await console.page.keyboard.press('Tab');
      found.push(...(await console.page.evaluate(cuts)));
      last = await console.page.evaluate(() => document.activeElement.id);
    }
    assert.deepEqual(found, [], `at ${viewport.width}`);
  }
  await console.close();
});

// A crash closes nothing and runs no handler of the page.
async function crash(console, proxy) {
  const { page } = console;
  console.page = await page.context().newPage();
  proxy.reset();
  await page.close({ runBeforeUnload: false });
  await console.page.goto(`${proxy.url}console`);
}

for (const [how, again] of [['a reload', (console) => console.page.reload()], ['a crash', crash]]) {
  test(`${how} of the page loses no word and no sentence, and repeats none`, async () => {
    const daemon = await scripted();
    const proxy = await Proxy.start(daemon);
    const viewer = await Viewer.open(browser, proxy, { watch: witness });
    const console = await open(proxy);
    await start(console);
    await type(console, 'Eins und zwei. Dort und vi');
    await reads(console, 'Dort und', 'DORT UND');
    await again(console, proxy);
    await console.shows('#state', 'On air');
    await noticed(console, 'Channel main: the stream continues.');
    const said = () => console.page.locator('#scroll tbody tr .said').allTextContents();
    assert.deepEqual(await said(), ['Eins und zwei.', 'Dort und']);
    assert.equal(await console.page.inputValue('#typed'), 'vi');
    await console.page.focus('#typed');
    await console.page.keyboard.press('End');
    await type(console, 'er. Auch ');
    await reads(console, 'Auch', 'AUCH');
    await console.page.click('#pause');
    await type(console, 'und sechs ');
    await console.shows('#kept', '2 words kept');
    await again(console, proxy);
    await console.shows('#state', 'Paused');
    await console.shows('#kept', '2 words kept, to be sent when you resume: … und sechs');
    await console.page.click('#finish');
    await console.shows('#state', 'Finished');
    await viewer.reads('#target', 'AUCH UND SECHS');
    assert.deepEqual(await viewer.lines('#source'), ['Eins und zwei.', 'Dort und vier.', 'Auch und sechs']);
    assert.deepEqual(await said(), ['Eins und zwei.', 'Dort und vier.', 'Auch und sechs']);
    for (const page of [console, viewer]) await page.close({ expected: /WebSocket connection|net::/u });
  });
}

test('if the daemon has given the stream up, one sentence says so, and the kept words are offered', async () => {
  const daemon = await scripted();
  const console = await open(daemon);
  await start(console);
  await type(console, 'Das kam an. ');
  await reads(console, 'Das kam an.', 'DAS KAM AN.');
  await console.page.click('#pause');
  await type(console, 'Das nicht. ');
  await console.shows('#kept', '2 words kept');
  forget(daemon);
  await daemon.stop('SIGKILL');
  const forgetful = await scripted({ port: daemon.port });
  await console.page.reload();
  await console.shows('#state', 'The stream is lost: the daemon has given it up meanwhile');
  await console.shows('#kept', '2 words kept, to be sent with the next Start: … Das nicht.');
  await console.page.reload();
  await console.shows('#state', 'Not started');
  await console.shows('#kept', '2 words kept');
  await start(console);
  await reads(console, 'Das nicht.', 'DAS NICHT.');
  await console.page.click('#finish');
  await console.shows('#state', 'Finished');
  await type(console, 'Zu viel. ');
  await console.page.click('#drop-kept');
  await console.page.locator('#kept').filter({ hasText: /^$/u }).waitFor({ state: 'attached' });
  assert.equal(forgetful.port, daemon.port);
  await console.close({ expected: /ERR_CONNECTION|WebSocket/u });
});

test('a second tab leaves the stream to the first, and continues it once the first is closed', async () => {
  const daemon = await scripted();
  const console = await open(daemon);
  await start(console);
  await type(console, 'Eins ');
  await reads(console, 'Eins', 'EINS');
  const first = console.page;
  console.page = await first.context().newPage();
  await console.page.goto(`${daemon.url}console`);
  await console.shows('#state', 'Another tab of this browser has this channel');
  await first.close();
  await console.shows('#state', /On air|lost/u);
  await console.close({ expected: /WebSocket connection/u });
});

test('without a connection the state is amber, with the time that the daemon waits and the kept words', async () => {
  const daemon = await scripted();
  const proxy = await Proxy.start(daemon);
  const console = await open(proxy);
  await start(console);
  assert.equal(await console.page.getAttribute('#state', 'data-kind'), 'live');
  await proxy.stop();
  await console.shows('#state', 'No connection');
  assert.equal(await console.page.getAttribute('#state', 'data-kind'), 'warn');
  await type(console, 'zwei Worte ');
  await console.shows('#countdown', /^The daemon waits \d+ s more · 2 words kept$/u);
  const again = await Proxy.start(daemon, proxy.port);
  await console.shows('#state', 'On air');
  await console.page.locator('#countdown').filter({ hasText: /^$/u }).waitFor({ state: 'attached' });
  await reads(console, 'zwei Worte', 'ZWEI WORTE');
  await console.page.click('#finish');
  await console.shows('#state', 'Finished');
  assert.equal(again.port, proxy.port);
  await console.close({ expected: /WebSocket connection|net::/u });
});

test("an operator's text for a pause is shown to viewers, and not translated", async () => {
  const daemon = await scripted();
  const console = await open(daemon);
  const viewer = await Viewer.open(browser, daemon);
  await start(console);
  await type(console, 'Und nun ');
  await reads(console, 'Und nun', 'UND NUN');
  await console.page.fill('#pause-text', 'Wir machen um 15:00 weiter. [Gleich]');
  await console.page.reload();
  await console.shows('#state', 'On air');
  await console.page.click('#pause');
  await console.shows('#state', 'Paused');
  await viewer.shows('#spoken', 'Wir machen um 15:00 weiter Gleich');
  await viewer.shows('#state', 'Paused · Wir machen um 15:00 weiter Gleich');
  await console.page.click('#pause');
  await type(console, 'weiter. ');
  await viewer.shows('#spoken', 'WEITER.');
  await viewer.shows('#state', 'Live');
  for (const page of [console, viewer]) await page.close();
});

test("a second console shows another one's sentences, and continues after it", async () => {
  const daemon = await scripted();
  const [first, second] = [await open(daemon), await open(daemon)];
  await start(first);
  await type(first, 'Guten Tag. Und ');
  await second.shows('#state', 'Another sender is on air on this channel');
  await reads(second, 'Und', 'UND');
  assert.ok(await second.page.isDisabled('#start'));
  const late = await Viewer.open(browser, daemon, { query: 'console', locale: 'de-DE' });
  await late.shows('#state', 'Auf diesem Kanal sendet schon jemand');
  await reads(late, 'Und', 'UND');
  await late.close();
  await first.page.click('#finish');
  await first.shows('#state', 'Finished');
  await second.shows('#state', 'The other stream has ended: Start continues here.');
  await start(second);
  await type(second, 'Weiter ');
  await reads(second, 'Weiter', 'WEITER');
  await first.shows('#state', 'Another sender is on air on this channel');
  for (const console of [first, second]) await console.close();
});

test('a pause without a text is shown to viewers, and cuts no sentence', async () => {
  const daemon = await scripted();
  const console = await open(daemon);
  const viewer = await Viewer.open(browser, daemon, { locale: 'de-DE' });
  await start(console);
  await type(console, 'Und ');
  await reads(console, 'Und', 'UND');
  await console.page.click('#pause');
  await console.page.click('#pause');
  await type(console, 'nun. ');
  await reads(console, 'Und nun.', 'UND NUN.');
  await viewer.shows('#state', 'Live');
  await console.page.click('#pause');
  await viewer.shows('#state', /^Pause$/u);
  await console.page.click('#pause');
  await type(console, 'Wort ');
  await reads(console, 'Wort', 'WORT');
  await console.page.click('#pause');
  await viewer.shows('#state', 'Live');
  await console.page.click('#pause');
  await console.page.click('#end-sentence');
  await console.page.click('#pause');
  await viewer.shows('#state', /^Pause$/u);
  for (const page of [console, viewer]) await page.close();
});

test('a pause waits for a sentence whose first words arrived before the end of the one before it', async () => {
  const { console, send, receives } = await fake();
  const metrics = { words: { al: 1 } };
  const reported = (text) => console.page.locator('#scroll .text').filter({ hasText: text }).waitFor();
  send({ type: 'source', sentence: 0, text: 'Gut.', event: 1 });
  send({ type: 'source', sentence: 1, text: 'Auch.', event: 2 });
  send({ type: 'sentence', sentence: 0, source: 'Gut.', target: 'Good.', metrics, event: 3 });
  await reported('Good.');
  await console.page.click('#pause');
  await console.shows('#state', 'Paused');
  send({ type: 'sentence', sentence: 1, source: 'Auch.', target: 'Too.', metrics, event: 4 });
  assert.deepEqual(await receives('source'), { type: 'source', text: '', seq: 1 });
  send({ type: 'ack', seq: 1 });
  await receives('end_sentence');
  await console.close();
});

test('a pause without a text cuts no sentence of a hypothesis whose words the page does not know yet', async () => {
  const { console, send, received, receives } = await fake();
  await console.page.click('#pause');
  assert.deepEqual(await receives('source'), { type: 'source', text: '', seq: 1 });
  send({ type: 'source', sentence: 0, text: 'Guten', event: 1 });
  send({ type: 'ack', seq: 1 });
  await console.page.locator('#scroll .said').filter({ hasText: 'Guten' }).waitFor();
  await console.page.click('#finish');
  await receives('finish');
  assert.deepEqual(received.map(({ type }) => type), ['start', 'source', 'finish']);
  await console.close();
});

test('a reload in a pause does not tell viewers of it again', async () => {
  const daemon = await scripted();
  const console = await open(daemon);
  await start(console);
  await type(console, 'Gut. ');
  await reads(console, 'Gut.', 'GUT.');
  await console.page.click('#pause');
  await reads(console, '[‖ Pause]', '[pause]');
  await console.page.reload();
  await console.shows('#state', 'Paused');
  await reads(console, '[‖ Pause]', '[pause]');
  await console.page.click('#finish');
  await console.shows('#state', 'Finished');
  assert.deepEqual(await console.page.locator('#scroll tbody tr .said').allTextContents(), ['Gut.', '[‖ Pause]']);
  await console.close();
});

for (const [model, own] of [
  ['de-en-multipath', 'wait-k:k=3'],
  ['de-en-attentive', 'alignatt:f=2'],
]) {
  test(`one slider chooses the delay of ${model}, without names of policies`, async () => {
    const daemon = await scripted({ models: model });
    const console = await open(daemon);
    const slider = console.page.locator('[name="delay"]');
    assert.ok(await console.page.isChecked('[name="own"]'));
    assert.ok(!(await console.page.isVisible('[data-field="policy"]')));
    await slider.fill('0');
    await console.shows('#delay-means', 'The translation stays about 2 words behind the speaker.');
    assert.ok(!(await console.page.isChecked('[name="own"]')));
    await start(console);
    await console.shows('[data-track=""] [data-field="holds"]', 'auto:lag=2');
    await slider.fill(await slider.getAttribute('max'));
    await console.shows('#delay-means', 'Each sentence is translated when it has ended.');
    await noticed(console, `${model} · full-sentence from sentence 1 on.`);
    await console.page.check('[name="own"]');
    await noticed(console, `${model} · ${own} from sentence 1 on.`);
    await console.page.click('#finish');
    await console.shows('#state', 'Finished');
    await console.close();
  });
}

test('addresses are shared with Copy, and the overlay gets its options from fields with a preview', async () => {
  const daemon = await scripted();
  const console = await open(daemon, { query: '?channel=hall' });
  const value = (id) => console.page.inputValue(id);
  assert.equal(await value('#share-view'), `${daemon.url}c/hall`);
  await console.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await console.page.click('[data-copy="share-view"]');
  await console.shows('#copied', 'Copied.');
  assert.equal(await console.page.evaluate(() => navigator.clipboard.readText()), `${daemon.url}c/hall`);
  await console.page.click('#builder summary');
  await console.shows('#stage #target .lines', 'Good morning');
  await console.page.fill('#overlay-options [name="size"]', '60');
  await console.page.selectOption('#overlay-options [name="theme"]', 'yellow');
  await console.page.check('#overlay-options [name="uppercase"]');
  const query = 'overlay=1&size=60&theme=yellow&uppercase=1';
  assert.equal(await value('#share-overlay'), `${daemon.url}c/hall?${query}`);
  await console.page.fill('#overlay-options [name="lines"]', '99');
  assert.equal(await value('#share-overlay'), `${daemon.url}c/hall?${query}`, 'a value that is not allowed stays out');
  const message = await console.page.locator('#overlay-options [name="lines"]').evaluate((field) => field.validationMessage);
  assert.equal(message, 'lines must be a whole number from 1 to 12');
  await console.page.fill('#overlay-options [name="lines"]', '3');
  await start(console);
  await type(console, 'Hallo ihr. ');
  await console.shows('#stage #target', 'HALLO IHR.');
  const overlay = await Viewer.open(browser, daemon, { query: new URL(await value('#share-overlay')).href.slice(daemon.url.length), viewport: { width: 1920, height: 1080 } });
  await overlay.reads('#target', 'HALLO IHR.');
  const look = (page) => page.locator('#target .words').last().evaluate((line) => {
    const { color, fontSize, textTransform, backgroundColor } = getComputedStyle(line);
    return { color, fontSize, textTransform, backgroundColor };
  });
  assert.deepEqual(await look(console.page), await look(overlay.page));
  for (const page of [console, overlay]) await page.close();
});
