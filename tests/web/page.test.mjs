// The page in a real browser, on a real daemon whose scripted translation is the source in capitals.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Viewer } from './support/browser.mjs';
import { Sender } from './support/sender.mjs';
import { browser, daemon } from './support/stage.mjs';
import { witness } from './support/witness.mjs';

// The scripted daemon's translation.
function capitals(text) {
  return text.replace(/[a-z]/gu, (letter) => letter.toUpperCase());
}

test('the translation grows while source words arrive, and never changes', async () => {
  const viewer = await Viewer.open(browser, daemon, { watch: witness });
  const sender = await Sender.open(daemon);
  const words = 'Wir müssen uns heute fragen, ob das alles so bleiben kann, wie es einmal war.'.split(' ');
  for (const [i, word] of words.entries()) {
    await sender.source(word);
    // The word before is on the screen before the next one is sent.
    await viewer.reads('#source', words.slice(0, i + 1).join(' '));
    await viewer.reads('#target', capitals(words.slice(0, i).join(' ')));
  }
  const translation = capitals(words.join(' '));
  await viewer.shows('#spoken', translation);

  const seen = await viewer.page.evaluate(() => window.witness);
  assert.deepEqual([seen.moved, seen.lost, seen.changed], [[], [], []]);
  assert.ok(seen.texts.length >= words.length, 'word by word, not all at once');
  for (const [i, text] of seen.texts.entries()) {
    assert.ok(text.startsWith(seen.texts[i - 1] ?? ''), `${text} takes back ${seen.texts[i - 1]}`);
  }
  assert.equal(seen.texts.at(-1), translation);
  await sender.finish();
  await viewer.close();
});

test('source words that are not translated yet are marked', async () => {
  const viewer = await Viewer.open(browser, daemon);
  const sender = await Sender.open(daemon, { policy: 'wait-k:k=3' });
  const read = () => viewer.page.locator('#source .read').allTextContents();
  await sender.source('Kurz. Das ist');
  await viewer.reads('#target', 'KURZ.');
  await viewer.reads('#source', 'Das ist');
  assert.deepEqual(await read(), ['Kurz.']);
  await sender.source('nun vorbei');
  await viewer.reads('#target', 'DAS');
  assert.deepEqual(await read(), ['Kurz.', 'Das', 'ist', 'nun', 'vorbei']);
  await sender.finish();
  await viewer.close();
});

test('the latencies are those of the daemon, with their units', async () => {
  const viewer = await Viewer.open(browser, daemon, { query: 'c/main?metrics=1' });
  assert.ok(await viewer.page.isVisible('#figures'));
  const sender = await Sender.open(daemon, { policy: 'wait-k:k=2' });
  await sender.source('Heute ist ein guter Tag.');
  const { sentence } = await sender.first(({ type }) => type === 'sentence');
  await sender.source('Morgen wird es');
  const metrics = await sender.first(({ type, sentence: number }) => type === 'metrics' && number === sentence + 1);
  for (const [name, unit, digits] of [['al', 'words', 1], ['ap', 'of source', 2], ['dal', 'words', 1], ['cw', 'words', 1]]) {
    const row = `[data-metric="${name}"]`;
    assert.equal(await viewer.page.textContent(`${row} .label`), name.toUpperCase());
    assert.equal(await viewer.page.textContent(`${row} .unit`), unit);
    const shown = metrics[name] === null ? '–' : metrics[name].toFixed(digits);
    await viewer.shows(`${row} .value`, shown);
    await viewer.shows(`${row} .mean`, `mean ${metrics.stream[name].toFixed(digits)}`);
  }
  await sender.finish();
  await viewer.close();
});

test('a late viewer sees the open sentence and all later text', async () => {
  const sender = await Sender.open(daemon);
  await sender.source('Zuerst kam das. Und dann');
  const { metrics } = await sender.first(({ type }) => type === 'sentence');
  const viewer = await Viewer.open(browser, daemon);
  await viewer.reads('#source', 'Zuerst kam das.');
  await viewer.reads('#target', 'UND');
  await viewer.shows('[data-metric="dal"] .value', metrics.words.dal.toFixed(1));
  await sender.source('noch mehr.');
  await viewer.reads('#target', 'UND DANN NOCH MEHR.');
  assert.deepEqual(await viewer.lines('#target'), ['ZUERST KAM DAS.', 'UND DANN NOCH MEHR.']);
  await sender.finish();
  await viewer.close();
});

test('the page shows whether the channel has a speaker, and has the languages of the stream', async () => {
  const viewer = await Viewer.open(browser, daemon);
  await viewer.shows('#state', 'Waiting for a speaker');
  assert.ok(await viewer.page.isVisible('#placeholder'));
  const sender = await Sender.open(daemon);
  await viewer.shows('#state', 'Live');
  await viewer.shows('#model', 'scripted · gma:delta=1');
  await viewer.page.locator('#source[lang="de"]').waitFor({ state: 'attached' });
  await viewer.page.locator('#target[lang="en"]').waitFor({ state: 'attached' });
  await sender.source('Hallo.');
  await viewer.reads('#target', 'HALLO.');
  assert.ok(!(await viewer.page.isVisible('#placeholder')));
  await sender.leave();
  await viewer.shows('#state', 'The talk has ended');
  await viewer.close();
});

