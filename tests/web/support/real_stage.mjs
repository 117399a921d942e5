// A browser, and a daemon with the shipped models, for all tests of a file.
//
// An import starts both before the tests and ends them afterwards. `missing`: the reason why they cannot be started,
// for `skip`, or false.

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
