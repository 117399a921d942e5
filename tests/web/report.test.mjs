// What `surtitle evaluate --sweep --report` writes, in the browser: by itself, from a file, offline.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { launch } from './support/browser.mjs';
import { build, Daemon, root } from './support/daemon.mjs';

const missing = Daemon.realIsThere() ? false : 'needs build/surtitle and a model in model/pretrained';

let browser;
let folder;

before(async () => {
  if (missing) return;
  folder = mkdtempSync(join(tmpdir(), 'surtitle-report-'));
  browser = await launch();
});

after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true });
});

test('the report draws every run and asks nobody for anything', { skip: missing }, async () => {
  const file = join(folder, 'report.html');
  const data = join(root, 'tests/data/de-en');
  execFileSync(join(build, 'surtitle'), [
    'evaluate', '--sweep', '--limit', '20', '--report', file,
    '--model', join(root, 'model/pretrained/de-en-gma'), '--model', join(root, 'model/pretrained/de-en-multipath'),
    '--policy', 'gma:delta=1..2', '--policy', 'wait-k:k=1..3', '--policy', 'full-sentence',
    '--source', join(data, 'tatoeba.test.de'), '--reference', join(data, 'tatoeba.test.en'),
    '--source', join(data, 'europarl.test.de'), '--reference', join(data, 'europarl.test.en'),
  ]);
  const page = await browser.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => problems.push(message.text()));
  page.on('request', (request) => /^(file|data):/u.test(request.url()) || problems.push(request.url()));
  await page.goto(pathToFileURL(file).href);

  assert.deepEqual(await page.locator('h2').allTextContents(),
    ['tatoeba.test, 20 sentences', 'europarl.test, 20 sentences']);
  assert.equal(await page.locator('svg').count(), 8, 'four charts for each test set');
  const curves = page.locator('svg').first();
  for (const name of ['de-en-gma gma', 'de-en-multipath wait-k', 'AL, source words', 'delta=2', 'k=3'])
    await curves.getByText(name, { exact: true }).first().waitFor();
  assert.equal(await page.locator('tbody').first().locator('tr').count(), 6);
  assert.match(await page.locator('tbody tr').first().textContent(), /^de-en-gmagma:delta=1\d+\.\d\d/u);
  assert.deepEqual(problems, []);
  await page.close();
});
