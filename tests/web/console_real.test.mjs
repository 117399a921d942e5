// The console on the daemon with the shipped models: typed German, and two translations side by side.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Viewer } from './support/browser.mjs';
import { root } from './support/daemon.mjs';
import { browser, daemon, missing } from './support/real_stage.mjs';

test('GMA and wait-k translate the demo talk side by side', { skip: missing }, async () => {
  const console = await Viewer.open(browser, daemon, { query: 'console', viewport: { width: 1280, height: 800 } });
  await console.shows('#state', 'Not started');
  await console.page.click('#expert summary');
  await console.page.check('[name="compare"]');
  const models = await console.page.locator('[data-field="model"]').evaluateAll((fields) => fields.map(({ value }) => value));
  assert.deepEqual(models, ['de-en-multipath', 'de-en-gma']);
  await console.page.selectOption('#paste-rate', '0');
  await console.page.click('#start');
  await console.shows('#state', 'On air');
  const log = readFileSync(join(root, 'tests/data/demo/europarl.jsonl'), 'utf8');
  const words = log.trim().split('\n').slice(0, 60).map((line) => JSON.parse(line).text);
  await console.page.locator('#typed').pressSequentially(`${words.slice(0, 8).join(' ')} `);
  await console.page.locator('#scroll .text').first().filter({ hasText: /\w/u }).waitFor();
  await console.page.locator('#typed').evaluate((field, content) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', content);
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, words.slice(8).join(' '));
  await console.page.click('#finish');
  await console.shows('#state', 'Finished');

  const rows = await console.page.locator('#scroll tbody tr').count();
  assert.ok(rows >= 2, `${rows} sentences`);
  assert.equal(await console.page.locator('#scroll td.complete').count(), 2 * rows);
  const [said] = await console.page.locator('#scroll .said').allTextContents();
  assert.equal(said, words.join(' ').slice(0, said.length));
  const [first, second] = await console.page.locator('#scroll tbody tr:first-child .text').allTextContents();
  for (const text of [first, second]) assert.match(text, /\b(the|of|and|to)\b/u);
  assert.notEqual(first, second);
  await console.shows('#difference', `mean of ${rows} sentences`);
  await console.shows('#difference [data-figure="al"]', /\d words/u);
  await console.shows('[data-figure="recent"]', /ms · \d+/u);
  await console.close();
  assert.equal(await daemon.stop(), 0);
});
