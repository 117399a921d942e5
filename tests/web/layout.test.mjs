// The layout of the page: all text stays on the screen, from a phone to a projector.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PHONE, rolled, Viewer, WIDE } from './support/browser.mjs';
import { Sender } from './support/sender.mjs';
import { browser, daemon } from './support/stage.mjs';
import { witness } from './support/witness.mjs';

const LONG = `Das Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz ${'unendlich'.repeat(14)} und
  https://example.org/ein/sehr/langer/pfad/der/nirgendwo/umbrochen/werden/kann?weil=er&keine=Leerzeichen#hat steht
  mit WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW und iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii hier`;

// Returns a line for each element outside the window or over another one.
function misplaced(viewer) {
  return viewer.page.evaluate(() => {
    const found = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth} wide`);
    for (const element of document.querySelectorAll('.word, header *, footer *')) {
      const { left, right } = element.getBoundingClientRect();
      if (left < 0 || right > clientWidth) found.push(`${element.textContent}: ${left} to ${right}`);
    }
    const edges = (top, bottom = top) => ({
      top: document.querySelector(top).getBoundingClientRect().top,
      bottom: document.querySelector(bottom).getBoundingClientRect().bottom,
    });
    const boxes = [edges('header'), edges('#source'), edges('#target', '#target .sentence:last-child'), edges('footer')];
    for (const [i, box] of boxes.entries()) {
      if (box.top < (boxes[i - 1]?.bottom ?? 0) - 1) found.push(`box ${i} overlaps the one above it`);
    }
    if (boxes.at(-1).bottom > window.innerHeight + 1) found.push('the footer is below the window');
    return found;
  });
}

// Returns the sizes in pixels of the newest two lines, and whether they are visible.
function newestLines(viewer) {
  return viewer.page.evaluate(() => {
    const frame = document.querySelector('#target').getBoundingClientRect();
    const foot = document.querySelector('footer').getBoundingClientRect();
    const { fontSize, opacity } = getComputedStyle(document.querySelector('#target .sentence:last-child'));
    return [...document.querySelector('#target .sentence:last-child .words').getClientRects()].slice(-2).map(({ top, bottom }) => {
      const middle = (top + bottom) / 2;
      return { size: parseFloat(fontSize), opacity: Number(opacity), inSight: middle > frame.top && middle < foot.top };
    });
  });
}

const SCREENS = [
  ['a projector', WIDE, 80],
  ['a large screen', { width: 3840, height: 2160 }, 160],
  ['a phone', PHONE, 24],
  ['a small phone', { width: 320, height: 568 }, 24],
  ['a phone on its side', { width: 844, height: 390 }, 32],
];

for (const [name, viewport, smallest] of SCREENS) {
  test(`on ${name}, lines of any text stay on the screen and are large`, async () => {
    const viewer = await Viewer.open(browser, daemon, { viewport, query: 'c/main?metrics=1' });
    const sender = await Sender.open(daemon);
    for (const word of LONG.split(/\s+/u)) await sender.source(word);
    await sender.endSentence();
    const { target } = sender.messages.findLast(({ type }) => type === 'sentence');
    await viewer.shows('#spoken', target);
    await rolled(viewer);
    assert.deepEqual(await misplaced(viewer), []);
    const newest = await newestLines(viewer);
    assert.equal(newest.length, 2);
    for (const line of newest) {
      assert.deepEqual([line.inSight, line.opacity], [true, 1]);
      assert.ok(line.size >= smallest, `${line.size} px`);
    }
    await sender.finish();
    await viewer.close();
  });
}

test('the rows of a long talk fill a phone, and none is cut', async () => {
  const sender = await Sender.open(daemon, { title: 'Aussprache', speaker: 'Ada' });
  for (let i = 0; i < 30; i += 1) await sender.source('Ein Satz, der zwei Zeilen auf einem Telefon hat.');
  for (const viewport of [PHONE, { width: 320, height: 480 }]) {
    const viewer = await Viewer.open(browser, daemon, { viewport, clock: true });
    await viewer.reads('#target', 'HAT. EIN');
    await viewer.page.clock.runFor(1_000);
    const [room, row, rows] = await viewer.page.evaluate(() => {
      const [head, source, target] = ['header', '#source', '#target'].map((part) => document.querySelector(part));
      const height = parseFloat(getComputedStyle(target).lineHeight);
      return [source.getBoundingClientRect().top - head.getBoundingClientRect().bottom, height, target.clientHeight / height];
    });
    assert.ok(room >= 0 && room < 2 * row, `${room} pixels are empty, of ${row} for a row`);
    assert.ok(Math.abs(rows - Math.round(rows)) < 0.05, `${rows} rows`);
    await viewer.close();
  }
  await sender.finish();
});

test('a phone that is turned shows the same text in other lines', async () => {
  const viewer = await Viewer.open(browser, daemon, { viewport: PHONE, query: 'c/main?metrics=1' });
  const sender = await Sender.open(daemon);
  await sender.source('Kurz. Die Aussprache über den Bericht ist damit geschlossen und wir stimmen morgen');
  await viewer.reads('#target', 'STIMMEN');
  const lastWords = '#target .sentence:last-child .words';
  const width = () => viewer.page.evaluate((words) => document.querySelector(words).getClientRects()[0].width, lastWords);
  const upright = await width();
  const text = await viewer.text('#target');
  await viewer.page.setViewportSize({ width: PHONE.height, height: PHONE.width });
  assert.ok((await width()) > upright, 'longer lines');
  await sender.source('ab.');
  await viewer.reads('#target', 'MORGEN AB.');
  const turned = await viewer.lines('#target');
  assert.equal(await viewer.text('#target'), `${text} MORGEN AB.`);
  assert.equal(turned[0], 'KURZ.', 'a sentence still begins a new line');
  await rolled(viewer);
  assert.deepEqual(await misplaced(viewer), []);
  await sender.finish();
  await viewer.close();
});

// Runs in the page: counts animations by script, and finds animations and transitions of style.css.
function watchMotion() {
  const { animate } = Element.prototype;
  window.animated = 0;
  Element.prototype.animate = function count(...how) {
    window.animated += 1;
    return animate.apply(this, how);
  };
  window.motions = () =>
    Array.from(document.querySelectorAll('*'), (element) => ({ element, style: getComputedStyle(element) }))
      .filter(({ style }) => style.animationName !== 'none' || style.transitionDuration !== '0s')
      .map(({ element }) => `${element.id}.${element.className}`);
}

// Returns the number of rows of the translation for which the source words leave space.
function room(viewer) {
  return viewer.page.evaluate(() => {
    const { top } = document.querySelector('#target').getBoundingClientRect();
    const { bottom, height } = document.querySelector('#target .sentence:last-child').getBoundingClientRect();
    return Math.round((bottom - top) / height);
  });
}

test('the source words are close above two lines, and move up for older ones', async () => {
  const viewer = await Viewer.open(browser, daemon);
  const sender = await Sender.open(daemon);
  const rooms = [];
  for (const word of ['Eins.', 'Zwei.', 'Drei.', 'Vier.', 'Sechs.', 'Sieben.']) {
    await sender.source(word);
    await viewer.reads('#target', word.toUpperCase());
    await rolled(viewer);
    rooms.push(await room(viewer));
  }
  assert.deepEqual(rooms, [2, 2, 3, 4, 4, 4]);
  await sender.finish();
  await viewer.close();
});

for (const when of ['before', 'while']) {
  test(`a window that becomes higher ${when} the speaker talks has larger lines that fit`, async () => {
    const viewer = await Viewer.open(browser, daemon, { viewport: { width: 1400, height: 500 }, query: 'c/main?metrics=1' });
    const sender = await Sender.open(daemon);
    await viewer.shows('#state', 'Live');
    if (when === 'before') await viewer.page.setViewportSize({ width: 1400, height: 800 });
    await sender.source('Die Aussprache über den Bericht ist damit geschlossen und wir stimmen erst morgen Mittag');
    await viewer.reads('#target', 'ERST MORGEN');
    if (when === 'while') await viewer.page.setViewportSize({ width: 1400, height: 800 });
    await sender.source('ab.');
    await viewer.reads('#target', 'AB.');
    await rolled(viewer);
    assert.deepEqual(await misplaced(viewer), []);
    assert.ok((await newestLines(viewer))[0].size > 60);
    await sender.finish();
    await viewer.close();
  });
}

test('a browser that prefers more contrast gets it', async () => {
  const viewer = await Viewer.open(browser, daemon);
  const sender = await Sender.open(daemon);
  await sender.source('Eins. Zwei. Drei.');
  await viewer.reads('#target', 'DREI.');
  const seen = async (contrast) => {
    await viewer.page.emulateMedia({ contrast, colorScheme: 'dark' });
    await rolled(viewer);
    const line = viewer.page.locator('#target .sentence').first();
    return line.evaluate((element) => Number(getComputedStyle(element).opacity));
  };
  assert.ok((await seen('more')) > 1.5 * (await seen('no-preference')));
  await sender.finish();
  await viewer.close();
});

test('a browser that prefers reduced motion gets none', async () => {
  const viewer = await Viewer.open(browser, daemon, { watch: watchMotion });
  await viewer.page.emulateMedia({ reducedMotion: 'reduce' });
  const sender = await Sender.open(daemon);
  await sender.source('Erstens. Zweitens. Drittens.');
  await viewer.reads('#target', 'DRITTENS.');
  assert.equal(await viewer.page.evaluate(() => window.animated), 0);
  assert.deepEqual(await viewer.page.evaluate(() => window.motions()), []);

  await viewer.page.emulateMedia({ reducedMotion: 'no-preference' });
  await sender.source('Viertens.');
  await viewer.reads('#target', 'VIERTENS.');
  // Without that preference lines roll, once they are laid out.
  await viewer.page.waitForFunction(() => window.animated > 0 && window.motions().length > 0);
  await sender.finish();
  await viewer.close();
});
