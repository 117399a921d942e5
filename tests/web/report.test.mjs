// What `surtitle evaluate --sweep --report` and `surtitle attention --output` write, in the browser: by itself, from a
// file, offline.

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

// The file's page, and what it complained of or asked anybody for.
async function open(file) {
  const page = await browser.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => problems.push(message.text()));
  page.on('request', (request) => /^(file|data):/u.test(request.url()) || problems.push(request.url()));
  await page.goto(pathToFileURL(file).href);
  return { page, problems };
}

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
  const { page, problems } = await open(file);

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

// The colours of what an SVG is made of.
const fills = (svg) => svg.evaluate((element) =>
  [...element.querySelectorAll('path')].map((path) => path.getAttribute('fill')).join());

test('the map of attention shows each layer, a head on request, and a cell in words', { skip: missing }, async () => {
  const file = join(folder, 'attention.html');
  const target = 'Good morning, </script><b>everybody</b>!';
  const run = JSON.parse(execFileSync(join(build, 'surtitle'), [
    'attention', '--model', join(root, 'model/pretrained/de-en-gma'), '--policy', 'gma:delta=1', '--json',
    '--output', file, '--target', target, 'Guten Morgen zusammen!',
  ], { encoding: 'utf8' }));
  const { page, problems } = await open(file);

  assert.deepEqual(await page.locator('h2').allTextContents(), ['Layer 0, gma', 'Layer 1, gma', 'Layer 2, gma']);
  assert.equal(await page.locator('#about').textContent(), 'de-en-gma under gma:delta=1');
  assert.equal(await page.locator('#target').textContent(), target);
  const map = page.locator('svg').first();
  for (const name of ['Morgen', 'morning']) await map.getByText(name, { exact: true }).waitFor();

  const mean = await fills(map);
  await page.getByLabel('2', { exact: true }).check();
  assert.notEqual(await fills(map), mean, 'a head attends otherwise than all together');

  // The first token's weight on the first one, under the map's upper left corner.
  const box = await map.boundingBox();
  const [left, top] = await page.evaluate(() => [room.left, room.top]);
  await page.mouse.move(box.x + left + 5, box.y + top + 5);
  const [weight, p] = [run.layers[0].attention[2][0][0], run.layers[0].p[0]];
  const cell = page.locator('body > div').filter({ hasText: 'weight' });
  await cell.waitFor();
  assert.deepEqual((await cell.innerText()).split('\n').slice(0, 3),
    ['Good ← Gute', `weight ${weight.toFixed(3)}`, `p ${p.toFixed(3)}`]);
  assert.deepEqual(problems, []);

  await page.setViewportSize({ width: 390, height: 844 });
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.equal(width, 390, 'a phone scrolls the map, not the page');
  await page.close();
});
