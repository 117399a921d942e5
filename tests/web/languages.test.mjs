// Several tracks of one stream, and writing from right to left, which the scripted daemon does not have.

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { audit } from './support/axe.mjs';
import { launch, PHONE, rolled, Viewer } from './support/browser.mjs';
import { closeRest } from './support/cleanup.mjs';
import { Daemon } from './support/daemon.mjs';
import { FakeDaemon } from './support/fake_daemon.mjs';
import { Sender } from './support/sender.mjs';

const TRACKS = [
  { name: '', target: 'en', model: 'de-en', policy: 'gma:delta=1' },
  { name: 'fr', target: 'fr', model: 'de-fr', policy: 'wait-k:k=3' },
  { name: 'ar', target: 'ar', model: 'de-ar', policy: 'wait-k:k=5' },
];
const TEXTS = { '': ['Good', ' morning.'], fr: ['Bonjour', ' à tous.'], ar: ['صباح', ' الخير', ' جميعا.'] };
const MODELS = TRACKS.map(({ model, target }) => ({ name: model, source: 'de', target, policies: [] }));

let browser;

before(async () => {
  browser = await launch();
});

afterEach(closeRest);

after(() => browser?.close());

// Returns the messages of the first sentence for a viewer of the track; null: all tracks.
function talk(track, tracks = TRACKS) {
  const ready = { type: 'ready', channel: 'main', stream: 's-1', model: 'de-en', policy: 'gma:delta=1', warnings: [], limits: {} };
  const source = { type: 'source', sentence: 0, text: 'Guten Morgen.', taken: 10 };
  const sent = tracks.filter(({ name }) => track === null || track === (name || 'first'));
  const writes = sent.flatMap(({ name }) =>
    TEXTS[name].map((text, index) => ({
      type: 'write', sentence: 0, index, text, read: 2, words: index + 1, time: 20, track: name || undefined,
    })),
  );
  const ends = sent.map(({ name }) => ({
    type: 'sentence', sentence: 0, source: source.text, target: TEXTS[name].join(''), metrics: { words: {} }, track: name || undefined,
  }));
  return [{ ...ready, tracks }, source, ...writes, ...ends];
}

test('a viewer chooses among the tracks of a channel, and the choice is remembered', async () => {
  const daemon = await FakeDaemon.start(({ track }) => talk(track), { models: MODELS });
  const viewer = await Viewer.open(browser, daemon, { query: 'c/main' });
  await viewer.reads('#target', 'Good morning.');
  assert.equal(await viewer.text('#target'), 'Good morning.');
  await viewer.shows('#language', 'Language');
  assert.deepEqual(await viewer.page.locator('#track option').allTextContents(), ['English', 'French', 'Arabic']);
  assert.deepEqual(daemon.viewers.map(({ track }) => track), [null, 'first'], 'only one track is requested');

  await viewer.page.selectOption('#track', 'fr');
  await viewer.reads('#target', 'Bonjour à tous.');
  assert.equal(await viewer.text('#target'), 'Bonjour à tous.');
  assert.equal(await viewer.text('#source'), 'Guten Morgen.');
  await viewer.page.locator('#target[lang="fr"][dir="ltr"]').waitFor();
  await viewer.shows('#model', 'de-fr · wait-k:k=3');
  assert.equal(daemon.viewers.at(-1).track, 'fr');

  await viewer.page.reload();
  await viewer.reads('#target', 'Bonjour à tous.');
  assert.equal(await viewer.page.inputValue('#track'), 'fr');
  const { violations, unknown } = await audit(viewer.page);
  assert.deepEqual([violations, unknown], [[], []]);
  await viewer.close();
});

test('a viewer that waited for the speaker is offered the tracks, and sees one at a time', async () => {
  const daemon = await Daemon.scripted({ models: 'scripted,scripted-fr' });
  const viewer = await Viewer.open(browser, daemon, { query: 'c/main' });
  const tracks = [{ name: 'fr', target: 'fr', policy: 'wait-k:k=3' }];
  const sender = await Sender.open(daemon, { policy: 'gma:delta=1', tracks });
  await viewer.shows('#language', 'Language');
  await sender.source('Guten Morgen meine');
  await viewer.reads('#target', 'GUTEN MORGEN');
  assert.equal(await viewer.text('#target'), 'GUTEN MORGEN', 'one translation, not two');
  await viewer.page.selectOption('#track', 'fr');
  await viewer.page.locator('#target[lang="fr"]').waitFor();
  await viewer.shows('#model', 'scripted-fr · wait-k:k=3');
  await sender.source('Damen.');
  await viewer.reads('#target', 'GUTEN MORGEN MEINE DAMEN.');
  await viewer.shows('#spoken', /^GUTEN MORGEN MEINE DAMEN\.$/u);
  sender.configure({ track: 'fr', policy: 'wait-k:k=1' });
  await sender.source('Und');
  await viewer.shows('#model', 'scripted-fr · wait-k:k=1');
  await sender.finish();
  await viewer.close();
  assert.equal(await daemon.stop(), 0);
});

