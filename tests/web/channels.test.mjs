// The list of channels, in a real browser and on a real daemon.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audit } from './support/axe.mjs';
import { Viewer } from './support/browser.mjs';
import { Sender } from './support/sender.mjs';
import { browser, daemon } from './support/stage.mjs';

async function open() {
  const page = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();
  await page.clock.install();
  await page.goto(daemon.url);
  return page;
}

test('a channel is listed as live, then as recent, with its languages and transcript', async () => {
  const page = await open();
  await page.getByText('No channel is live').waitFor();
  const sender = await Sender.open(daemon, { channel: 'hall-2' });
  await page.clock.runFor(5_000);
  const live = page.locator('#live li');
  await live.getByText('German → English · 0 viewers · 0 sentences').waitFor();
  assert.equal(await live.getByRole('link', { name: 'hall-2' }).getAttribute('href'), 'c/hall-2');
  assert.deepEqual((await audit(page)).violations, []);

  await sender.source('Guten Tag.');
  await sender.finish();
  await page.clock.runFor(5_000);
  const recent = page.locator('#recent li');
  await recent.getByText('German → English · 1 sentence').waitFor();
  assert.equal(await live.count(), 0);
  const transcript = await recent.getByRole('link', { name: 'txt' }).getAttribute('href');
  assert.equal(await (await fetch(new URL(transcript, daemon.url))).text(), 'GUTEN TAG.\n');
  await recent.getByRole('link', { name: 'html' }).click();
  await page.getByText('GUTEN TAG.').waitFor();
  await page.context().close();
});

test('a page that has lost the daemon says so', async () => {
  const page = await open();
  await page.getByText('No channel is live').waitFor();
  await page.route('**/v1/channels', (route) => route.abort());
  await page.clock.runFor(5_000);
  await page.getByText('No connection to the server; the page tries again.').waitFor();
  await page.context().close();
});

for (const path of ['channels', 'player']) {
  test(`/${path} is light or dark like the system, from its first paint on`, async () => {
    const viewer = await Viewer.open(browser, daemon, { query: path, ready: 'body' });
    const theme = () => viewer.page.getAttribute('html', 'data-theme');
    const becomes = (wanted) => viewer.page.waitForFunction((name) => document.documentElement.dataset.theme === name, wanted);
    for (const scheme of ['light', 'dark']) {
      await viewer.page.emulateMedia({ colorScheme: scheme });
      await becomes(scheme);
    }
    await viewer.page.emulateMedia({ colorScheme: 'light' });
    await viewer.page.route(/\/(channels|player)\.js$/u, (route) => route.abort());
    await viewer.page.reload();
    assert.equal(await theme(), 'light');
    await viewer.close({ expected: /Failed to load resource/u });
  });
}
