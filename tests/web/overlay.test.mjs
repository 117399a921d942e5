// The overlay as a browser source of OBS: over another picture, and without a user.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rolled, Viewer } from './support/browser.mjs';
import { Daemon } from './support/daemon.mjs';
import { Sender } from './support/sender.mjs';
import { browser, daemon } from './support/stage.mjs';
import { witness } from './support/witness.mjs';

const STREAM = { width: 1280, height: 720 };

function open(query, more = {}) {
  return Viewer.open(browser, daemon, { query: `c/main?overlay=1${query}`, viewport: STREAM, ...more });
}

// Returns the colours of the screen at places, as [red, green, blue, opacity]. Places without paint have opacity 0.
async function pixels(viewer, places) {
  const png = await viewer.page.screenshot({ omitBackground: true });
  return viewer.page.evaluate(
    async ([base64, wanted]) => {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
      context.drawImage(image, 0, 0);
      return wanted.map(([x, y]) => [...context.getImageData(x, y, 1, 1).data]);
    },
    [png.toString('base64'), places],
  );
}

function style(viewer, selector) {
  return viewer.page.locator(selector).last().evaluate((element) => {
    const { color, fontSize, fontFamily, backgroundImage, textTransform, textShadow, opacity } = getComputedStyle(element);
    return { color, fontSize, fontFamily, backgroundImage, textTransform, textShadow, opacity };
  });
}

// Returns the box behind the last line of an element.
function rowOf(viewer, selector) {
  return viewer.page.evaluate((where) => {
    const words = document.querySelector(`${where} .sentence:last-child .words`);
    const { left, width, top, height } = [...words.getClientRects()].at(-1);
    const row = parseFloat(getComputedStyle(words).lineHeight);
    return { x: left, width, y: top + (height - row) / 2, height: row };
  }, selector);
}

test('an overlay shows only its lines', async () => {
  const viewer = await open('');
  assert.deepEqual(await pixels(viewer, [[5, 5], [640, 360], [640, 700]]), [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]);
  const sender = await Sender.open(daemon);
  await sender.source('Eins ist vorbei. Zwei ist vorbei. Drei ist da.');
  await viewer.reads('#target', 'DREI IST DA.');
  await rolled(viewer);
  for (const what of ['header', 'footer', '#settings', '#placeholder', '#origin', '#stale']) {
    assert.ok(!(await viewer.page.isVisible(what)), what);
  }
  const line = await rowOf(viewer, '#target');
  const [corner, box, beside] = await pixels(viewer, [[5, 5], [line.x + 3, line.y + 3], [line.x + line.width + 9, line.y + 9]]);
  assert.deepEqual([corner[3], beside[3]], [0, 0]);
  for (const [i, value] of [11, 13, 17, 0.65 * 255].entries()) assert.ok(Math.abs(box[i] - value) < 3, `${box}`);
  await sender.finish();
  await viewer.close();
});

test('lines, sizes, colours and positions are those of the address', async () => {
  const viewer = await open(
    '&lines=1&size=40&color=ff0&bg=000080&bgopacity=50&valign=top&dual=1&originalcolor=0f0&uppercase=1&font=Noto%20Sans&outline=2&outlinecolor=123456&maxwidth=50&align=right',
  );
  const sender = await Sender.open(daemon);
  await sender.source('Eins. Zwei und noch viel mehr als auf eine halbe Zeile passt');
  await viewer.reads('#target', 'ZEILE');
  await rolled(viewer);
  const line = await style(viewer, '#target .words');
  assert.equal(line.color, 'rgb(255, 255, 0)');
  assert.equal(line.fontSize, '40px');
  assert.match(line.fontFamily, /^"Noto Sans"/u);
  assert.match(line.backgroundImage, /rgba\(0, 0, 128, 0\.5\)/u);
  assert.equal(line.textTransform, 'uppercase');
  assert.match(line.textShadow, /rgb\(18, 52, 86\) 2px 0px/u);
  const frame = await viewer.page.locator('#target .lines').boundingBox();
  const last = await rowOf(viewer, '#target');
  assert.ok(frame.y + frame.height < STREAM.height / 2, 'at the top');
  assert.ok(Math.abs(frame.width - 0.5 * 0.92 * STREAM.width) < 2, `${frame.width}`);
  assert.ok(Math.abs(last.x + last.width - (frame.x + frame.width)) < 2, 'at its end');
  assert.ok((await rowOf(viewer, '#source')).height > 0);
  await sender.finish();
  await viewer.close();
});

