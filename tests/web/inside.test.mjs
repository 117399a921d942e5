// The Inside view in Chromium, on the scripted daemon.
//
// That daemon aligns target token i with source token i. Its lower layer attends to this token only, its upper layer to
// all visible tokens equally.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audit } from './support/axe.mjs';
import { PHONE, Viewer, WIDE } from './support/browser.mjs';
import { FakeDaemon } from './support/fake_daemon.mjs';
import { Sender } from './support/sender.mjs';
import { browser, daemon } from './support/stage.mjs';

const TALK = 'Guten Morgen allerseits und';

function inside(query = '', more = {}) {
  return Viewer.open(browser, daemon, { query: `inside${query}`, ...more });
}

async function rows(viewer, count) {
  await viewer.page.waitForFunction((min) => document.querySelectorAll('.grid .action').length >= min, count);
}

function texts(viewer, selector) {
  return viewer.page.locator(`.grid ${selector}`).allTextContents();
}

// Returns the description of the cell under the arrow keys or the pointer.
function cell(viewer) {
  return viewer.page.locator('.cell').textContent();
}

test('a stream with attention is a grid of tokens with shade, dots and the staircase', async () => {
  const viewer = await inside();
  const sender = await Sender.open(daemon, { attention: true, policy: 'gma:delta=2' });
  await sender.source(TALK);
  await rows(viewer, 6);
  assert.deepEqual(await texts(viewer, 'text.source'), ['Gute', '·n', 'Morg', '·en', 'alle', '·rseits', 'und']);
  assert.deepEqual(await texts(viewer, 'text.target'), ['GUTE', '·N', 'MORG', '·EN', 'ALLE', '·RSEITS']);
  assert.deepEqual(await texts(viewer, 'text.action'), ['READ 2, WRITE', ...Array(5).fill('READ 1, WRITE')].slice(0, 6));
  assert.equal(await viewer.page.locator('.grid circle.dot').count(), 6, 'the dots of the lower layer');
  assert.ok((await viewer.page.locator('.grid path.shade').count()) > 0);
  assert.deepEqual(await viewer.page.locator('[name="layer"] option').allTextContents(), ['mean of all', '0, the lowest', '1']);
  await viewer.page.selectOption('[name="layer"]', '1');
  await viewer.page.waitForFunction(() => document.querySelectorAll('.grid circle').length === 0);
  await sender.finish();
  await viewer.shows('.number', 'Sentence 1');
  await rows(viewer, 8);
  assert.equal((await texts(viewer, 'text.source')).at(-1), '</s>');
  await viewer.close();
});

test('the arrow keys describe the attention of each cell', async () => {
  const viewer = await inside();
  const sender = await Sender.open(daemon, { attention: true, policy: 'gma:delta=2' });
  await sender.source(TALK);
  await rows(viewer, 6);
  await viewer.page.focus('.grid');
  await viewer.page.keyboard.press('ArrowUp');
  assert.match(await cell(viewer), /^“RSEITS” from “und” · weight 0\.071 · p 5\.00 · 7 of 7 tokens read · written \d+\.\d\d s after/u);
  await viewer.page.keyboard.press('ArrowLeft');
  assert.match(await cell(viewer), /^“RSEITS” from “rseits” · weight 0\.57\d/u);
  await viewer.page.keyboard.press('Home');
  for (let i = 0; i < 9; i += 1) await viewer.page.keyboard.press('ArrowUp');
  assert.match(await cell(viewer), /^“GUTE” from “Gute” · weight 0\.750 · p 0\.000 · 2 of 7/u);
  for (let i = 0; i < 3; i += 1) await viewer.page.keyboard.press('ArrowRight');
  assert.match(await cell(viewer), /^“GUTE” from “en” · not read yet/u);
  await viewer.page.keyboard.press('Escape');
  assert.equal(await cell(viewer), '');
  await viewer.page.locator('.grid text.action').nth(2).hover();
  assert.match(await cell(viewer), /^“MORG”/u);
  await sender.finish();
  await viewer.close();
});

test('a stream without attention is a grid of words, and the page explains how to get attention', async () => {
  const viewer = await inside();
  const sender = await Sender.open(daemon, { policy: 'gma:delta=2' });
  await sender.source(TALK);
  await rows(viewer, 6);
  assert.deepEqual(await texts(viewer, 'text.source'), ['Guten', 'Morgen', 'allerseits', 'und']);
  assert.deepEqual((await texts(viewer, 'text.action')).slice(0, 2), ['READ 1, WRITE', 'READ 1, WRITE']);
  assert.equal(await viewer.page.locator('.grid .shade, .grid .dot').count(), 0);
  await viewer.shows('.hint', 'surtitle pipe --attention');
  await viewer.shows('.hint', "tick “Send the model's attention” under “Expert” in the console");
  assert.ok(await viewer.page.locator('.hint').isVisible());
  await sender.finish();
  await viewer.close();
});

