// Links to pass on and their codes, which are read from the screen as a phone does.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import jsQR from 'jsqr';
import { audit } from './support/axe.mjs';
import { launch, PHONE, Viewer } from './support/browser.mjs';
import { closeRest, remember } from './support/cleanup.mjs';
import { build, Daemon } from './support/daemon.mjs';
import { FakeDaemon } from './support/fake_daemon.mjs';
import { Sender } from './support/sender.mjs';

const REFUSED = /^Failed to load resource: the server responded with a status of 40[13]/u;

const surtitle = (...args) => execFileSync(join(build, 'surtitle'), args, { encoding: 'utf8' }).trim();
const tokens = {};
let browser;
let folder;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'surtitle-share-'));
  writeFileSync(join(folder, 'keys'), surtitle('token', 'key'), { mode: 0o600 });
  for (const role of ['send', 'admin']) tokens[role] = surtitle('token', '--name', role, '--role', role, '--add', join(folder, 'tokens'));
  browser = await launch();
});

afterEach(closeRest);

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

async function scripted(flags = []) {
  const daemon = await Daemon.scripted({ flags });
  remember(daemon, async () => assert.equal(await daemon.stop(), 0));
  return daemon;
}

const closed = () => scripted(['--access-tokens', join(folder, 'tokens'), '--access-key', join(folder, 'keys')]);

// Returns the text of the code in an image of the page.
async function scan(viewer, selector) {
  await viewer.page.waitForFunction((image) => document.querySelector(image)?.naturalWidth > 0, selector);
  const { data, side } = await viewer.page.evaluate((image) => {
    const size = 600;
    const canvas = new OffscreenCanvas(size, size).getContext('2d');
    canvas.drawImage(document.querySelector(image), 0, 0, size, size);
    return { data: [...canvas.getImageData(0, 0, size, size).data], side: size };
  }, selector);
  return jsQR(Uint8ClampedArray.from(data), side, side)?.data;
}

function openQr(daemon, query, options = {}) {
  return Viewer.open(browser, daemon, { query: `qr?${query}`, ready: 'h1:not(:empty)', ...options });
}

test('the page for a projector shows the code of the channel and its address in letters', async () => {
  const daemon = await scripted();
  for (const theme of ['dark', 'light']) {
    const viewer = await openQr(daemon, `channel=hall&theme=${theme}`);
    assert.equal(await scan(viewer, '#code'), `${daemon.url}c/hall`);
    assert.equal(await viewer.page.textContent('h1'), 'hall');
    assert.equal(await viewer.page.textContent('#address'), `${daemon.url}c/hall`.replace('http://', ''));
    assert.equal(await viewer.page.evaluate(() => document.documentElement.dataset.theme), theme);
    await viewer.shows('#problem', 'Only this machine can open this address');
    const { violations, unknown } = await audit(viewer.page);
    assert.deepEqual([violations, unknown], [[], []]);
    const share = await viewer.page.evaluate(() => document.querySelector('#code').getBoundingClientRect().height / innerHeight);
    assert.ok(share > 0.5, `the code has ${share} of the height`);
    await viewer.page.setViewportSize(PHONE);
    const fits = await viewer.page.evaluate(() => document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth);
    assert.ok(fits, 'the page fits a phone');
    await viewer.close();
  }
});

test("the page for a projector has the talk's title, and nothing covers anything", async () => {
  const daemon = await scripted();
  const sender = await Sender.open(daemon, { channel: 'hall', title: 'Aussprache über die Wirtschaft' });
  for (const [width, height] of [[1280, 720], [320, 480]]) {
    const viewer = await openQr(daemon, 'channel=hall', { viewport: { width, height }, locale: 'de-DE', clock: true });
    await viewer.shows('h1', 'Aussprache über die Wirtschaft');
    assert.equal(await viewer.page.title(), 'Aussprache über die Wirtschaft · Surtitle');
    await viewer.shows('#problem', 'Diese Adresse funktioniert nur auf diesem Rechner.');
    await viewer.page.locator('#code').waitFor();
    const covered = await viewer.page.evaluate(() => {
      const parts = [...document.querySelectorAll('main > *, #full-screen')].filter((part) => part.checkVisibility());
      const boxes = parts.map((part) => part.getBoundingClientRect());
      const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5;
      return [boxes.length, parts.flatMap((part, i) => boxes.slice(i + 1).filter((box) => meet(boxes[i], box)).map(() => part.id)), boxes.filter(({ bottom }) => bottom > innerHeight).length];
    });
    assert.deepEqual(covered, [6, [], 0]);
    await viewer.close();
  }
  const viewer = await openQr(daemon, 'channel=hall', { clock: true });
  await viewer.shows('h1', 'Aussprache');
  await sender.finish();
  await viewer.page.clock.runFor(5_000);
  await viewer.shows('h1', 'hall');
  await viewer.close();
});

