// The player, with a video that the test makes, and subtitles in the browser's own text track.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { audit } from './support/axe.mjs';
import { launch, Viewer } from './support/browser.mjs';
import { closeRest } from './support/cleanup.mjs';
import { Daemon } from './support/daemon.mjs';
import { FakeDaemon } from './support/fake_daemon.mjs';
import { Sender } from './support/sender.mjs';

let browser;
let daemon;
let video;

// Runs in a page: returns a video of some seconds in which a square changes its colour, as the bytes of a file.
async function film() {
  const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 48 });
  const context = canvas.getContext('2d');
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: 'video/webm;codecs=vp8' });
  const parts = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const stopped = new Promise((resolve) => {
    recorder.onstop = resolve;
  });
  recorder.start();
  for (let i = 0; i < 90; i += 1) {
    context.fillStyle = `hsl(${i * 4} 80% 50%)`;
    context.fillRect(0, 0, 64, 48);
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  recorder.stop();
  await stopped;
  return [...new Uint8Array(await new Blob(parts).arrayBuffer())];
}

before(async () => {
  browser = await launch();
  const page = await browser.newPage();
  video = { name: 'talk.webm', mimeType: 'video/webm', buffer: Buffer.from(await page.evaluate(film)) };
  await page.close();
});

// Each test has its own daemon, because a channel keeps its text.
beforeEach(async () => {
  daemon = await Daemon.scripted();
});

afterEach(async () => {
  await closeRest();
  assert.equal(await daemon.stop(), 0);
});

after(() => browser?.close());

const VTT = `WEBVTT

00:00.100 --> 00:00.600
Good morning,

00:00.600 --> 01:00.000
ladies and gentlemen.
`;

function subtitles(text, name = 'talk.vtt') {
  return { name, mimeType: 'text/vtt', buffer: Buffer.from(text) };
}

// Returns the track's mode and the subtitles over the video at a time, in seconds.
async function shownAt(viewer, time) {
  return viewer.page.evaluate(async (at) => {
    const element = document.querySelector('video');
    const sought = new Promise((resolve) => element.addEventListener('seeked', resolve, { once: true }));
    element.currentTime = at;
    await sought;
    const [track] = element.textTracks;
    while (element.seeking) await new Promise((resolve) => requestAnimationFrame(resolve));
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    return [track.mode, ...Array.from(track.activeCues, ({ text }) => text)];
  }, time);
}

test('the viewer’s own video is played with the subtitles of a WebVTT file', async () => {
  const viewer = await Viewer.open(browser, daemon, { query: 'player' });
  await viewer.page.setInputFiles('#video', video);
  await viewer.page.waitForFunction(() => document.querySelector('video').readyState >= 2);
  await viewer.page.setInputFiles('#subtitles', subtitles(VTT));
  await viewer.shows('#state', 'talk.vtt: 2 subtitles');
  assert.deepEqual(await shownAt(viewer, 0.3), ['showing', 'Good morning,']);
  assert.deepEqual(await shownAt(viewer, 0.7), ['showing', 'ladies and gentlemen.']);
  await viewer.page.evaluate(() => document.querySelector('video').play());
  await viewer.page.waitForFunction(() => document.querySelector('video').currentTime > 0.8);
  await viewer.page.fill('#shift', '0.5');
  await viewer.page.evaluate(() => document.querySelector('video').pause());
  assert.deepEqual(await shownAt(viewer, 0.7), ['showing', 'Good morning,'], 'half a second later');
  await viewer.page.setInputFiles('#subtitles', subtitles('1\n00:00:00,000 --> 00:00:09,000\nNur das & nichts', 'talk.srt'));
  await viewer.shows('#state', 'talk.srt: 1 subtitle');
  assert.deepEqual(await shownAt(viewer, 0.8), ['showing', 'Nur das &amp; nichts']);
  const { violations } = await audit(viewer.page);
  assert.deepEqual(violations, []);
  await viewer.close();
});

test('another video replaces the first', async () => {
  const viewer = await Viewer.open(browser, daemon, { query: 'player' });
  for (const name of ['one.webm', 'two.webm']) {
    await viewer.page.setInputFiles('#video', { ...video, name });
    await viewer.page.waitForFunction(() => document.querySelector('video').readyState >= 2);
  }
  assert.match(await viewer.page.evaluate(() => document.querySelector('video').src), /\/player\/file\/2$/u);
  await viewer.close();
});

test('a file that is no video, or has no subtitles, is reported in a sentence', async () => {
  const viewer = await Viewer.open(browser, daemon, { query: 'player' });
  await viewer.page.setInputFiles('#subtitles', subtitles('nothing', 'notes.txt'));
  await viewer.shows('#state', 'notes.txt has no subtitles; must be a WebVTT or SRT file');
  await viewer.page.setInputFiles('#video', { name: 'x.webm', mimeType: 'video/webm', buffer: Buffer.from('nothing') });
  await viewer.shows('#state', 'This browser cannot play the video');
  await viewer.close();
});

test('the transcript of a channel is shown over the video', async () => {
  const sender = await Sender.open(daemon, { channel: 'hall' });
  await sender.source('Guten Morgen.', { time: 1 });
  await sender.source('Wie geht es Ihnen?', { time: 3 });
  await sender.first(({ type, sentence }) => type === 'sentence' && sentence === 1);
  const viewer = await Viewer.open(browser, daemon, { query: 'player?channel=hall' });
  await viewer.shows('#state', 'channel hall: 2 subtitles');
  const cues = await viewer.page.evaluate(() => Array.from(document.querySelector('video').textTracks[0].cues, ({ text }) => text));
  assert.deepEqual(cues, ['GUTEN MORGEN.', 'WIE GEHT ES IHNEN?']);
  await sender.finish();
  await viewer.close();
});

test('the transcript of a channel is loaded from the daemon', async () => {
  const fake = await FakeDaemon.start(() => [], { files: { '/v1/channels/hall/transcript.vtt': VTT } });
  const viewer = await Viewer.open(browser, fake, { query: 'player.html?channel=hall' });
  await viewer.shows('#state', 'channel hall: 2 subtitles');
  await viewer.page.fill('#channel', 'empty');
  await viewer.page.click('#choice button');
  await viewer.shows('#state', 'Channel empty has no transcript');
  await viewer.close({ expected: /404/u });
});
