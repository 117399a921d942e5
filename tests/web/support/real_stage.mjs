// What a test on the shipped models stands on: a browser and one daemon for all tests of the file. To import it is to
// have both started before and ended after. `missing` says why they cannot be, for `skip`.

import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';
import { launch } from './browser.mjs';
import { closeRest } from './cleanup.mjs';
import { Daemon } from './daemon.mjs';

export const missing = Daemon.realIsThere() ? false : 'needs build/surtitled and a model in model/pretrained';

export let browser;
export let daemon;

before(async () => {
  if (missing) return;
  daemon = await Daemon.real();
  browser = await launch();
});

afterEach(closeRest);

after(async () => {
  await browser?.close();
  if (daemon) assert.equal(await daemon.stop(), 0);
});