test('errors in the address are reported on the console, never on air', async () => {
  const warnings = [];
  const viewer = await open('&lines=99&color=red;x&nonsense=1&size=40', {
    listen: (page) => page.on('console', (message) => warnings.push(message.text())),
  });
  assert.deepEqual(warnings.map((text) => text.split(':')[0]), ['lines=99', 'color=red;x', 'nonsense']);
  assert.equal(await viewer.page.evaluate(() => document.body.innerText.trim()), '');
  const sender = await Sender.open(daemon);
  await sender.source('Eins.');
  await viewer.reads('#target', 'EINS.');
  assert.equal((await style(viewer, '#target .sentence')).fontSize, '40px');
  await sender.finish();
  await viewer.close();
});

test('lines disappear after the silence that the address gives', async () => {
  const viewer = await open('&fade=5', { clock: true });
  const sender = await Sender.open(daemon);
  await sender.source('Eins.');
  await viewer.reads('#target', 'EINS.');
  await viewer.page.clock.fastForward(4_000);
  assert.equal(await viewer.page.locator('.sentence.past').count(), 0);
  await viewer.page.clock.fastForward(2_000);
  await rolled(viewer);
  assert.equal((await style(viewer, '#target .sentence.past')).opacity, '0');
  await sender.source('Zwei.');
  await viewer.reads('#target', 'ZWEI.');
  await rolled(viewer);
  assert.equal((await style(viewer, '#target .sentence')).opacity, '1');
  assert.equal((await style(viewer, '#target .sentence.past')).opacity, '0');
  await sender.finish();
  await viewer.close();
});

test('an overlay reconnects by itself, and marks the loss if the address requests it', async () => {
  const first = await Daemon.scripted();
  const marked = await Viewer.open(browser, first, { query: 'c/main?overlay=1&stale=1' });
  const plain = await Viewer.open(browser, first, { query: 'c/main?overlay=1' });
  assert.ok(!(await marked.page.isVisible('#stale')));
  await first.stop('SIGKILL');
  await marked.page.locator('#stale').waitFor({ state: 'visible' });
  await plain.page.locator('html[data-lost]').waitFor({ state: 'attached' });
  assert.ok(!(await plain.page.isVisible('#stale')));
  assert.equal(await plain.page.evaluate(() => document.body.innerText.trim()), '');
  const second = await Daemon.scripted({ port: first.port });
  await marked.page.locator('#stale').waitFor({ state: 'hidden' });
  const sender = await Sender.open(second);
  await sender.source('Weiter.');
  await Promise.all([marked, plain].map((viewer) => viewer.reads('#target', 'WEITER.')));
  await sender.finish();
  const expected = /^Failed to load resource: net::|WebSocket connection/u;
  await Promise.all([marked, plain].map((viewer) => viewer.close({ expected })));
  assert.equal(await second.stop(), 0);
});

test('text of an overlay is neither moved nor taken back', async () => {
  const viewer = await open('&lines=2&dual=1', { watch: witness });
  const sender = await Sender.open(daemon);
  for (const word of 'Wir müssen uns heute fragen, ob das alles so bleiben kann, wie es einmal war.'.split(' ')) {
    await sender.source(word);
  }
  await viewer.shows('#spoken', 'WAR.');
  const { moved, lost, changed } = await viewer.page.evaluate(() => window.witness);
  assert.deepEqual([moved, lost, changed], [[], [], []]);
  await sender.finish();
  await viewer.close();
});
