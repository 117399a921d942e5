// The viewer's settings, and use of the page with a keyboard, a screen reader or a voice.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audit } from './support/axe.mjs';
import { PHONE, rolled, Viewer, WIDE } from './support/browser.mjs';
import { FakeDaemon } from './support/fake_daemon.mjs';
import { Sender } from './support/sender.mjs';
import { browser, daemon } from './support/stage.mjs';

const THEMES = ['dark', 'light', 'cream', 'blue', 'yellow'];

const TALK = 'Eins ist vorbei. Zwei ist vorbei. Drei ist vorbei. Vier ist nun da';

function variable(viewer, name) {
  return viewer.page.evaluate((which) => getComputedStyle(document.documentElement).getPropertyValue(which).trim(), name);
}

async function openSettings(viewer) {
  await viewer.page.click('#open-settings');
  await viewer.page.locator('#settings').waitFor();
}

for (const theme of THEMES) {
  for (const [screen, viewport] of [['a projector', WIDE], ['a phone', PHONE]]) {
    test(`axe finds no violation in the theme ${theme} on ${screen}, with settings closed and open`, async () => {
      const viewer = await Viewer.open(browser, daemon, { query: `c/main?theme=${theme}&metrics=1&pace=17&fade=0`, viewport });
      const sender = await Sender.open(daemon, { policy: 'wait-k:k=3' });
      await sender.source(TALK);
      await viewer.reads('#target', 'VIER');
      await rolled(viewer);
      const closed = await audit(viewer.page);
      assert.deepEqual(closed.violations, []);
      assert.deepEqual(closed.unknown, []);
      for (const what of ['class="word"', 'id="state"', 'id="model"', 'class="value"', 'id="open-settings"']) {
        assert.ok(closed.contrasts.some((html) => html.includes(what)), `${what} was measured`);
      }
      await openSettings(viewer);
      await viewer.page.check('[name="own"]');
      const open = await audit(viewer.page);
      assert.deepEqual(open.violations, []);
      for (const what of ['<legend', '<select', 'id="contrast"', 'id="close-settings"']) {
        assert.ok(open.contrasts.some((html) => html.includes(what)), `${what} was measured`);
      }
      await sender.finish();
      await viewer.close();
    });
  }
}

test('axe reports a theme’s contrast if it is too low', async () => {
  const viewer = await Viewer.open(browser, daemon, { query: 'c/main?theme=dark' });
  await viewer.page.evaluate(() => document.documentElement.style.setProperty('--muted', '#333'));
  const { violations } = await audit(viewer.page);
  assert.ok(violations.some((violation) => violation.startsWith('color-contrast')));
  await viewer.close();
});

test('the settings can be used by keyboard, and are stored', async () => {
  const viewer = await Viewer.open(browser, daemon);
  const { keyboard } = viewer.page;
  const focused = () => viewer.page.evaluate(() => [document.activeElement].map(({ id, name, textContent }) => id || name || textContent)[0]);
  await keyboard.press('Tab');
  assert.equal(await focused(), 'full-screen');
  await keyboard.press('Tab');
  assert.equal(await focused(), 'open-settings');
  await keyboard.press('Enter');
  assert.equal(await focused(), 'scale');
  const size = () => viewer.page.locator('#target').evaluate((element) => parseFloat(getComputedStyle(element).fontSize));
  const before = await size();
  for (let i = 0; i < 5; i += 1) await keyboard.press('ArrowRight');
  assert.ok(Math.abs((await size()) - 1.5 * before) < 0.5);
  const seen = [];
  for (let i = 0; i < 20 && seen.at(-1) !== 'close-settings'; i += 1) {
    await keyboard.press('Tab');
    seen.push(await focused());
    if (seen.at(-1) === 'theme') await keyboard.press('c');
    if (seen.at(-1) === 'source') await keyboard.press('Space');
  }
  assert.deepEqual(seen, [
    'lines', 'position', 'source', 'metrics', 'theme', 'own', 'pace', 'hold', 'aloud', 'Download text', 'Download WebVTT', 'to-console', 'reset',
    'close-settings',
  ]);
  await keyboard.press('Escape');
  assert.equal(await focused(), 'open-settings');
  assert.equal(await viewer.page.getAttribute('#open-settings', 'aria-expanded'), 'false');
  assert.ok(!(await viewer.page.isVisible('#settings')));
  await viewer.page.reload();
  await viewer.page.locator('html[data-theme="cream"]:not([data-source])').waitFor();
  assert.ok(Math.abs((await size()) - 1.5 * before) < 0.5);
  await openSettings(viewer);
  await viewer.page.click('#reset');
  await viewer.page.locator('html[data-theme="light"][data-source]').waitFor();
  await viewer.page.reload();
  await viewer.page.locator('html[data-theme="light"][data-source]').waitFor();
  await viewer.close();
});

