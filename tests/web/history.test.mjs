// The talk so far: latecomers receive it, it scrolls, and it can be copied and downloaded.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseSubtitles } from '../../web/subtitle_file.js';
import { audit } from './support/axe.mjs';
import { PHONE, rolled, Viewer } from './support/browser.mjs';
import { Sender } from './support/sender.mjs';
import { browser, daemon } from './support/stage.mjs';

const SENTENCES = Array.from({ length: 30 }, (_, i) => `Satz ${i + 1} ist vorbei.`);
const TRANSLATION = SENTENCES.map((sentence) => sentence.toUpperCase());

async function talk() {
  const sender = await Sender.open(daemon);
  await sender.source(SENTENCES.join(' '));
  await sender.first(({ type, sentence }) => type === 'sentence' && sentence === SENTENCES.length - 1);
  return sender;
}

function position(viewer) {
  return viewer.page.locator('#target').evaluate((frame) => frame.scrollTop);
}

async function scrollUp(viewer) {
  await viewer.page.hover('#target');
  await viewer.page.mouse.wheel(0, -300);
  await viewer.page.locator('#to-live').waitFor({ state: 'visible' });
}

test('a latecomer receives the talk so far once, without a pace and unannounced', async () => {
  const sender = await talk();
  const viewer = await Viewer.open(browser, daemon, { query: 'c/main?pace=1&hold=0' });
  await viewer.reads('#target', TRANSLATION.at(-1));
  assert.deepEqual(await viewer.lines('#target'), TRANSLATION);
  assert.ok((await viewer.page.locator('#spoken p').count()) <= 1);
  await sender.finish();
  await viewer.close();
});

test('an overlay begins with the last sentences only', async () => {
  const sender = await talk();
  const viewer = await Viewer.open(browser, daemon, { query: 'c/main?overlay=1' });
  await viewer.reads('#target', TRANSLATION.at(-1));
  assert.deepEqual(await viewer.lines('#target'), TRANSLATION.slice(-2));
  await sender.finish();
  await viewer.close();
});

test('the text stays at its end, and where the reader has scrolled to, until “Jump to live”', async () => {
  const viewer = await Viewer.open(browser, daemon);
  const sender = await talk();
  await viewer.reads('#target', TRANSLATION.at(-1));
  await rolled(viewer);
  const inSight = () =>
    viewer.page.evaluate(() => {
      const { top, bottom } = document.querySelector('#target').getBoundingClientRect();
      const last = document.querySelector('#target .sentence:last-child').getBoundingClientRect();
      return last.top >= top && last.bottom <= bottom;
    });
  assert.ok(await inSight());
  assert.ok(!(await viewer.page.isVisible('#to-live')));

  await scrollUp(viewer);
  const before = await position(viewer);
  const dimmed = () => viewer.page.locator('#target .sentence').first().evaluate((sentence) => Number(getComputedStyle(sentence).opacity));
  await rolled(viewer);
  assert.equal(await dimmed(), 1, 'text that is read again is bright');
  const { violations } = await audit(viewer.page);
  assert.deepEqual(violations, []);
  await sender.source('Und noch ein Satz.');
  await viewer.reads('#target', 'UND NOCH EIN SATZ.');
  assert.equal(await position(viewer), before);
  assert.ok(!(await inSight()));

  await viewer.page.click('#to-live');
  await viewer.page.locator('#to-live').waitFor({ state: 'hidden' });
  assert.ok(await inSight());
  await sender.source('Nun wieder hier.');
  await viewer.reads('#target', 'NUN WIEDER HIER.');
  await rolled(viewer);
  assert.ok(await inSight());
  assert.ok((await dimmed()) < 1);
  await sender.finish();
  await viewer.close();
});

test('a reader who scrolls back to the end by hand follows again', async () => {
  const sender = await talk();
  const viewer = await Viewer.open(browser, daemon);
  await viewer.reads('#target', TRANSLATION.at(-1));
  await rolled(viewer);
  await scrollUp(viewer);
  await viewer.page.mouse.wheel(0, 100_000);
  await viewer.page.locator('#to-live').waitFor({ state: 'hidden' });
  await sender.finish();
  await viewer.close();
});

test('selected text is clean: a line for each sentence, and a space between words', async () => {
  const sender = await talk();
  const viewer = await Viewer.open(browser, daemon, { viewport: PHONE });
  await viewer.reads('#target', TRANSLATION.at(-1));
  const selected = await viewer.page.evaluate(() => {
    getSelection().selectAllChildren(document.querySelector('#target'));
    return getSelection().toString();
  });
  assert.equal(selected.trim(), TRANSLATION.join('\n'));
  await sender.finish();
  await viewer.close();
});

async function download(viewer, kind) {
  const [file] = await Promise.all([viewer.page.waitForEvent('download'), viewer.page.click(`[data-download="${kind}"]`)]);
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
}

test('the talk can be downloaded as text and as WebVTT', async () => {
  const viewer = await Viewer.open(browser, daemon);
  await viewer.page.click('#open-settings');
  await viewer.page.click('[data-download="txt"]');
  await viewer.shows('#download-problem', 'No subtitles were received yet.');
  const sender = await talk();
  await viewer.reads('#target', TRANSLATION.at(-1));
  assert.deepEqual(await download(viewer, 'txt'), { name: 'main.txt', text: `${TRANSLATION.join('\n')}\n` });
  await viewer.shows('#download-problem', /^$/u);
  const { name, text } = await download(viewer, 'vtt');
  assert.equal(name, 'main.vtt');
  const cues = parseSubtitles(name, text);
  assert.deepEqual(cues.map((cue) => cue.text), TRANSLATION);
  await sender.finish();
  await viewer.close();
});

test('on a phone the running sentence and the last one are bright, and older ones are not', async () => {
  const viewer = await Viewer.open(browser, daemon, { viewport: PHONE });
  const sender = await Sender.open(daemon);
  const long = 'die auf dem kleinen Bildschirm eines Telefons über mehr als zwei Zeilen läuft';
  await sender.source(`Eins. Zwei ist eine Zeile, ${long}. Drei ist noch eine, ${long} und weiter`);
  await viewer.reads('#target', 'LÄUFT UND'.replace('Ä', 'ä'));
  await rolled(viewer);
  const brightness = await viewer.page.locator('#target .sentence').evaluateAll((all) => all.map((one) => Number(getComputedStyle(one).opacity)));
  assert.deepEqual(brightness.slice(1), [1, 1]);
  assert.ok(brightness[0] < 1);
  await sender.finish();
  await viewer.close();
});
