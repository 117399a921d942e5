// The pages on a daemon that requires tokens: they work with a token, and show the reason without one.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import WebSocket from 'ws';
import { Stream } from '../../web/surtitle.js';
import { launch, Viewer } from './support/browser.mjs';
import { closeRest } from './support/cleanup.mjs';
import { build, Daemon } from './support/daemon.mjs';

const REFUSED = /^Failed to load resource: the server responded with a status of 40[13]|WebSocket connection/u;

const surtitle = (...args) => execFileSync(join(build, 'surtitle'), args, { encoding: 'utf8' }).trim();
let browser;
let daemon;
let folder;
let sender; // a token
let key; // of links

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'surtitle-token-'));
  key = join(folder, 'keys');
  writeFileSync(key, surtitle('token', 'key'), { mode: 0o600 });
  sender = surtitle('token', '--name', 'console', '--role', 'send,view', '--add', join(folder, 'tokens'));
  daemon = await Daemon.scripted({ flags: ['--access-tokens', join(folder, 'tokens'), '--access-key', key] });
  browser = await launch();
});

afterEach(closeRest);

after(async () => {
  await browser?.close();
  assert.equal(await daemon?.stop(), 0);
  rmSync(folder, { recursive: true });
});

function link(channel, role = 'view') {
  const address = surtitle('token', 'link', '--channel', channel, '--role', role, '--expires', '1h', '--key', key, '--url', daemon.url);
  return address.slice(daemon.url.length);
}

async function openStream(channel, text) {
  const stream = await Stream.open(daemon.url, { source: 'de', target: 'en', channel, token: sender, WebSocket });
  await stream.source(text);
  return stream;
}

test('a link shows its channel, and its token is in no Referer', async () => {
  const stream = await openStream('hall', 'Guten Morgen.');
  const referrers = [];
  const listen = (page) => page.on('request', (request) => referrers.push(request.headers().referer));
  const viewer = await Viewer.open(browser, daemon, { query: link('hall'), listen });
  await viewer.reads('#target', 'GUTEN MORGEN.');
  await viewer.shows('#state', 'Live');
  assert.ok(referrers.length > 10);
  assert.deepEqual(referrers.filter(Boolean), []);
  await viewer.close();
  await stream.finish();
});

test('the page shows that its token is missing or wrong, and keeps trying', async () => {
  for (const [query, sentence] of [
    ['c/hall', 'This daemon requires a token'],
    ['c/hall?token=st.console.nonsense', 'The token is not valid for this daemon'],
    [link('other').replace('c/other', 'c/hall'), "is not valid for the channel 'hall'"],
    ['inside?channel=hall', 'This daemon requires a token'],
  ]) {
    const viewer = await Viewer.open(browser, daemon, { query });
    await viewer.shows('#state', sentence);
    await viewer.shows('#state', 'next try in');
    await viewer.close({ expected: REFUSED });
  }
});

test('the console works with a token and puts it into no link to another page', async () => {
  const console = await Viewer.open(browser, daemon, { query: `console?channel=stage&token=${sender}` });
  await console.page.locator('#start').click();
  await console.shows('#state', 'On air');
  await console.page.locator('#typed').fill('Guten Tag. ');
  await console.page.locator('body').filter({ hasText: 'GUTEN TAG.' }).waitFor();
  const hrefs = await console.page.locator('a[href]:not([data-transcript])').evaluateAll((links) => links.map(({ href }) => href));
  assert.ok(hrefs.length >= 3);
  assert.deepEqual(hrefs.filter((href) => href.includes('token')), []);
  const transcript = await console.page.locator('[data-transcript=txt]').getAttribute('href');
  await console.page.locator('#finish').click();
  await console.shows('#state', 'Finished');
  assert.match(await (await fetch(new URL(transcript, daemon.url))).text(), /GUTEN TAG\./u);
  await console.close();
});

test('the console shows why it cannot load, or cannot start a stream', async () => {
  const withoutToken = await Viewer.open(browser, daemon, { query: 'console' });
  await withoutToken.shows('#state', 'This daemon requires a token');
  await withoutToken.close({ expected: REFUSED });
  const watcher = await Viewer.open(browser, daemon, { query: link('stage').replace('c/stage', 'console') });
  await watcher.page.locator('#start').click();
  await watcher.shows('#state', 'Not started: The token');
  await watcher.shows('#state', 'lacks the required role send');
  await watcher.close({ expected: REFUSED });
  const other = await Viewer.open(browser, daemon, { query: link('stage', 'send').replace('channel=stage', 'channel=hall') });
  await other.page.locator('#start').click();
  await other.shows('#state', "is not valid for the channel 'hall'");
  await other.close({ expected: REFUSED });
});

test('the player requests a transcript with the token', async () => {
  const stream = await openStream('played', 'Guten Morgen.');
  await stream.finish();
  const player = await Viewer.open(browser, daemon, { query: link('played').replace('c/played?', 'player?channel=played&') });
  await player.shows('#state', '1 subtitle');
  await player.close();
  const withoutToken = await Viewer.open(browser, daemon, { query: 'player?channel=played' });
  await withoutToken.shows('#state', 'This daemon requires a token');
  await withoutToken.close({ expected: REFUSED });
});

test('a program receives the reason why its stream is not opened', async () => {
  const options = { source: 'de', target: 'en', WebSocket };
  await assert.rejects(Stream.open(daemon.url, options), { code: 'unauthorized', message: /requires a token/u });
  await assert.rejects(Stream.open(daemon.url, { ...options, token: 'x' }), { code: 'unauthorized' });
});
