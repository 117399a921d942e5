// The pages in German and in English, chosen by the browser or by the address.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import de from '../../web/strings/de.js';
import en from '../../web/strings/en.js';
import { audit } from './support/axe.mjs';
import { PHONE, Viewer } from './support/browser.mjs';
import { Sender } from './support/sender.mjs';
import { browser, daemon } from './support/stage.mjs';

const SMALL = { width: 320, height: 480 };

// The pages, with texts that each of them shows at once.
const PAGES = [
  ['c/main', ['state.waiting', 'viewer.settings', 'viewer.empty']],
  ['console', ['run.start', 'run.end-sentence', 'run.idle', 'source.typing-help', 'share.viewers', 'notices']],
  ['', ['channels.live', 'channels.none', 'operator', 'operator.console']],
  ['player', ['player', 'player.begin', 'player.video', 'player.load']],
  ['inside', ['state.waiting', 'inside.layer-mean', 'inside.no-sentence']],
];

function open(page, options) {
  return Viewer.open(browser, daemon, { query: page === '' ? 'channels' : page, ...options });
}

// `page` with an option in its address.
const withOption = (page, option) => `${page || 'channels'}${page.includes('?') ? '&' : '?'}${option}`;

// Waits for the texts, and returns those on the page that are of another table only, also if they are not visible.
async function foreignTexts({ page }, keys, table, other) {
  for (const key of keys) await page.getByText(table[key]).first().waitFor({ state: 'attached' });
  const texts = await page.evaluate(() => {
    const shown = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
    const found = [];
    while (shown.nextNode()) found.push(shown.currentNode.textContent);
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [title]')) {
      found.push(...['aria-label', 'placeholder', 'title'].map((name) => element.getAttribute(name) ?? ''));
    }
    return found.map((text) => text.trim());
  });
  const own = Object.values(table).flatMap((text) => Object.values(typeof text === 'string' ? [text] : text));
  const foreign = Object.values(other).flatMap((text) => (typeof text === 'string' ? text.split('{}') : [])).map((text) => text.trim());
  return texts.filter((text) => /\p{L}{2}/u.test(text) && foreign.includes(text) && !own.some((one) => one.includes(text)));
}

// Returns a line for each visible element outside the window, unless a part around it scrolls.
function outside({ page }) {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const found = scrollWidth > clientWidth ? [`the page is ${scrollWidth} wide, not ${clientWidth}`] : [];
    const scrolls = (element) => element !== null && (/auto|scroll/u.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
    for (const element of document.querySelectorAll('body *')) {
      if (!element.checkVisibility({ visibilityProperty: true }) || scrolls(element.parentElement)) continue;
      const { left, right, width } = element.getBoundingClientRect();
      if (width > 1 && (left < -1 || right > clientWidth + 1)) found.push(`${element.outerHTML.slice(0, 90)}: ${left} to ${right}`);
      const cut = element.matches('button, a, label, p, legend, h1, h2, summary') && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1;
      if (cut && getComputedStyle(element).display !== 'inline') found.push(`${element.outerHTML.slice(0, 90)}: ${element.scrollWidth} wide, not ${element.clientWidth}`);
    }
    return found;
  });
}

for (const [page, keys] of PAGES) {
  for (const [how, option, locale, table] of [
    ['the address', 'ui=de', 'en-US', de],
    ['the browser', '', 'de-AT', de],
    ['the address, in a German browser', 'ui=en', 'de-DE', en],
    ['the browser', '', 'en-GB', en],
    ['a browser of another language', '', 'fr-FR', en],
  ]) {
    const language = table === de ? 'de' : 'en';
    test(`/${page}: ${how} chooses ${language}`, async () => {
      const viewer = await open(option ? withOption(page, option) : page, { locale });
      assert.deepEqual(await foreignTexts(viewer, keys, table, table === de ? en : de), []);
      assert.equal(await viewer.page.getAttribute('html', 'lang'), language);
      await viewer.close();
    });
  }

  test(`/${page} in German fits on a phone, and satisfies WCAG 2.2 AA`, async () => {
    const sender = await Sender.open(daemon);
    await sender.source('Guten Morgen, meine Damen und Herren.');
    const viewer = await open(page, { locale: 'de-DE', viewport: PHONE });
    for (const viewport of [PHONE, SMALL]) {
      await viewer.page.setViewportSize(viewport);
      assert.deepEqual(await outside(viewer), [], `${viewport.width}`);
    }
    for (const summary of await viewer.page.locator('summary').all()) await summary.click();
    if (page === 'c/main') await viewer.page.click('#open-settings');
    for (const viewport of [SMALL, PHONE]) {
      await viewer.page.setViewportSize(viewport);
      assert.deepEqual(await outside(viewer), [], `opened, ${viewport.width}`);
    }
    assert.deepEqual((await audit(viewer.page)).violations, []);
    await sender.finish();
    await viewer.close();
  });
}

