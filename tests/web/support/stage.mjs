// What a page test stands on: a browser, and for each test a scripted daemon of its own, for a channel remembers what
// was said. To import it is to have both started before and ended after.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach } from 'node:test';
import { launch } from './browser.mjs';
import { closeRest } from './cleanup.mjs';
import { Daemon } from './daemon.mjs';

export let browser;
export let daemon;

before(async () => {
  browser = await launch();
});

beforeEach(async () => {
  daemon = await Daemon.scripted();
});

afterEach(async () => {
  await closeRest();
  assert.equal(await daemon.stop(), 0);
});

after(() => browser?.close());