test('the number of lines, their position and the source words can be set during a stream', async () => {
  const viewer = await Viewer.open(browser, daemon);
  const sender = await Sender.open(daemon);
  await sender.source('Eins. Zwei. Drei. Vier. Sechs. Sieben.');
  await viewer.reads('#target', 'SIEBEN.');
  await openSettings(viewer);
  const sees = (count) =>
    viewer.page.waitForFunction((expected) => {
      const frame = document.querySelector('#target').getBoundingClientRect();
      const lines = [...document.querySelectorAll('#target .sentence')];
      const seen = lines.filter((line) => line.getBoundingClientRect().top >= frame.top - 1);
      return seen.length === expected && seen.at(-1).textContent === 'SIEBEN.';
    }, count);
  for (const lines of [1, 3, 6]) {
    await viewer.page.selectOption('[name="lines"]', `${lines}`);
    await sees(lines);
  }
  const bottom = () =>
    viewer.page.locator('#target .sentence').last().evaluate((sentence) => sentence.getBoundingClientRect().bottom);
  await viewer.page.selectOption('[name="lines"]', '2');
  const places = [];
  for (const position of ['top', 'middle', 'bottom']) {
    await viewer.page.selectOption('[name="position"]', position);
    await rolled(viewer);
    places.push((await bottom()) / WIDE.height);
  }
  assert.ok(places[0] < 0.45 && places[1] > 0.45 && places[1] < 0.7 && places[2] > 0.75, `${places}`);
  await viewer.page.uncheck('[name="source"]');
  await rolled(viewer);
  const { height } = await viewer.page.locator('#source').boundingBox();
  assert.equal(height, 0);
  await sender.finish();
  await viewer.close();
});

test('if lines are too large for the window, the newest stay visible in every position', async () => {
  for (const position of ['top', 'middle', 'bottom']) {
    const viewer = await Viewer.open(browser, daemon, { query: `c/main?lines=12&size=120&position=${position}` });
    const sender = await Sender.open(daemon);
    await sender.source(Array.from({ length: 14 }, (_, i) => `Satz ${i} ist vorbei.`).join(' '));
    await viewer.reads('#target', 'SATZ 13 IST VORBEI.');
    await rolled(viewer);
    const last = await viewer.page.locator('#target .sentence').last().boundingBox();
    const head = await viewer.page.locator('header').boundingBox();
    assert.ok(last.y > head.y + head.height && last.y + last.height <= WIDE.height + 1, `${position}: ${last.y}`);
    await sender.finish();
    await viewer.close();
  }
});

test('the viewer’s own colours start with those of the theme, and their contrast is shown', async () => {
  const viewer = await Viewer.open(browser, daemon, { query: 'c/main?theme=cream' });
  await openSettings(viewer);
  await viewer.page.check('[name="own"]');
  assert.equal(await viewer.page.inputValue('[name="bg"]'), await variable(viewer, '--ground'));
  await viewer.shows('#contrast', /^Contrast \d+\.\d$/u);
  await viewer.page.fill('[name="color"]', '#ddccbb');
  await viewer.shows('#contrast', /^Contrast 1\.\d, hard to read; advised: at least 4\.5$/u);
  assert.equal(await variable(viewer, '--text'), '#ddccbb');
  await viewer.page.reload();
  assert.equal(await variable(viewer, '--text'), '#ddccbb');
  await openSettings(viewer);
  await viewer.page.uncheck('[name="own"]');
  assert.equal(await variable(viewer, '--text'), '#2b2118');
  await viewer.close();
});