test('the language of the address is remembered, passed on by links, and forgotten on request', async () => {
  const viewer = await open('c/main?ui=de');
  const { page } = viewer;
  await page.click('#open-settings');
  await page.click('#to-console');
  await viewer.shows('#state', de['run.idle']);
  assert.equal(new URL(page.url()).searchParams.get('ui'), 'de');
  assert.match(await page.getAttribute('#to-viewer', 'href'), /[?&]ui=de$/u);
  assert.doesNotMatch(await page.inputValue('#share-view'), /ui=/u, "viewers read the page in their browser's language");
  await page.goto(new URL('c/main', daemon.url).href);
  await viewer.shows('#open-settings', de['viewer.settings']);
  await page.goto(new URL('c/main?ui=auto', daemon.url).href);
  await viewer.shows('#open-settings', en['viewer.settings']);
  await page.goto(new URL('player', daemon.url).href);
  await viewer.shows('#state', en['player.begin']);
  await viewer.close();
});

test('the list passes the language of its address on', async () => {
  const viewer = await open('channels?ui=de');
  const sender = await Sender.open(daemon, { channel: 'saal' });
  await viewer.page.reload();
  assert.equal(await viewer.page.locator('#live li a.name').getAttribute('href'), 'c/saal?ui=de');
  await viewer.shows('#live .about', '0 Personen sehen zu · 0 Sätze');
  assert.equal(await viewer.page.locator('#operator a').getAttribute('href'), 'console?ui=de');
  await sender.finish();
  await viewer.close();
});

test('numbers, languages and times are those of the language', async () => {
  const viewer = await open('c/main?metrics=1', { locale: 'de-DE' });
  const sender = await Sender.open(daemon);
  await sender.source('Guten Morgen meine Damen und Herren'); // which endSentence() ends
  await sender.endSentence();
  await viewer.shows('[data-metric="al"] .value', /^\d+,\d$/u);
  await sender.source('Und nun'); // the mean is that of the sentences before
  await viewer.shows('[data-metric="al"] .mean', /^Mittel \d+,\d$/u);
  await viewer.page.locator('#target .word').first().hover();
  await viewer.shows('#origin', /^„GUTEN“ aus „Guten.*“ · \d (?:Wort|Wörter), \d Token gelesen · \d,\d+ s nach dem letzten davon$/u);
  await sender.finish();
  await viewer.close();

  const console = await open('console', { locale: 'de-DE' });
  await console.shows('[name="languages"]', 'Deutsch nach Englisch');
  await console.page.click('#start');
  await console.shows('#state', de['run.running']);
  await console.shows('#notices time', /^\d\d:\d\d:\d\d$/u);
  await console.shows('#notices', /Kanal main: Die Übertragung hat begonnen\./u);
  await console.page.locator('#typed').pressSequentially('Guten Morgen. ');
  await console.shows('#scroll .lag', /^\d,\d Wörter Rückstand · begonnen nach 1 Wort$/u);
  await console.page.click('#finish');
  await console.shows('#state', de['run.finished']);
  await console.close();
});

test('no text of another language is shown while the page loads', async () => {
  const context = await browser.newContext({ locale: 'de-DE' });
  const page = await context.newPage();
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await page.route('**/strings/de.js', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(new URL('c/main', daemon.url).href, { waitUntil: 'commit' });
  await page.locator('#open-settings').waitFor({ state: 'attached' });
  assert.equal((await page.innerText('body')).replace(/Surtitle|\d/gu, '').trim(), '');
  release();
  await page.getByText(de['viewer.settings']).waitFor();
  await context.close();
});

test("the daemon's errors are in the language of the reader", async () => {
  const sender = await Sender.open(daemon);
  for (const [language, text] of [
    ['de', 'Nicht gestartet: Auf diesem Kanal läuft schon eine Übertragung.'],
    ['en', /^Not started: channel 'main' /u],
  ]) {
    // A page that does not know of the other sender offers Start.
    const watch = () => {
      const { WebSocket } = window;
      window.WebSocket = class extends WebSocket {
        constructor(url) {
          super(`${url}`.replace('/v1/channels/main', '/v1/channels/other'));
        }
      };
    };
    const viewer = await open(`console?ui=${language}`, { watch });
    await viewer.page.click('#start');
    await viewer.shows('#state', text);
    await viewer.close();
  }
  await sender.finish();
});