test('the address can choose a language, for a link or for an overlay', async () => {
  const daemon = await FakeDaemon.start(({ track }) => talk(track), { models: MODELS });
  const viewer = await Viewer.open(browser, daemon, { query: 'c/main?overlay=1&lang=fr' });
  await viewer.reads('#target', 'Bonjour à tous.');
  assert.equal(daemon.viewers.at(-1).track, 'fr');
  await viewer.close();
});

test('two tracks stand side by side, in columns or on a phone in rows', async () => {
  const daemon = await FakeDaemon.start(({ track }) => talk(track), { models: MODELS });
  const viewer = await Viewer.open(browser, daemon, { query: 'c/main?track=en&track=ar' });
  await viewer.reads('#target', 'Good morning.');
  await viewer.reads('#beside', TEXTS.ar.join(''));
  assert.equal(await viewer.text('#target'), 'Good morning.');
  assert.equal(await viewer.text('#source'), 'Guten Morgen.', 'the source words are shown once');
  await viewer.page.locator('#beside[lang="ar"][dir="rtl"]').waitFor();
  assert.deepEqual(daemon.viewers.map(({ track }) => track), [null], 'one connection has both');
  const boxes = () => viewer.page.evaluate(() => ['#target', '#beside'].map((id) => document.querySelector(id).getBoundingClientRect().toJSON()));
  const [left, right] = await boxes();
  assert.ok(left.right < right.left && left.bottom === right.bottom, 'columns');
  const { violations, unknown } = await audit(viewer.page);
  assert.deepEqual([violations, unknown], [[], []]);
  await viewer.page.setViewportSize(PHONE);
  await rolled(viewer);
  const [above, below] = await boxes();
  assert.ok(above.bottom <= below.top && above.left === below.left, 'rows');

  await viewer.page.selectOption('#track-beside', 'fr');
  await viewer.reads('#beside', 'Bonjour à tous.');
  assert.equal(await viewer.text('#beside'), 'Bonjour à tous.');
  await viewer.reads('#target', 'Good morning.');
  await viewer.page.goto(`${daemon.url}c/main`);
  await viewer.reads('#beside', 'Bonjour à tous.');
  await viewer.page.selectOption('#track-beside', '');
  await viewer.page.locator('#beside').waitFor({ state: 'hidden' });
  await viewer.reads('#target', 'Good morning.');
  assert.equal(daemon.viewers.at(-1).track, 'first', 'only one track is requested again');
  await viewer.close();
});

test('two policies of one language stand side by side while they are written', async () => {
  const daemon = await Daemon.scripted();
  const viewer = await Viewer.open(browser, daemon, { query: 'c/main?track=first&track=late' });
  const sender = await Sender.open(daemon, { policy: 'wait-k:k=1', tracks: [{ name: 'late', policy: 'full-sentence' }] });
  await viewer.shows('#language-beside', 'Beside it');
  await sender.source('Guten Morgen meine');
  await viewer.reads('#target', 'GUTEN MORGEN');
  assert.equal(await viewer.text('#beside'), '');
  await sender.source('Damen.');
  await viewer.reads('#beside', 'GUTEN MORGEN MEINE DAMEN.');
  assert.equal(await viewer.text('#target'), 'GUTEN MORGEN MEINE DAMEN.');
  await sender.finish();
  await viewer.close();
  assert.equal(await daemon.stop(), 0);
});

test('if the daemon refuses a track, the page requests all tracks and shows the chosen one', async () => {
  const refuse = { type: 'error', code: 'bad-field', message: 'there is no such track' };
  const daemon = await FakeDaemon.start(({ track }) => (track === null ? talk(null) : [refuse, { type: 'bye', reason: 'error' }]), {
    models: MODELS,
  });
  const viewer = await Viewer.open(browser, daemon, { query: 'c/main?track=fr' });
  await viewer.page.waitForFunction(() => document.querySelector('#state').dataset.kind === 'lost');
  daemon.viewers.at(-1).end();
  await viewer.reads('#target', 'Bonjour à tous.');
  assert.equal(await viewer.text('#target'), 'Bonjour à tous.');
  assert.deepEqual(daemon.viewers.map(({ track }) => track), [null, 'fr', null]);
  await viewer.close({ expected: /WebSocket/u });
});

