// The pages on a daemon that requires tokens: they work with a token, and ask for an invitation without one.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import WebSocket from 'ws';
import { maySend } from '../../web/rights.js';
import { Stream } from '../../web/surtitle.js';
import { audit } from './support/axe.mjs';
import { launch, PHONE, Viewer } from './support/browser.mjs';
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

// Counts the page's attempts to connect.
function attempts() {
  const sockets = [];
  return { sockets, listen: (page) => page.on('websocket', (socket) => sockets.push(socket.url())) };
}

test('without an invitation the page asks for one, and does not retry until it is entered', async () => {
  const stream = await openStream('invited', 'Guten Morgen.');
  const { sockets, listen } = attempts();
  const viewer = await Viewer.open(browser, daemon, { query: 'c/invited?lines=3', listen, clock: true });
  await viewer.shows('#invitation', 'This event needs an invitation');
  await viewer.shows('#state', 'No invitation');
  assert.equal(await viewer.page.evaluate(() => document.activeElement.id), 'invitation-code');
  assert.doesNotMatch(await viewer.page.locator('body').innerText(), /Bearer|token/u);
  const tried = sockets.length;
  assert.ok(tried <= 2, 'the reason may arrive during the second attempt');
  await viewer.page.clock.fastForward(60_000);
  await viewer.page.evaluate(() => window.dispatchEvent(new Event('online')));
  await viewer.page.click('#invitation button');
  await viewer.shows('#invitation-problem', 'Please enter the link or the code of your invitation.');
  assert.equal(sockets.length, tried);

  const code = new URLSearchParams(link('invited').split('?')[1]).get('token');
  await viewer.page.fill('#invitation-code', code);
  await viewer.page.keyboard.press('Enter');
  await viewer.reads('#target', 'GUTEN MORGEN.');
  assert.equal(new URL(viewer.page.url()).searchParams.get('lines'), '3', 'the other options stay');
  await viewer.close({ expected: REFUSED });
  await stream.finish();
});

test('a link that is entered leads to its channel', async () => {
  const stream = await openStream('linked', 'Guten Tag.');
  const viewer = await Viewer.open(browser, daemon, { query: 'c/hall' });
  await viewer.page.fill('#invitation-code', daemon.url + link('linked'));
  await viewer.page.click('#invitation button');
  await viewer.reads('#target', 'GUTEN TAG.');
  assert.equal(new URL(viewer.page.url()).pathname, '/c/linked');
  await viewer.close({ expected: REFUSED });
  await stream.finish();
});

test('the list asks for an invitation as the page of a channel does, and then has what it admits to', async () => {
  const stream = await openStream('listed', 'Guten Tag.');
  const requests = [];
  const listen = (page) => page.on('request', (request) => /v1\/channels/u.test(request.url()) && requests.push(request.url()));
  const list = await Viewer.open(browser, daemon, { query: 'channels', viewport: PHONE, listen, clock: true });
  await list.shows('#invitation', 'This event needs an invitation');
  await list.shows('#state', 'No invitation');
  assert.equal(await list.page.evaluate(() => document.activeElement.id), 'invitation-code');
  assert.equal(await list.page.getByText('No channel is live').isVisible(), false);
  assert.equal(await list.page.isVisible('#operator'), false);
  await list.page.clock.fastForward(60_000);
  assert.equal(requests.length, 1);
  const code = new URLSearchParams(link('listed').split('?')[1]).get('token');
  await list.page.fill('#invitation-code', code);
  await list.page.keyboard.press('Enter');
  await list.page.getByRole('link', { name: 'listed' }).waitFor();
  await list.close({ expected: REFUSED });

  const wrong = await Viewer.open(browser, daemon, { query: 'channels?token=st.console.nonsense' });
  await wrong.shows('#invitation-problem', 'The token is not valid for this daemon');
  assert.deepEqual((await audit(wrong.page)).violations, []);
  await wrong.page.fill('#invitation-code', daemon.url + link('listed'));
  await wrong.page.click('#invitation button');
  await wrong.reads('#target', 'GUTEN TAG.');
  await wrong.close({ expected: REFUSED });
  await stream.finish();
});

test('the list links the console only for those who may send', async () => {
  const stream = await openStream('rights', 'Guten Tag.');
  const watched = await Viewer.open(browser, daemon, { query: link('rights').replace('c/rights', 'channels'), ready: '#live li' });
  assert.equal(await watched.page.isVisible('#operator'), false);
  await watched.close();
  const sends = await Viewer.open(browser, daemon, { query: `channels?token=${sender}` });
  await sends.page.locator('#operator').waitFor({ state: 'visible' });
  await sends.close();
  await stream.finish();
});

test('a wrong invitation is rejected with the reason', async () => {
  for (const [query, sentence] of [
    ['c/hall?token=st.console.nonsense', 'The token is not valid for this daemon'],
    [link('other').replace('c/other', 'c/hall'), "is not valid for the channel 'hall'"],
  ]) {
    const viewer = await Viewer.open(browser, daemon, { query });
    await viewer.shows('#invitation', 'This event needs an invitation');
    await viewer.shows('#invitation-problem', sentence);
    const { violations } = await audit(viewer.page);
    assert.deepEqual(violations, []);
    await viewer.close({ expected: REFUSED });
  }
});

test('an overlay and the Inside page keep trying', async () => {
  const overlay = await Viewer.open(browser, daemon, { query: 'c/hall?overlay=1' });
  await overlay.shows('#state', 'next try in');
  assert.equal(await overlay.page.evaluate(() => document.body.innerText.trim()), '');
  await overlay.close({ expected: REFUSED });
  const inside = await Viewer.open(browser, daemon, { query: 'inside?channel=hall' });
  await inside.shows('#state', 'This daemon requires a token');
  await inside.shows('#state', 'next try in');
  await inside.close({ expected: REFUSED });
});

test('the settings link the console only for those who may send', async () => {
  const stream = await openStream('rights', 'Guten Tag.');
  const watcher = surtitle('token', '--name', 'watcher', '--role', 'view', '--add', join(folder, 'tokens'));
  for (const [query, offered] of [
    [link('rights'), false],
    [`c/rights?token=${sender}`, true],
  ]) {
    const viewer = await Viewer.open(browser, daemon, { query });
    await viewer.reads('#target', 'GUTEN TAG.');
    await viewer.page.click('#open-settings');
    if (offered) await viewer.page.locator('#to-console').waitFor({ state: 'visible' });
    assert.equal(await viewer.page.isVisible('#to-console'), offered);
    await viewer.close();
  }
  assert.equal(await maySend(daemon.url, watcher, WebSocket), false);
  assert.equal(await maySend(daemon.url, sender, WebSocket), true);
  await stream.finish();
});

test('the console works with a token and puts it into no link to another page', async () => {
  const console = await Viewer.open(browser, daemon, { query: `console?channel=stage&token=${sender}` });
  await console.page.locator('#start').click();
  await console.shows('#state', 'On air');
  await console.page.locator('#typed').fill('Guten Tag. ');
  await console.page.locator('body').filter({ hasText: 'GUTEN TAG.' }).waitFor();
  const hrefs = await console.page.locator('a[href]:not([data-transcript], [download])').evaluateAll((links) => links.map(({ href }) => href));
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
