// The viewer's settings, and use of the page with a keyboard, a screen reader or a voice.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audit } from './support/axe.mjs';
import { PHONE, rolled, Viewer, WIDE } from './support/browser.mjs';
import { Sender } from './support/sender.mjs';
import { browser, daemon } from './support/stage.mjs';

const THEMES = ['dark', 'light', 'cream', 'blue', 'yellow'];

const TALK = 'Eins ist vorbei. Zwei ist vorbei. Drei ist vorbei. Vier ist nun';

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
      const viewer = await Viewer.open(browser, daemon, { query: `c/main?theme=${theme}&pace=17&fade=0`, viewport });
      const sender = await Sender.open(daemon, { policy: 'wait-k:k=3' });
      await sender.source(TALK);
      await viewer.reads('#target', 'VIER');
      await rolled(viewer);
      const closed = await audit(viewer.page);
      assert.deepEqual(closed.violations, []);
      assert.deepEqual(closed.unknown, []);
      for (const what of ['class="piece"', 'id="state"', 'id="model"', 'class="value"', 'id="open-settings"']) {
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
  const viewer = await Viewer.open(browser, daemon);
  await viewer.page.evaluate(() => document.documentElement.style.setProperty('--muted', '#333'));
  const { violations } = await audit(viewer.page);
  assert.ok(violations.some((violation) => violation.startsWith('color-contrast')));
  await viewer.close();
});

test('the settings can be used by keyboard, and are stored', async () => {
  const viewer = await Viewer.open(browser, daemon);
  const { keyboard } = viewer.page;
  const focused = () => viewer.page.evaluate(() => document.activeElement.id || document.activeElement.name);
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
    if (seen.at(-1) === 'theme') await keyboard.press('l');
    if (seen.at(-1) === 'source') await keyboard.press('Space');
  }
  assert.deepEqual(seen, ['lines', 'position', 'source', 'theme', 'own', 'pace', 'hold', 'aloud', 'to-console', 'reset', 'close-settings']);
  await keyboard.press('Escape');
  assert.equal(await focused(), 'open-settings');
  assert.equal(await viewer.page.getAttribute('#open-settings', 'aria-expanded'), 'false');
  assert.ok(!(await viewer.page.isVisible('#settings')));
  await viewer.page.reload();
  await viewer.page.locator('html[data-theme="light"]:not([data-source])').waitFor();
  assert.ok(Math.abs((await size()) - 1.5 * before) < 0.5);
  await openSettings(viewer);
  await viewer.page.click('#reset');
  await viewer.page.locator('html[data-theme="dark"][data-source]').waitFor();
  await viewer.page.reload();
  await viewer.page.locator('html[data-theme="dark"][data-source]').waitFor();
  await viewer.close();
});

test('the number of lines, their position and the source words can be set during a stream', async () => {
  const viewer = await Viewer.open(browser, daemon);
  const sender = await Sender.open(daemon);
  await sender.source('Eins. Zwei. Drei. Vier. Sechs. Sieben.');
  await viewer.reads('#target', 'SIEBEN.');
  await openSettings(viewer);
  const inSight = () =>
    viewer.page.evaluate(() => {
      const frame = document.querySelector('#target').getBoundingClientRect();
      const lines = [...document.querySelectorAll('#target .line')];
      return lines.filter((line) => line.getBoundingClientRect().top >= frame.top - 1).map((line) => line.textContent);
    });
  for (const [lines, seen] of [['1', 1], ['3', 3], ['6', 6]]) {
    await viewer.page.selectOption('[name="lines"]', lines);
    await rolled(viewer);
    assert.equal((await inSight()).length, seen);
    assert.equal((await inSight()).at(-1), 'SIEBEN.');
  }
  const bottom = () => viewer.page.locator('#target .lines').evaluate((lines) => lines.getBoundingClientRect().bottom);
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
    const last = await viewer.page.locator('#target .line').last().boundingBox();
    const foot = await viewer.page.locator('footer').boundingBox();
    const head = await viewer.page.locator('header').boundingBox();
    assert.ok(last.y > head.y + head.height && last.y + last.height <= foot.y + 1, `${position}: ${last.y}`);
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
  const viewer = await Viewer.open(browser, daemon, { query: 'c/main?lines=2&chars=10&pace=10&hold=0', clock: true });
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
  const viewer = await Viewer.open(browser, daemon);
  assert.ok(!(await viewer.page.isVisible('[data-metric="reading"]')));
  await viewer.close();
});