test('curves and numbers of AL, AP, DAL, CW and delay follow the stream', async () => {
  const viewer = await inside();
  const sender = await Sender.open(daemon, { attention: true });
  await sender.source('Guten Morgen. Wie geht');
  await sender.first(({ type, sentence }) => type === 'metrics' && sentence === 1);
  const metrics = sender.messages.findLast(({ type }) => type === 'metrics');
  await viewer.shows('[data-score="al"] .value', metrics.al.toFixed(1));
  await viewer.shows('[data-score="ap"] .value', metrics.ap.toFixed(2));
  await viewer.shows('[data-score="dal"] .mean', `mean ${metrics.stream.dal.toFixed(1)}`);
  await viewer.shows('[data-score="delay"] .value', /^\d+\.\d\d$/u);
  const drawn = () => {
    const canvas = document.querySelector('.curves canvas');
    const pixels = canvas?.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data ?? [];
    return new Set(Array.from({ length: pixels.length / 4 }, (_, i) => `${pixels.slice(i * 4, i * 4 + 3)}`)).size > 4;
  };
  await viewer.page.waitForFunction(drawn);
  await sender.finish();
  await viewer.close();
});

test('earlier sentences can be shown, and from the last one the view follows again', async () => {
  const viewer = await inside();
  const sender = await Sender.open(daemon, { attention: true });
  await sender.source('Eins. Zwei.');
  await viewer.shows('.number', 'Sentence 2');
  await viewer.page.click('[name="earlier"]');
  await viewer.shows('.number', 'Sentence 1');
  await sender.source('Drei.');
  await sender.first(({ type, sentence }) => type === 'sentence' && sentence === 2);
  await viewer.shows('.number', 'Sentence 1');
  await viewer.page.click('[name="later"]');
  await viewer.page.click('[name="later"]');
  await viewer.shows('.number', 'Sentence 3');
  await sender.source('Vier.');
  await viewer.shows('.number', 'Sentence 4');
  await sender.finish();
  await viewer.close();
});

test('each track can be chosen', async () => {
  const viewer = await inside();
  const sender = await Sender.open(daemon, { attention: true, policy: 'wait-k:k=1', tracks: [{ name: 'slow', policy: 'wait-k:k=3' }] });
  await sender.source('Ja gut also nun');
  await rows(viewer, 4);
  assert.deepEqual(await viewer.page.locator('[name="track"] option').allTextContents(), [
    'first · en · scripted · wait-k:k=1',
    'slow · en · scripted · wait-k:k=3',
  ]);
  await viewer.page.selectOption('[name="track"]', 'slow');
  await viewer.page.waitForFunction(() => document.querySelector('.grid .action')?.textContent === 'READ 3, WRITE');
  await sender.finish();
  await viewer.close();
});

for (const theme of ['dark', 'light']) {
  for (const [screen, viewport] of [['a desk', WIDE], ['a phone', PHONE]]) {
    test(`axe finds no violation on the page, ${theme}, on ${screen}`, async () => {
      const viewer = await inside(`?theme=${theme}`, { viewport });
      const sender = await Sender.open(daemon, { attention: true, policy: 'gma:delta=2' });
      await sender.source(TALK);
      await rows(viewer, 6);
      await viewer.page.focus('.grid');
      await viewer.page.keyboard.press('ArrowUp');
      const { violations, contrasts } = await audit(viewer.page);
      assert.deepEqual(violations, []);
      for (const what of ['class="cell"', 'class="value"', 'class="number"', '<select']) {
        assert.ok(contrasts.some((html) => html.includes(what)), `${what} was measured`);
      }
      await sender.finish();
      await viewer.close();
    });
  }
}

test('without a theme in the address, the page is light or dark like the system', async () => {
  const viewer = await inside();
  for (const colorScheme of ['light', 'dark']) {
    await viewer.page.emulateMedia({ colorScheme });
    await viewer.page.reload();
    assert.equal(await viewer.page.evaluate(() => document.documentElement.dataset.theme), colorScheme);
  }
  await viewer.close();
});

test('without the plotting library the page shows the numbers, the grid and the remedy', async () => {
  const viewer = await inside('', { listen: (page) => page.route('**/node_modules/**', (route) => route.abort()) });
  const sender = await Sender.open(daemon, { attention: true, policy: 'gma:delta=2' });
  await sender.source(TALK);
  await rows(viewer, 6);
  await viewer.shows('.curves', 'npm ci --prefix web');
  await viewer.shows('[data-score="al"] .value', /\d/u);
  await sender.finish();
  await viewer.close({ expected: /ERR_FAILED/u });
});

test('the daemon serves the library and its licence', async () => {
  for (const file of ['dist/echarts.esm.min.mjs', 'LICENSE', 'NOTICE']) {
    const answer = await fetch(new URL(`node_modules/echarts/${file}`, daemon.url));
    assert.equal(answer.status, 200, file);
    assert.match(await answer.text(), /Apache/u);
  }
});

test('data from the network is text, never markup', async () => {
  const evil = '<img src=x onerror=alert(1)>';
  const fake = await FakeDaemon.start(() => [
    { type: 'ready', stream: 's', tracks: [{ name: '', target: 'en', model: evil, policy: evil }, { name: 'b', target: evil, model: 'm', policy: 'p' }] },
    { type: 'source', sentence: 0, text: 'Ja', taken: 1 },
    { type: 'write', sentence: 0, index: 0, text: evil, read: 1, words: 1, time: 2 },
    { type: 'attention', sentence: 0, index: 0, target: evil, read: 1, source_from: 0, source: [evil], layers: [{ weights: [1], positions: [0] }] },
  ]);
  const viewer = await Viewer.open(browser, fake, { query: 'inside.html' });
  await rows(viewer, 1);
  await viewer.page.focus('.grid');
  await viewer.page.keyboard.press('ArrowUp');
  assert.equal(await viewer.page.locator('img').count(), 0);
  assert.ok((await cell(viewer)).includes('<img src=x'));
  await viewer.close();
});
