// The page of an address that does not exist, on a real daemon.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { audit } from './support/axe.mjs';
import { PHONE, Viewer } from './support/browser.mjs';
import { remember } from './support/cleanup.mjs';
import { build, Daemon } from './support/daemon.mjs';
import { Sender } from './support/sender.mjs';
import { browser, daemon } from './support/stage.mjs';

const EXPECTED = { expected: /status of 40[14]/u }; // of the page, and of the list

const open = (query, options = {}, where = daemon) =>
  Viewer.open(browser, where, { query, viewport: PHONE, ready: 'h2:not(:empty)', ...options });
const linked = (viewer, link) => viewer.page.locator(link).evaluate(({ href }) => href);

test('an unknown address has a page in the language of the reader, with a link to the list', async () => {
  for (const [locale, text, all] of [['de-DE', 'Diese Seite gibt es nicht.', 'Alle Kanäle'], ['en-US', 'This page does not exist.', 'all channels']]) {
    for (const path of ['nothing', 'C/hall-1', 'c/hörsaal 1', 'c/%', 'a/b/c/d']) {
      const viewer = await open(path, { locale });
      await viewer.shows('h2', text);
      assert.equal(await viewer.page.getAttribute('html', 'lang'), locale.slice(0, 2));
      assert.deepEqual((await audit(viewer.page)).violations, []);
      assert.ok(await viewer.page.locator('#like').isHidden());
      await viewer.page.getByRole('link', { name: all }).click();
      await viewer.page.waitForURL(daemon.url);
      await viewer.close(EXPECTED);
    }
  }
});

test('a page or channel of a similar name is suggested', async () => {
  const senders = [await Sender.open(daemon, { channel: 'hall-1' }), await Sender.open(daemon, { channel: 'hoersaal-1' })];
  for (const [path, meant] of [
    ['C/hall-1', 'c/hall-1'],
    ['c/HALL 1', 'c/hall-1'],
    ['Hall_1', 'c/hall-1'],
    ['c/Hörsaal 1', 'c/hoersaal-1'],
    ['Console', 'console'],
    ['QR/', 'qr'],
  ]) {
    const viewer = await open(path);
    await viewer.shows('#like', `Did you mean ${meant.split('/').at(-1)}?`);
    assert.equal(await linked(viewer, '#like a'), daemon.url + meant);
    await viewer.close(EXPECTED);
  }
  const viewer = await Viewer.open(browser, daemon, { query: 'c/Hall-1', clock: true });
  await viewer.page.clock.runFor(5_000);
  await viewer.shows('#unused', 'The channel Hall-1 has had no sender yet.');
  await viewer.shows('#like', 'Did you mean hall-1?');
  assert.equal(await linked(viewer, '#like a'), `${daemon.url}c/hall-1`);
  for (const sender of senders) await sender.finish();
  await viewer.close();
});

test('links keep the token and the language of the address, and names are only for those who may view', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'surtitle-missing-')), 'tokens');
  const token = execFileSync(join(build, 'surtitle'), ['token', '--name', 'a', '--role', 'send,view', '--add', file], { encoding: 'utf8' }).trim();
  const closed = await Daemon.scripted({ flags: ['--access-tokens', file] });
  remember(closed, async () => assert.equal(await closed.stop(), 0));
  const sender = await Sender.open(closed, { channel: 'hall', token });
  const invited = await open(`C/Hall?token=${token}&ui=de`, {}, closed);
  await invited.shows('#like', 'Meinten Sie hall?');
  assert.equal(await linked(invited, '#like a'), `${closed.url}c/hall?token=${token}&ui=de`);
  assert.equal(await linked(invited, '#all'), `${closed.url}?token=${token}&ui=de`);
  await invited.close(EXPECTED);
  let answer;
  const stranger = await open('C/Hall', { listen: (page) => (answer = page.waitForResponse(/v1\/channels$/u)) }, closed);
  assert.equal((await answer).status(), 401);
  assert.ok(await stranger.page.locator('#like').isHidden());
  await stranger.close(EXPECTED);
  await sender.finish();
});
