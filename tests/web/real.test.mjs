// The page on the daemon with the shipped model: German in, English while it comes.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { launch, Viewer } from './support/browser.mjs';
import { closeRest } from './support/cleanup.mjs';
import { Daemon, root } from './support/daemon.mjs';
import { Sender } from './support/sender.mjs';
import { witness } from './support/witness.mjs';

const missing = Daemon.realIsThere() ? false : 'needs build/surtitled and a model in model/pretrained';

let browser;
let daemon;

before(async () => {
  if (missing) return;
  daemon = await Daemon.real();
  browser = await launch();
});

afterEach(closeRest);

after(() => browser?.close());

test('the demo talk becomes English subtitles while it is spoken', { skip: missing }, async () => {
  const viewer = await Viewer.open(browser, daemon, { watch: witness });
  const sender = await Sender.open(daemon);
  const log = readFileSync(join(root, 'tests/data/demo/europarl.jsonl'), 'utf8');
  const words = log.trim().split('\n').slice(0, 60).map((line) => JSON.parse(line).text);
  for (const word of words.slice(0, -1)) await sender.source(word);
  await viewer.page.locator('#target .word').first().waitFor({ state: 'attached' });
  await sender.source(words.at(-1));
  await sender.finish();

  const targets = sender.messages.filter(({ type }) => type === 'sentence').map(({ target }) => target);
  await viewer.shows('#spoken', targets.at(-1));
  const seen = await viewer.page.evaluate(() => window.witness);
  assert.deepEqual([seen.moved, seen.changed], [[], []]);
  assert.ok(seen.texts.length > 20, 'word by word');
  assert.match(targets.join(' '), /\b(the|of|and|to)\b/u);
  await viewer.close();
  assert.equal(await daemon.stop(), 0);
});
