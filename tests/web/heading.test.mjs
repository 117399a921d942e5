// The title and the speaker of a stream, the state of its channel, and the branding of an event: on the pages, in a real
// browser.

import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import WebSocket from 'ws';
import { channelName } from '../../web/channel_name.js';
import { Channel } from '../../web/surtitle.js';
import { audit } from './support/axe.mjs';
import { PHONE, Viewer } from './support/browser.mjs';
import { Daemon } from './support/daemon.mjs';
import { Sender } from './support/sender.mjs';
import { browser, daemon } from './support/stage.mjs';

test('a title in any letters makes the name of a channel', () => {
  const names = {
    'Hörsaal 1': 'hoersaal-1',
    '  Große  Bühne: „Straße“ ': 'grosse-buehne-strasse',
    'Café Łódź – Ångström': 'cafe-lodz-aangstroem',
    'v1.2_final': 'v1.2_final',
    '..': '',
    'Зал': '',
    [`${'a'.repeat(63)} b`]: 'a'.repeat(63),
  };
  for (const [title, name] of Object.entries(names)) assert.equal(channelName(title), name, title);
});

test('viewers see title and speaker, and a change at once', async () => {
  const viewer = await Viewer.open(browser, daemon);
  await viewer.shows('#channel', 'main');
  const sender = await Sender.open(daemon, { title: '<b>Hörsaal 1</b>', speaker: 'Ada Łukasik' });
  await viewer.shows('#channel', '<b>Hörsaal 1</b>');
  await viewer.shows('#speaker', 'Ada Łukasik');
  assert.equal(await viewer.page.title(), '<b>Hörsaal 1</b> · Surtitle');
  sender.configure({ speaker: 'Ben' });
  await viewer.shows('#speaker', 'Ben');
  await sender.source('Guten Morgen.'); // after which the daemon sends metrics
  await viewer.reads('#target', 'GUTEN MORGEN.');
  await sender.source('Und nun.');
  await viewer.reads('#target', 'UND NUN.');
  await viewer.shows('#speaker', 'Ben');
  await viewer.shows('#channel', '<b>Hörsaal 1</b>');
  const late = await Viewer.open(browser, daemon, { viewport: PHONE });
  await late.shows('#speaker', 'Ben');
  assert.deepEqual((await audit(late.page)).violations, []);
  await late.close();
  await sender.finish();
  await viewer.close();
});

test('viewers see that a sender is lost, and that another one is live', async () => {
  const viewer = await Viewer.open(browser, daemon);
  const overlay = await Viewer.open(browser, daemon, { query: 'c/main?overlay=1' });
  const sender = await Sender.open(daemon);
  await sender.source('Ja.');
  await viewer.shows('#state', 'Live');
  await sender.vanish();
  await viewer.shows('#state', 'Interrupted');
  assert.equal(await overlay.page.locator('#state').isVisible(), false);
  const late = await Viewer.open(browser, daemon);
  await late.shows('#state', 'Interrupted');
  await late.close();
  const next = await Sender.open(daemon);
  await viewer.shows('#state', 'Live');
  await next.source('Hallo.');
  await next.finish();
  await viewer.shows('#state', 'The talk has ended');
  const german = await Viewer.open(browser, daemon, { locale: 'de-DE' });
  await german.shows('#state', 'Der Vortrag ist zu Ende');
  await german.close();
  const again = await Sender.open(daemon);
  await viewer.shows('#state', 'Live');
  await again.finish();
  await overlay.close();
  await viewer.close();
});

test('the list shows titles, speakers and interruptions', async () => {
  const page = await (await browser.newContext({ viewport: PHONE })).newPage();
  await page.clock.install();
  await page.goto(daemon.url);
  const sender = await Sender.open(daemon, { channel: 'hall-1', title: 'Hörsaal 1', speaker: 'Ada' });
  await page.clock.runFor(5_000);
  const row = page.locator('#live li');
  await row.getByText('hall-1 · German → English').waitFor();
  assert.equal(await row.getByRole('link', { name: 'Hörsaal 1' }).getAttribute('href'), 'c/hall-1');
  await row.getByText('Ada', { exact: true }).waitFor();
  await sender.vanish();
  await page.clock.runFor(5_000);
  await row.getByText('Interrupted').waitFor();
  assert.deepEqual((await audit(page)).violations, []);
  await page.context().close();
});

test('the client for JavaScript knows the state and the heading of a channel', async () => {
  const channel = new Channel(daemon.url, 'main', { WebSocket });
  const next = (type) => new Promise((resolve) => {
    const stop = channel.on(type, (message) => {
      stop();
      resolve(message);
    });
  });
  let seen = next('ready');
  channel.open();
  await seen;
  seen = next('state');
  const sender = await Sender.open(daemon, { title: 'Saal 1' });
  await seen;
  assert.deepEqual([channel.interrupted, channel.heading], [null, { title: 'Saal 1', speaker: '' }]);
  seen = next('heading');
  sender.configure({ title: '', speaker: 'Ada' });
  await seen;
  assert.deepEqual(channel.heading, { title: '', speaker: 'Ada' });
  seen = next('interruption');
  await sender.vanish();
  await seen;
  assert.ok(channel.interrupted > 0 && channel.interrupted <= 30);
  channel.close();
});