test('a screen reader receives whole sentences, each once', async () => {
  const viewer = await Viewer.open(browser, daemon, {
    watch: () => {
      window.announced = [];
      document.addEventListener('DOMContentLoaded', () => {
        const log = document.querySelector('[aria-live]');
        new MutationObserver((records) => {
          for (const { addedNodes } of records) window.announced.push(...[...addedNodes].map((node) => node.textContent));
        }).observe(log, { childList: true, characterData: true, subtree: true });
      });
    },
  });
  const sender = await Sender.open(daemon);
  for (const word of 'Guten Morgen. Wie geht es Ihnen? Und'.split(' ')) await sender.source(word);
  await viewer.shows('#spoken', 'WIE GEHT ES IHNEN?');
  assert.deepEqual(await viewer.page.evaluate(() => window.announced), ['GUTEN MORGEN.', 'WIE GEHT ES IHNEN?']);
  assert.equal(await viewer.page.locator('[aria-live]').count(), 1);
  await sender.finish();
  await viewer.close();
});

// Runs in the page: replaces the browser's voices by one of the test.
function voice() {
  window.said = [];
  const synthesis = {
    getVoices: () => [{ lang: 'en-GB', localService: true }],
    speak: (utterance) => window.said.push([utterance.text, utterance.lang]),
    cancel: () => {},
  };
  Object.defineProperty(window, 'speechSynthesis', { value: synthesis });
  window.SpeechSynthesisUtterance = class extends EventTarget {
    constructor(text) {
      super();
      this.text = text;
    }
  };
}

test('sentences are read aloud on request', async () => {
  const viewer = await Viewer.open(browser, daemon, { watch: voice });
  const sender = await Sender.open(daemon);
  await viewer.page.locator('#target[lang="en"]').waitFor({ state: 'attached' });
  await sender.source('Still. Stumm.');
  await viewer.shows('#spoken', 'STUMM.');
  assert.deepEqual(await viewer.page.evaluate(() => window.said), []);
  await openSettings(viewer);
  await viewer.page.check('#aloud');
  await sender.source('Nun laut.');
  await viewer.shows('#spoken', 'NUN LAUT.');
  assert.deepEqual(await viewer.page.evaluate(() => window.said), [['NUN LAUT.', 'en-GB']]);
  await sender.finish();
  await viewer.close();
});

test('without voices in the browser the page works and does not offer reading aloud', async () => {
  const viewer = await Viewer.open(browser, daemon, {
    watch: () => Object.defineProperty(window, 'speechSynthesis', { value: undefined }),
  });
  await openSettings(viewer);
  assert.ok(!(await viewer.page.isVisible('#aloud')));
  await viewer.close();
});

test('the origin of a word is shown under the pointer and by keyboard', async () => {
  const viewer = await Viewer.open(browser, daemon);
  const sender = await Sender.open(daemon, { policy: 'wait-k:k=2' });
  await sender.source('Wie geht es');
  await viewer.reads('#target', 'WIE');
  const write = await sender.first(({ type, text }) => type === 'write' && text === 'WIE');
  await viewer.page.hover('#target .word');
  await viewer.shows('#origin', /^“WIE” from “Wie geht” · 2 words, 2 tokens read · \d+\.\d+ s after the last of them$/u);
  assert.deepEqual([write.words, write.read], [2, 2]);
  assert.deepEqual(await viewer.page.locator('#source .made').allTextContents(), ['Wie', 'geht']);
  await viewer.page.mouse.move(5, 5);
  await viewer.shows('#origin', /^$/u);
  assert.equal(await viewer.page.locator('#source .made').count(), 0);

  await sender.source('Ihnen?');
  await viewer.reads('#target', 'IHNEN?');
  await viewer.page.focus('#target');
  await viewer.page.keyboard.press('ArrowLeft');
  await viewer.shows('#origin', /^“IHNEN\?” from “Wie geht es Ihnen\?” · 4 words, /u);
  const active = await viewer.page.getAttribute('#target', 'aria-activedescendant');
  assert.equal(await viewer.page.locator(`#${active}`).textContent(), 'IHNEN?');
  await viewer.page.keyboard.press('Home');
  await viewer.shows('#origin', /^“WIE”/u);
  await viewer.page.keyboard.press('ArrowRight');
  await viewer.shows('#origin', /^“GEHT” from “Wie geht es” · 3 words/u);
  await viewer.page.keyboard.press('Escape');
  await viewer.shows('#origin', /^$/u);
  await sender.finish();
  await viewer.close();
});