test('a page that was opened on the machine itself has the address for others', async () => {
  const address = 'http://192.0.2.7:8765/';
  const asked = [];
  const models = [{ name: 'm', source: 'de', target: 'en', policies: ['gma'], default_policy: 'gma' }];
  const addresses = JSON.stringify({ addresses: [address, 'http://198.51.100.1:8765/'] });
  const policies = JSON.stringify([{ name: 'gma', meaning: 'waits', trained_as: ['gma'], parameters: [] }]);
  const daemon = await FakeDaemon.start(() => [], { files: { '/v1/admin/addresses': addresses, '/v1/policies': policies }, models });
  const listen = (page) => page.on('request', (request) => asked.push(new URL(request.url())));
  const viewer = await openQr(daemon, 'channel=hall', { listen });
  await viewer.shows('#address', '192.0.2.7:8765/c/hall');
  assert.equal(asked.find(({ pathname }) => pathname === '/v1/qr.svg').searchParams.get('link'), `${address}c/hall`);
  assert.equal(await viewer.page.textContent('#problem'), '');
  await viewer.close();

  const console = await Viewer.open(browser, daemon, { query: 'console?channel=hall' });
  await console.page.waitForFunction((link) => document.querySelector('#share-view').value === link, `${address}c/hall`);
  await console.page.selectOption('#share-at', 'http://198.51.100.1:8765/');
  assert.equal(await console.page.inputValue('#share-view'), 'http://198.51.100.1:8765/c/hall');
  assert.equal(await console.page.getAttribute('#to-qr', 'href'), 'qr?channel=hall&at=http%3A%2F%2F198.51.100.1%3A8765%2F');
  await console.close();
});

test('the console shares the code of the viewers, and an operator opens the large one', async () => {
  const daemon = await scripted();
  const console = await Viewer.open(browser, daemon, { query: 'console?channel=hall' });
  await console.shows('#state', 'Not started');
  assert.equal(await scan(console, '#share-code'), `${daemon.url}c/hall`);
  assert.equal(await console.page.inputValue('#share-send'), `${daemon.url}console?channel=hall`);
  assert.equal(await console.page.isVisible('#invite'), false);
  const large = await openQr(daemon, (await console.page.getAttribute('#to-qr', 'href')).replace('qr?', ''));
  assert.equal(await scan(large, '#code'), `${daemon.url}c/hall`);
  for (const page of [console, large]) await page.close();
});

test('with tokens, an operator invites viewers by a link, its code and the large code', async () => {
  const daemon = await closed();
  const console = await Viewer.open(browser, daemon, { query: `console?channel=hall&token=${tokens.send}` });
  await console.shows('#state', 'Not started');
  assert.equal(await scan(console, '#share-code'), `${daemon.url}c/hall`, 'the token of the operator is not passed on');
  await console.shows('#share-note', 'The addresses lack an invitation');
  const before = await console.page.getAttribute('#share-code', 'src');
  await console.page.selectOption('#invite-seconds', '3600');
  await console.page.click('#invite-viewers');
  await console.shows('#copied', 'The link is valid until');
  const link = await console.page.inputValue('#share-view');
  assert.ok(link.startsWith(`${daemon.url}c/hall?token=sl.view.`), link);
  await console.page.waitForFunction((src) => document.querySelector('#share-code').getAttribute('src') !== src, before);
  assert.equal(await scan(console, '#share-code'), link);
  assert.ok((await console.page.inputValue('#share-overlay')).includes('overlay=1&token=sl.view.'));
  await console.page.reload();
  await console.page.waitForFunction((same) => document.querySelector('#share-view').value === same, link);

  const viewer = await Viewer.open(browser, daemon, { query: link.slice(daemon.url.length) });
  await viewer.shows('#state', 'Waiting for a speaker');
  const large = await openQr(daemon, (await console.page.getAttribute('#to-qr', 'href')).replace('qr?', ''));
  assert.equal(await scan(large, '#code'), link);
  assert.equal(await large.page.textContent('#address'), '', 'a token is not for typing');

  await console.page.click('#invite-operator');
  await console.shows('#copied', 'No link was made: Links with the role send require the role admin.');
  await console.close({ expected: REFUSED });
  for (const page of [viewer, large]) await page.close();
});

test('an administrator invites another operator', async () => {
  const daemon = await closed();
  const console = await Viewer.open(browser, daemon, { query: `console?channel=hall&token=${tokens.admin}` });
  await console.shows('#state', 'Not started');
  await console.page.click('#invite-operator');
  await console.shows('#copied', 'The link is valid until');
  const link = await console.page.inputValue('#share-send');
  await console.page.reload();
  await console.page.waitForFunction((same) => document.querySelector('#share-send').value === same, link);
  const other = await Viewer.open(browser, daemon, { query: link.slice(daemon.url.length) });
  await other.shows('#state', 'Not started');
  await other.page.click('#start');
  await other.shows('#state', 'On air');
  for (const page of [console, other]) await page.close();
});

test('the code of a page with the token of an operator lacks it', async () => {
  const daemon = await closed();
  const viewer = await openQr(daemon, `channel=hall&token=${tokens.send}`);
  assert.equal(await scan(viewer, '#code'), `${daemon.url}c/hall`);
  await viewer.shows('#problem', /./u);
  await viewer.close();
});