test('the console names the channel by the title, and changes title and speaker while it runs', async () => {
  const page = await (await browser.newContext()).newPage();
  await page.goto(new URL('console', daemon.url).href);
  await page.locator('#start:enabled').waitFor();
  const field = (name) => page.locator(`[name="${name}"]`);
  await field('title').fill('Hörsaal 1');
  await field('speaker').fill('Ada');
  assert.equal(await field('channel').inputValue(), 'hoersaal-1');
  await field('title').fill('Hörsaal 2');
  await field('title').blur();
  assert.equal(await field('channel').inputValue(), 'hoersaal-2');
  await page.click('#start');
  await page.locator('#state', { hasText: 'On air' }).waitFor();
  const viewer = await Viewer.open(browser, daemon, { query: 'c/hoersaal-2' });
  await viewer.shows('#channel', 'Hörsaal 2');
  await viewer.shows('#speaker', 'Ada');
  await field('title').fill('Aula');
  await field('speaker').fill('');
  await field('speaker').blur();
  await viewer.shows('#channel', 'Aula');
  await viewer.shows('#speaker', '');
  assert.equal(await field('channel').inputValue(), 'hoersaal-2', 'a running stream keeps its channel');
  await page.reload();
  await page.locator('#state', { hasText: 'On air' }).waitFor();
  assert.equal(await field('title').inputValue(), 'Aula');
  await page.click('#finish');
  await page.locator('#state', { hasText: 'Finished' }).waitFor();
  await viewer.close();
  await page.context().close();
});

test('the console keeps a channel that the operator has named', async () => {
  const page = await (await browser.newContext()).newPage();
  await page.goto(new URL('console', daemon.url).href);
  await page.locator('#start:enabled').waitFor();
  await page.fill('[name="channel"]', 'hall');
  await page.fill('[name="title"]', 'Hörsaal 1');
  await page.locator('[name="title"]').blur();
  assert.equal(await page.inputValue('[name="channel"]'), 'hall');
  await page.context().close();
});

test('on a phone, the logo is beside the title, the buttons are together, and the head is low', async () => {
  const logo = join(mkdtempSync(join(tmpdir(), 'surtitle-logo-')), 'logo.svg');
  writeFileSync(logo, '<svg xmlns="http://www.w3.org/2000/svg" width="140" height="40"><rect width="140" height="40" fill="#c33"/></svg>');
  const branded = await Daemon.scripted({ flags: ['--pages-logo', logo] });
  const sender = await Sender.open(branded, { title: 'Aussprache über die europäische Wirtschaftspolitik', speaker: 'Prof. Dr. Maximiliane Schröder-Bäumer' });
  for (const viewport of [PHONE, { width: 320, height: 480 }]) {
    const viewer = await Viewer.open(browser, branded, { viewport, locale: 'de-DE' });
    await viewer.shows('#state', 'Live');
    await viewer.page.locator('.logo').waitFor();
    const boxes = await viewer.page.evaluate(() =>
      Object.fromEntries(['.logo', '#channel', '#full-screen', '#open-settings', 'header'].map((part) => [part, document.querySelector(part).getBoundingClientRect().toJSON()])));
    const inOneRow = (a, b) => boxes[a].top < boxes[b].bottom && boxes[b].top < boxes[a].bottom && boxes[a].right <= boxes[b].left;
    assert.ok(inOneRow('.logo', '#channel'), JSON.stringify(boxes));
    assert.ok(inOneRow('#full-screen', '#open-settings'), JSON.stringify(boxes));
    assert.ok(boxes.header.height < 100, `the head is ${boxes.header.height} high`);
    await viewer.close();
  }
  await sender.finish();
  assert.equal(await branded.stop(), 0);
});

test('logo and accent colour are on the pages, readable in every theme, and not on an overlay', async () => {
  const logo = join(mkdtempSync(join(tmpdir(), 'surtitle-logo-')), 'logo.svg');
  writeFileSync(logo, '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="#c33"/></svg>');
  for (const accent of ['#ffe94a', '#0a6b3c', '#777777']) {
    const branded = await Daemon.scripted({ flags: ['--pages-logo', logo, '--pages-accent', accent] });
    for (const query of ['c/main?theme=dark', 'c/main?theme=light', '?']) {
      const viewer = await (await browser.newContext()).newPage();
      const loaded = viewer.waitForResponse((response) => new URL(response.url()).pathname === '/logo');
      await viewer.goto(new URL(query, branded.url).href);
      assert.equal((await loaded).headers()['content-type'], 'image/svg+xml');
      await viewer.locator('.logo').waitFor();
      const colour = await viewer.locator('h1').evaluate((h1) => getComputedStyle(h1).backgroundColor);
      assert.equal(colour, `rgb(${[1, 3, 5].map((at) => parseInt(accent.slice(at, at + 2), 16)).join(', ')})`);
      const band = await viewer.evaluate(() => {
        const [top] = [document.documentElement, document.body].filter((part) => getComputedStyle(part).borderTopWidth === '4px');
        return top.getBoundingClientRect().width === document.documentElement.clientWidth;
      });
      assert.ok(band, 'the band is as wide as the window');
      const { violations, contrasts } = await audit(viewer);
      assert.deepEqual(violations, []);
      assert.ok(contrasts.some((html) => html.includes('<h1')), 'the name on the colour was measured');
      await viewer.context().close();
    }
    const overlay = await Viewer.open(browser, branded, { query: 'c/main?overlay=1' });
    assert.equal(await overlay.page.locator('.logo').isVisible(), false);
    assert.equal(await overlay.page.evaluate(() => getComputedStyle(document.body).borderTopWidth), '0px');
    await overlay.close();
    assert.equal(await branded.stop(), 0);
  }
});