test('with a pace, text waits until there is room for it, and the delay is shown', async () => {
  const viewer = await Viewer.open(browser, daemon, { query: 'c/main?metrics=1&lines=2&chars=10&pace=10&hold=0', clock: true });
  const sender = await Sender.open(daemon);
  const reading = '[data-metric="reading"]';
  await viewer.shows(`${reading} .value`, '+0.0');
  // The room is twenty characters. The last word waits until ten of them are read.
  await sender.source('Abcdefghi abcdefghi abcdefghi.');
  await sender.first(({ type }) => type === 'sentence');
  await viewer.reads('#source', 'Abcdefghi abcdefghi abcdefghi.');
  await viewer.reads('#target', 'ABCDEFGHI ABCDEFGHI');
  assert.equal(await viewer.text('#target'), 'ABCDEFGHI ABCDEFGHI');
  await viewer.page.clock.fastForward(2_000);
  await viewer.shows('#spoken', 'ABCDEFGHI ABCDEFGHI ABCDEFGHI.');
  await viewer.shows(`${reading} .value`, /^\+[12]\.\d$/u);
  await sender.finish();
  await viewer.close();
});

test('without a pace no reading delay is shown', async () => {
  const viewer = await Viewer.open(browser, daemon, { query: 'c/main?metrics=1' });
  assert.ok(!(await viewer.page.isVisible('[data-metric="reading"]')));
  await viewer.close();
});

test('latencies and the model are shown only on request, in the address or the settings', async () => {
  const asked = await Viewer.open(browser, daemon, { query: 'c/main?metrics=1' });
  assert.ok(await asked.page.isVisible('#metrics'));
  await asked.close();
  const viewer = await Viewer.open(browser, daemon);
  assert.ok(!(await viewer.page.isVisible('footer')));
  await openSettings(viewer);
  await viewer.page.check('[name="metrics"]');
  assert.ok(await viewer.page.isVisible('footer'));
  await viewer.page.reload();
  await viewer.page.locator('footer').waitFor({ state: 'visible' });
  await viewer.close();
});

test('the page is light or dark like the system, also if that changes, unless a theme is chosen', async () => {
  const viewer = await Viewer.open(browser, daemon);
  const theme = (name) => viewer.page.locator(`html[data-theme="${name}"]`).waitFor();
  await theme('light');
  await viewer.page.emulateMedia({ colorScheme: 'dark' });
  await theme('dark');
  await openSettings(viewer);
  await viewer.page.selectOption('[name="theme"]', 'cream');
  await theme('cream');
  await viewer.page.emulateMedia({ colorScheme: 'light' });
  await theme('cream');
  await viewer.page.selectOption('[name="theme"]', 'auto');
  await theme('light');
  await viewer.close();
});

test('a button shows the page on the full screen and leaves it', async () => {
  const viewer = await Viewer.open(browser, daemon);
  await viewer.page.click('#full-screen');
  await viewer.shows('#full-screen', 'Leave full screen');
  assert.ok(await viewer.page.evaluate(() => document.fullscreenElement === document.documentElement));
  await viewer.page.click('#full-screen');
  await viewer.shows('#full-screen', /^Full screen$/u);
  await viewer.close();
});

