// A browser for all tests of a file, and a scripted daemon for each test, because a channel keeps its text.
//
// An import starts both before the tests and ends them afterwards.

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
