// The page when the daemon or the network fails and returns.

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { launch, Viewer } from './support/browser.mjs';
import { closeRest } from './support/cleanup.mjs';
import { Daemon } from './support/daemon.mjs';
import { Proxy } from './support/proxy.mjs';
import { Sender } from './support/sender.mjs';
import { witness } from './support/witness.mjs';

let browser;

before(async () => {
  browser = await launch();
});

afterEach(closeRest);

after(() => browser.close());

for (const [how, signal] of [['drained', 'SIGTERM'], ['killed', 'SIGKILL']]) {
  test(`viewers reconnect to a daemon that is ${how} and restarted`, async () => {
    const first = await Daemon.scripted();
    const viewer = await Viewer.open(browser, first);
    const before = await Sender.open(first);
    await before.source('Vor dem Ende.');
    await viewer.reads('#target', 'VOR DEM ENDE.');
    await first.stop(signal);
    await viewer.shows('#state', 'next try in');
    assert.deepEqual(await viewer.lines('#target'), ['VOR DEM ENDE.'], 'displayed text stays');

    const second = await Daemon.scripted({ port: first.port });
    await viewer.shows('#state', 'The talk has ended');
    const sender = await Sender.open(second);
    await sender.source('Nach dem Anfang.');
    await viewer.reads('#target', 'NACH DEM ANFANG.');
    assert.deepEqual(await viewer.lines('#target'), ['NACH DEM ANFANG.'], 'the screen is empty for another daemon');
    await sender.finish();
    // Requests of the page at the moment of the daemon's end fail with various network errors.
    await viewer.close({ expected: /^Failed to load resource: net::|WebSocket connection/u });
    assert.equal(await second.stop(), 0);
  });
}

test('after a short loss of the network no text is taken back or repeated', async () => {
  const daemon = await Daemon.scripted();
  const viewer = await Viewer.open(browser, daemon, { watch: witness });
  const sender = await Sender.open(daemon);
  await sender.source('Eins. Zwei und');
  await viewer.reads('#target', 'ZWEI');
  await viewer.setOffline(true);
  await viewer.shows('#state', 'No connection');
  await sender.source('drei. Vier und');
  await viewer.setOffline(false);
  await viewer.shows('#state', 'Live');
  await viewer.reads('#target', 'VIER');
  assert.deepEqual(await viewer.lines('#target'), ['EINS.', 'ZWEI UND DREI.', 'VIER']);
  assert.deepEqual(await viewer.lines('#source'), ['Eins.', 'Zwei und drei.', 'Vier und']);
  const seen = await viewer.page.evaluate(() => window.witness);
  assert.deepEqual([seen.moved, seen.lost, seen.changed], [[], [], []]);
  await sender.finish();
  await viewer.close({ expected: /ERR_INTERNET_DISCONNECTED|WebSocket connection/u });
  assert.equal(await daemon.stop(), 0);
});

test('after a kill and a restart on its journal, the daemon continues for its viewers', async () => {
  const first = await Daemon.scripted();
  const viewer = await Viewer.open(browser, first, { watch: witness });
  const sender = await Sender.open(first);
  await sender.source('Eins. Zwei');
  await viewer.reads('#source', 'Zwei');
  await viewer.reads('#target', 'EINS.');
  await first.stop('SIGKILL');
  await viewer.shows('#state', 'next try in');
  const second = await Daemon.scripted({ port: first.port, journal: first.journal });
  await sender.source('und drei.');
  await viewer.shows('#state', 'Live');
  await viewer.reads('#target', 'DREI.');
  assert.deepEqual(await viewer.lines('#target'), ['EINS.', 'ZWEI UND DREI.']);
  assert.deepEqual(await viewer.lines('#source'), ['Eins.', 'Zwei und drei.']);
  const seen = await viewer.page.evaluate(() => window.witness);
  assert.deepEqual([seen.moved, seen.lost, seen.changed], [[], [], []]);
  await sender.finish();
  await viewer.close({ expected: /^Failed to load resource: net::|WebSocket connection/u });
  assert.equal(await second.stop(), 0);
});

test('a viewer that missed many sentences is shown all of them, once', async () => {
  const daemon = await Daemon.scripted();
  const proxy = await Proxy.start(daemon);
  const viewer = await Viewer.open(browser, proxy, { watch: witness });
  const inside = await Viewer.open(browser, proxy, { query: 'inside?channel=main' });
  const sender = await Sender.open(daemon);
  const numbers = ['Null', 'Eins', 'Zwei', 'Drei', 'Vier', 'Acht', 'Sechs'].map((word) => `${word}.`);
  await sender.source(`${numbers[0]} ${numbers[1]}`);
  await viewer.reads('#target', 'EINS.');
  await proxy.stop();
  await viewer.shows('#state', 'No connection');
  await sender.source(numbers.slice(2).join(' '));
  await sender.first(({ type, sentence }) => type === 'sentence' && sentence === 6);
  const again = await Proxy.start(daemon, proxy.port);
  await viewer.shows('#state', 'Live');
  await viewer.reads('#target', 'SECHS.');
  assert.equal((await viewer.page.evaluate(() => window.witness)).texts.at(-1), numbers.join(' ').toUpperCase());
  await inside.shows('#state', 'Live');
  await again.stop();
  await sender.finish();
  await viewer.close({ expected: /net::|WebSocket connection/u });
  await inside.close({ expected: /net::|WebSocket connection/u });
  assert.equal(await daemon.stop(), 0);
});

test('the page shows that the daemon accepts no more viewers', async () => {
  const daemon = await Daemon.scripted({ flags: ['--limits-viewers', '1'] });
  const first = await Viewer.open(browser, daemon);
  await first.shows('#state', 'Waiting for a speaker');
  const second = await Viewer.open(browser, daemon);
  await second.shows('#state', 'the limit of 1 viewers is reached; try again later · next try in');
  await first.close();
  await second.shows('#state', 'Waiting for a speaker');
  await second.close();
  assert.equal(await daemon.stop(), 0);
});
