// The page on the daemon with the shipped model, from German to English.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Viewer } from './support/browser.mjs';
import { root } from './support/daemon.mjs';
import { browser, daemon, missing } from './support/real_stage.mjs';
import { Sender } from './support/sender.mjs';
import { witness } from './support/witness.mjs';

test('the demo talk becomes English subtitles while its words arrive', { skip: missing }, async () => {
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
});

const SENTENCE = 'Guten Morgen, meine Damen und Herren, ich freue mich sehr, dass Sie heute so zahlreich erschienen sind.';

test('the Inside view shows the attention of the shipped model, which does not change its translation', { skip: missing }, async () => {
  const viewer = await Viewer.open(browser, daemon, { query: 'inside?channel=hall' });
  const start = { channel: 'hall', model: 'de-en-gma-small', policy: 'gma:delta=1' };
  const targets = [];
  for (const attention of [true, false]) {
    const sender = await Sender.open(daemon, { ...start, attention });
    for (const word of SENTENCE.split(' ')) await sender.source(word);
    await sender.finish();
    targets.push(sender.messages.find(({ type }) => type === 'sentence').target);
    const steps = sender.messages.filter(({ type }) => type === 'attention');
    if (!attention) {
      assert.deepEqual(steps, []);
      continue;
    }
    assert.equal(steps.at(-1).target, '</s>');
    assert.equal(steps.flatMap(({ source }) => source).join('').replaceAll('\u2581', ' ').trim(), `${SENTENCE}</s>`);
    for (const { read, layers } of steps) {
      for (const { weights, positions } of layers) {
        assert.ok(Math.abs(weights.reduce((sum, weight) => sum + weight, 0) - 1) < 0.03, 'a distribution, in thousandths');
        assert.equal(positions.length, 1);
        assert.ok(weights.length <= read);
      }
      assert.equal(Math.max(...layers.map(({ weights }) => weights.length)), read);
    }
    await viewer.page.waitForFunction((count) => document.querySelectorAll('.grid .action').length === count, steps.length);
    assert.equal(await viewer.page.locator('[name="layer"] option').count(), 1 + steps[0].layers.length);
    assert.ok((await viewer.page.locator('.grid .dot').count()) === steps.length * steps[0].layers.length);
  }
  assert.equal(targets[0], targets[1]);
  await viewer.close();
});
