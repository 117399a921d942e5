// The console's box of transcripts: of the event that has just ended, and of the channel's earlier ones.

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { audit } from './support/axe.mjs';
import { launch, Viewer } from './support/browser.mjs';
import { closeRest, forget, remember } from './support/cleanup.mjs';
import { Daemon } from './support/daemon.mjs';

const DESK = { width: 1280, height: 800 };

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

async function open(daemon, options = {}) {
  const console = await Viewer.open(browser, daemon, { viewport: DESK, query: 'console', ...options });
  await console.shows('#state', options.locale === 'de-DE' ? 'Nicht gestartet' : 'Not started');
  return console;
}

// Speaks for one event, from Start to Finish.
async function event(console, text) {
  await console.page.click('#start');
  await console.shows('#state', 'On air');
  await console.page.locator('#typed').pressSequentially(`${text} `);
  await console.page.click('#finish');
  await console.shows('#state', 'Finished');
}

async function download(console, link) {
  const waiting = console.page.waitForEvent('download');
  await link.click();
  const file = await waiting;
  const chunks = await (await file.createReadStream()).toArray();
  return { name: file.suggestedFilename(), text: Buffer.concat(chunks).toString() };
}

test('after Finish, the event and the earlier ones can be downloaded in each format', async () => {
  const daemon = await scripted();
  const console = await open(daemon);
  const box = console.page.locator('#transcripts');
  assert.ok(await box.isHidden());
  await event(console, 'Guten Morgen.');
  await console.shows('#just-ended li', /· 0:00:\d\d · German → English · 2 words/u);
  await console.shows('#just-ended .help', /^kept until \w+ \d+, \d{4}/u);
  assert.ok(await console.page.locator('#earlier-events').isHidden());
  assert.ok(await console.page.locator('#all-events').isHidden());
  for (const format of ['html', 'txt', 'srt', 'vtt', 'json']) {
    const file = await download(console, console.page.locator(`#just-ended a[download$=".${format}"]`));
    assert.match(file.text, /GUTEN MORGEN\./u, format);
    assert.match(file.name, /^main-\d{4}-\d\d-\d\dT\d\d-\d\d\./u);
  }
  await event(console, 'Gute Nacht.');
  await console.shows('#earlier-events', '2 words');
  const link = (part, format) => console.page.locator(`${part} a[download$=".${format}"]`);
  assert.equal((await download(console, link('#just-ended', 'txt'))).text, 'GUTE NACHT.\n');
  assert.equal((await download(console, link('#earlier-events', 'txt'))).text, 'GUTEN MORGEN.\n');
  assert.equal((await download(console, link('#all-events', 'txt'))).text, 'GUTEN MORGEN.\n\nGUTE NACHT.\n');
  await console.page.check('#transcripts [name="bilingual"]');
  assert.equal((await download(console, link('#just-ended', 'txt'))).text, 'Gute Nacht.\nGUTE NACHT.\n');
  assert.deepEqual((await audit(console.page)).violations, []);
  await console.close();
});

test('a page that is opened later, on a daemon that was killed, offers the events of its channel', async () => {
  const daemon = await scripted({ flags: ['--journal-retention', '0'] });
  const first = await open(daemon);
  await event(first, 'Vor dem Stromausfall.');
  await first.close();
  forget(daemon);
  await daemon.stop('SIGKILL');
  const next = await scripted({ flags: ['--journal-retention', '0'], journal: daemon.journal });
  const console = await open(next);
  await console.shows('#earlier-events', '3 words');
  await console.shows('#earlier-events .help', 'kept without a limit');
  assert.ok(await console.page.locator('#just-ended').isHidden());
  await console.page.locator('[name="channel"]').fill('other');
  await console.page.keyboard.press('Tab');
  await console.page.locator('#transcripts').waitFor({ state: 'hidden' });
  await console.close();
});

test('the page of an event opens in the browser and needs nothing else', async () => {
  const daemon = await scripted();
  const console = await open(daemon);
  await event(console, 'Guten &lt;b> Morgen.');
  await console.shows('#just-ended', '3 words');
  const href = await console.page.locator('#just-ended a[download$=".html"]').getAttribute('href');
  await console.page.goto(`${href}?bilingual=1`);
  assert.equal(await console.page.title(), 'main');
  assert.deepEqual(await console.page.locator('td.text[lang=de]').allTextContents(), ['Guten &lt;b> Morgen.']);
  assert.match(await console.page.locator('td.text[lang=en]').textContent(), /^GUTEN .* MORGEN\.$/u);
  const padding = await console.page.locator('td.text').first().evaluate((cell) => getComputedStyle(cell).verticalAlign);
  assert.equal(padding, 'top', 'the style of the page applies');
  await console.close();
});

test('the box speaks the language of the operator', async () => {
  const daemon = await scripted();
  const console = await open(daemon);
  await event(console, 'Guten Morgen.');
  await console.close();
  const german = await open(daemon, { locale: 'de-DE' });
  await german.shows('#earlier-events', 'Andere Veranstaltungen dieses Kanals');
  await german.shows('#earlier-events .help', /^aufbewahrt bis \d\d\.\d\d\.\d{4}/u);
  await german.close();
});