for (const viewport of [PHONE, { width: 320, height: 480 }, { width: 844, height: 390 }, WIDE]) {
  test(`on ${viewport.width}x${viewport.height} every setting can be reached, and the settings can be closed`, async () => {
    const viewer = await Viewer.open(browser, daemon, { viewport });
    await openSettings(viewer);
    await viewer.page.check('[name="own"]');
    assert.equal(await viewer.page.evaluate(() => document.documentElement.scrollWidth), viewport.width);
    const close = await viewer.page.locator('#close-settings').boundingBox();
    assert.ok(close.y + close.height <= viewport.height, 'without scrolling');
    for (const control of await viewer.page.locator('#settings :is(input, select, button, a)').all()) {
      if (!(await control.isVisible())) continue;
      await control.scrollIntoViewIfNeeded();
      const box = await control.boundingBox();
      const name = await control.evaluate(({ name: own, id, textContent }) => own || id || textContent);
      assert.ok(box.x >= 0 && box.x + box.width <= viewport.width, `${name}: ${JSON.stringify(box)}`);
      assert.ok(box.y >= 0 && box.y + box.height <= viewport.height, `${name}: ${JSON.stringify(box)}`);
    }
    await viewer.page.click('#close-settings');
    await viewer.page.locator('#settings').waitFor({ state: 'hidden' });
    await viewer.close();
  });
}

// A stream of one sentence, whose `messages` follow its source words.
function fakeStream(messages = []) {
  const ready = { type: 'ready', channel: 'main', stream: 's-1', model: 'm', policy: 'p', warnings: [], limits: {}, tracks: [] };
  const source = { type: 'source', sentence: 0, text: 'Der Beitrag der Kommission', taken: 10 };
  return FakeDaemon.start(() => [ready, source, ...messages]);
}

const write = (index, text) => ({ type: 'write', sentence: 0, index, text, read: 4, words: 3, time: 20 });

for (const query of ['c/main', 'c/main?overlay=1&source=1']) {
  test(`${query} shows only whole words, as soon as they are complete`, async () => {
    const fake = await fakeStream();
    const viewer = await Viewer.open(browser, fake, { query });
    const more = (text) => ({ type: 'source', sentence: 0, text, taken: 20 });
    const steps = [['The', ''], [' contribu', 'The'], ['tion', 'The'], [' of', 'The contribution'], [' it', 'The contribution of']];
    for (const [i, [piece, shown]] of steps.entries()) {
      fake.viewers[0].send(write(i, piece));
      fake.viewers[0].send(more(`w${i}`));
      await viewer.reads('#source', `w${i}`);
      assert.equal(await viewer.text('#target'), shown);
    }
    fake.viewers[0].send({ type: 'sentence', sentence: 0, source: '', target: 'The contribution of it', metrics: { words: {} } });
    await viewer.reads('#target', 'The contribution of it');
    assert.deepEqual(await viewer.page.locator('#target .word').allTextContents(), ['The', 'contribution', 'of', 'it']);
    await viewer.close();
  });
}

test('what a word was made from is its aligned word, strong, after the words that were read', async () => {
  const layers = [{ weights: [0.1, 0.7, 0.1, 0.1], positions: [] }];
  const attention = { type: 'attention', sentence: 0, index: 0, target: '▁contribution', read: 4, source_from: 0, source: ['▁Der', '▁Bei', 'trag', '▁der'], layers };
  const fake = await fakeStream([write(0, 'Contribution'), attention, write(1, ' of')]);
  const viewer = await Viewer.open(browser, fake, { query: 'c/main' });
  await viewer.reads('#target', 'Contribution');
  await viewer.page.hover('#target .word');
  await viewer.shows('#origin', '“Contribution” from “Der Beitrag der”');
  assert.equal(await viewer.page.textContent('#origin strong'), 'Beitrag');
  assert.deepEqual(await viewer.page.locator('#source .made').allTextContents(), ['Der', 'Beitrag', 'der']);
  assert.deepEqual(await viewer.page.locator('#source .aligned').allTextContents(), ['Beitrag']);
  await viewer.close();
});