test('a viewer that waited for the speaker reconnects for the tracks if `state` lacks them', async () => {
  const ready = { type: 'ready', channel: 'main', warnings: [], limits: {} };
  const daemon = await FakeDaemon.start(({ track }) => (daemon.hasSender ? talk(track) : [ready]), { models: MODELS });
  const viewer = await Viewer.open(browser, daemon, { query: 'c/main?lang=fr' });
  await viewer.shows('#state', 'Waiting for a speaker');
  daemon.hasSender = true;
  const [waiting] = daemon.viewers;
  waiting.send({ type: 'state', sender: true, stream: 's-1', model: 'de-en', policy: 'gma:delta=1' });
  waiting.send({ type: 'write', sentence: 0, index: 0, text: 'Good', read: 1, words: 1, time: 5 });
  waiting.send({ type: 'write', sentence: 0, index: 0, text: 'Bonjour', read: 1, words: 1, time: 5, track: 'fr' });
  await viewer.reads('#target', 'Bonjour à tous.');
  assert.equal(await viewer.text('#target'), 'Bonjour à tous.');
  assert.deepEqual(daemon.viewers.map(({ track }) => track), [null, null, 'fr']);
  await viewer.close();
});

test('a channel with one track offers no choice', async () => {
  const daemon = await FakeDaemon.start(({ track }) => talk(track, TRACKS.slice(0, 1)), { models: MODELS });
  const viewer = await Viewer.open(browser, daemon, { query: 'c/main' });
  await viewer.reads('#target', 'Good morning.');
  assert.ok(!(await viewer.page.isVisible('#language')));
  assert.deepEqual(daemon.viewers.map(({ track }) => track), [null]);
  await viewer.close();
});

for (const [query, viewport] of [['c/main?lang=ar', PHONE], ['c/main?lang=ar&overlay=1', { width: 1280, height: 720 }]]) {
  test(`${query}: a language from right to left begins its lines at the right, and the source at the left`, async () => {
    const daemon = await FakeDaemon.start(({ track }) => talk(track), { models: MODELS });
    const viewer = await Viewer.open(browser, daemon, { query: `${query}&source=1`, viewport });
    await viewer.page.locator('#target[lang="ar"][dir="rtl"]').waitFor();
    await viewer.page.locator('#spoken[lang="ar"][dir="rtl"]').waitFor({ state: 'attached' });
    await viewer.reads('#target', 'صباح الخير جميعا.');
    await rolled(viewer);
    const boxes = await viewer.page.evaluate(() =>
      ['#source .word', '#target .word'].map((selector) =>
        Array.from(document.querySelectorAll(selector), (word) => word.getBoundingClientRect().left),
      ),
    );
    const [source, target] = boxes;
    assert.deepEqual(source, [...source].sort((a, b) => a - b));
    assert.deepEqual(target, [...target].sort((a, b) => b - a));
    assert.equal(target.length, 3);
    const right = await viewer.page.locator('#target .word').first().evaluate((word) => word.getBoundingClientRect().right);
    assert.ok(right > 0.85 * viewport.width, `${right}`);
    await viewer.close();
  });
}

test('arrow keys follow the direction of writing', async () => {
  const daemon = await FakeDaemon.start(({ track }) => talk(track), { models: MODELS });
  const viewer = await Viewer.open(browser, daemon, { query: 'c/main?lang=ar' });
  await viewer.reads('#target', 'صباح الخير جميعا.');
  await viewer.page.focus('#target');
  await viewer.page.keyboard.press('Home');
  await viewer.shows('#origin', '“صباح”');
  await viewer.page.keyboard.press('ArrowLeft');
  await viewer.shows('#origin', '“الخير”');
  await viewer.page.keyboard.press('ArrowRight');
  await viewer.shows('#origin', '“صباح”');
  await viewer.close();
});

test('the page ignores messages of unknown types', async () => {
  const daemon = await FakeDaemon.start(({ track }) => [...talk(track, TRACKS.slice(0, 1)), { type: 'revision', words: 3 }], {
    models: MODELS,
  });
  const viewer = await Viewer.open(browser, daemon, { query: 'c/main' });
  await viewer.reads('#target', 'Good morning.');
  await viewer.shows('#state', 'Live');
  await viewer.close();
});
