// The console's microphone in a real browser, with a device that beeps and a recogniser's server in the test.

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { audit } from './support/axe.mjs';
import { launch, Viewer } from './support/browser.mjs';
import { closeRest, remember } from './support/cleanup.mjs';
import { Daemon } from './support/daemon.mjs';
import { Recogniser } from './support/recogniser.mjs';

const DEVICE = '--use-fake-device-for-media-stream';
const GRANTED = '--use-fake-ui-for-media-stream';
const HALL = 'hall.example';

// Recognisers have addresses of their own, at which none may answer.
const RECOGNISERS = /requested ws:\/\/|WebSocket connection to|Content Security Policy/u;

let browser;

before(async () => {
  browser = await launch([DEVICE, GRANTED, `--host-resolver-rules=MAP ${HALL} 127.0.0.1`]);
});

afterEach(closeRest);

after(() => browser?.close());

async function open(address, { flags = [], on = browser, host = '' } = {}) {
  const daemon = await Daemon.scripted({ flags });
  remember(daemon, async () => assert.equal(await daemon.stop(), 0));
  if (host !== '') daemon.url = daemon.url.replace('127.0.0.1', host);
  const console = await Viewer.open(on, daemon, { query: 'console' });
  await console.shows('#state', 'Not started');
  await console.page.check('#sources input[value="microphone"]');
  await console.page.fill('#recogniser-address', address);
  await console.page.locator('#recogniser-address').blur();
  return console;
}

async function start(console) {
  await console.page.click('#start');
  await console.shows('#state', 'On air');
}

const noticed = (console, text) => console.shows('#notices p', text);

test('a microphone goes to the recogniser, and its words are translated up to the last one', async () => {
  const recogniser = await Recogniser.start();
  const console = await open(recogniser.url);
  await start(console);
  await console.shows('#microphone-state', 'The recogniser listens');
  await recogniser.heard((pieces) => pieces.some((piece) => piece.some((byte) => byte !== 0)));
  for (const piece of recogniser.pieces) assert.equal(piece.length, 3200, 'a tenth of a second at 16 kHz');
  await console.page.waitForFunction(() => document.querySelector('#level').value > 0);
  await console.shows('#first-message', 'The recogniser says: {"type":"config","useAudioWorklet":true}');
  recogniser.say('Guten Morgen. Wie geht es', ' euch');
  await console.shows('#scroll tbody', 'GUTEN MORGEN.');
  await console.shows('#microphone-heard', 'euch');
  assert.notEqual(await console.page.locator('#device option').count(), 1, 'the devices are offered');
  const { violations, unknown } = await audit(console.page);
  assert.deepEqual([violations, unknown], [[], []]);

  await console.page.click('#finish');
  await console.shows('#state', 'Finished');
  await console.shows('#scroll tbody', 'ZUM SCHLUSS.');
  await console.shows('#microphone-state', 'The microphone is off');
  await console.close({ expected: RECOGNISERS });
});

test('a pause closes the microphone, and a trial sends no words', async () => {
  const recogniser = await Recogniser.start();
  const console = await open(recogniser.url);
  await console.page.click('#try-microphone');
  await console.shows('#microphone-state', 'The recogniser listens');
  await recogniser.heard((pieces) => pieces.length > 0);
  recogniser.say('Eins zwei.', ' drei');
  await console.shows('#microphone-heard', 'drei');
  await console.page.click('#try-microphone');
  await console.shows('#microphone-state', 'The microphone is off');
  assert.equal(await console.page.textContent('#kept'), '');

  await start(console);
  await console.shows('#microphone-state', 'The recogniser listens');
  await console.page.click('#pause');
  await console.shows('#microphone-state', 'The microphone is off');
  await console.page.click('#pause');
  await console.shows('#microphone-state', 'The recogniser listens');
  recogniser.say('Weiter geht es. Und', ' ja');
  await console.shows('#scroll tbody', 'WEITER GEHT ES.');
  await console.close({ expected: RECOGNISERS });
});

test('without a recogniser the page says how to start one, and connects when it is there', async () => {
  const closed = await Recogniser.start();
  await closed.stop();
  const console = await open(closed.url);
  await start(console);
  await noticed(console, `No WhisperLiveKit answers at ${closed.url}`);
  await console.shows('#recogniser-command', /whisperlivekit-server --model base --lan de --pcm-input --backend faster-whisper --backend-policy localagreement$/u);
  const recogniser = await Recogniser.start(closed.port);
  await console.shows('#microphone-state', 'The recogniser listens');
  recogniser.cut();
  await noticed(console, 'The connection to WhisperLiveKit was cut');
  await console.shows('#microphone-state', 'The recogniser listens');
  recogniser.say('Wieder da. Und', ' x');
  await console.shows('#scroll tbody', 'WIEDER DA.');
  await console.close({ expected: RECOGNISERS });
});

test('only recognisers of this machine and of the configuration receive the voice', async () => {
  const console = await open('ws://192.0.2.1:8000/asr');
  await start(console);
  await noticed(console, 'This page may not connect to ws://192.0.2.1:8000/asr');
  await console.close({ expected: RECOGNISERS });
});

test('the page says why there is no microphone', async () => {
  const recogniser = await Recogniser.start();
  const denied = await launch([DEVICE]);
  remember(denied, () => denied.close());
  const page = await open(recogniser.url, { on: denied });
  await start(page);
  await noticed(page, 'The browser may not use the microphone');
  await page.close({ expected: RECOGNISERS });

  const http = await open(recogniser.url, { flags: ['--allowed-hosts', HALL], host: HALL });
  await start(http);
  await noticed(http, 'Browsers allow the microphone only over https');
  await http.close({ expected: RECOGNISERS });
});