test('the page of a channel that has had no sender says so after some seconds, and links the list', async () => {
  const viewer = await Viewer.open(browser, daemon, { query: 'c/mian', clock: true });
  await viewer.shows('#state', 'Waiting for a speaker');
  await viewer.page.getByText('The channel mian has had no sender yet.').waitFor();
  assert.equal(await viewer.page.getAttribute('#unused a', 'href'), '../');
  const sender = await Sender.open(daemon, { channel: 'mian' });
  await viewer.page.locator('#unused').waitFor({ state: 'hidden' });
  await sender.source('Hallo.');
  await sender.finish();
  await viewer.close();
  const late = await Viewer.open(browser, daemon, { query: 'c/mian', clock: true });
  await late.shows('#state', 'The talk has ended');
  await late.page.clock.fastForward(5_000);
  assert.equal(await late.page.isVisible('#unused'), false);
  await late.close();
});

test('text before a silence is dimmed, and later text is not', async () => {
  const viewer = await Viewer.open(browser, daemon, { clock: true });
  const sender = await Sender.open(daemon);
  await sender.source('Eins. Zwei und');
  await viewer.reads('#target', 'ZWEI');
  const past = () => viewer.page.locator('#target .sentence.past').allTextContents();
  await viewer.page.clock.fastForward(14_000);
  assert.deepEqual(await past(), []);
  await viewer.page.clock.fastForward(2_000);
  assert.deepEqual(await past(), ['EINS.', 'ZWEI']);
  await sender.source('drei. Vier.');
  await viewer.reads('#target', 'VIER.');
  assert.deepEqual(await past(), ['EINS.']);
  await sender.finish();
  await viewer.close();
});

test('a machine without a network still shows the text of its own daemon', async () => {
  const viewer = await Viewer.open(browser, daemon);
  const sender = await Sender.open(daemon);
  await viewer.shows('#state', 'Live');
  await viewer.page.evaluate(() => {
    window.states = [];
    const state = document.querySelector('#state');
    new MutationObserver(() => window.states.push(state.textContent)).observe(state, { childList: true });
    window.dispatchEvent(new Event('offline'));
  });
  await sender.source('Weiter.');
  await viewer.reads('#target', 'WEITER.');
  const others = (await viewer.page.evaluate(() => window.states)).filter((text) => text !== 'Live');
  assert.deepEqual(others, []);
  await sender.finish();
  await viewer.close();
});

test('a channel shows only its own stream', async () => {
  const viewer = await Viewer.open(browser, daemon, { query: '?channel=hall-2' });
  const main = await Sender.open(daemon);
  const hall = await Sender.open(daemon, { channel: 'hall-2' });
  await main.source('Nebenan.');
  await hall.source('Hier.');
  await viewer.reads('#target', 'HIER.');
  assert.deepEqual(await viewer.lines('#source'), ['Hier.']);
  await Promise.all([main.finish(), hall.finish()]);
  await viewer.close();
});

test('an invalid channel name is refused with the allowed characters', async () => {
  for (const path of ['c/a%20b', 'c/']) {
    const refused = await fetch(daemon.url + path);
    assert.equal(refused.status, 404);
    assert.equal(await refused.text(), 'A channel name has 1 to 64 characters of A-Z a-z 0-9 . _ -, other than . and ..\n');
  }
});

test('markup in source words is shown as text', async () => {
  const viewer = await Viewer.open(browser, daemon);
  const sender = await Sender.open(daemon);
  const said = 'a<img/src=x/onerror=alert(1)>b c<script>alert(2)</script>d &lt;b&gt; " onclick="alert(3)';
  await sender.source(said);
  await sender.endSentence();
  const { target: translation } = await sender.first(({ type }) => type === 'sentence');
  assert.match(translation, /SCRIPT>ALERT\(2\)<\/SCRIPT/u);
  await viewer.shows('#spoken', translation);
  assert.equal(await viewer.text('#source'), said);
  assert.equal(await viewer.text('#target'), translation);
  assert.equal(await viewer.page.locator('main :is(img, script, b, [onclick])').count(), 0);
  await sender.finish();
  await viewer.close();
});

test('invalid UTF-8 ends its stream, and the page shows the next one', async () => {
  const viewer = await Viewer.open(browser, daemon);
  const broken = await Sender.open(daemon);
  await broken.source('Vorher');
  await broken.sendBytes(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]));
  assert.equal(broken.messages.find(({ type }) => type === 'error').code, 'bad-utf8');
  const sender = await Sender.open(daemon);
  await sender.source('xx-bytes nachher.');
  await viewer.reads('#target', 'NACHHER.');
  assert.deepEqual((await viewer.lines('#source')).slice(0, 1), ['Vorher']);
  await sender.finish();
  await viewer.close();
});
