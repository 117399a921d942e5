// The reports of `surtitle evaluate --sweep --report`, `attention --output`, `replay --report` and `train --report` in
// the browser.
//
// Each is opened as a file, offline.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

// Opens a file. Returns its page, and a list of its errors, console messages and requests to hosts.
async function open(file) {
  const page = await browser.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => problems.push(message.text()));
  page.on('request', (request) => /^(file|data):/u.test(request.url()) || problems.push(request.url()));
  await page.goto(pathToFileURL(file).href);
  return { page, problems };
}

// Fails if a chart is not drawn in the width of its place. The window must not have been resized before.
async function assertChartsFit(page) {
  const widths = await page.locator('.curve').evaluateAll(async (places) => {
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return places.map((place) => [place.clientWidth, place.querySelector('svg').clientWidth]);
  });
  assert.ok(widths.length > 0);
  for (const [place, drawn] of widths) assert.equal(drawn, place);
}

test('the report draws every run and sends no request', { skip: missing }, async () => {
  const file = join(folder, 'report.html');
  const data = join(root, 'tests/data/de-en');
  execFileSync(join(build, 'surtitle'), [
    'evaluate', '--sweep', '--limit', '20', '--report', file,
    '--model', join(root, 'model/pretrained/de-en-gma-small'), '--model', join(root, 'model/pretrained/de-en-multipath'),
    '--policy', 'gma:delta=1..2', '--policy', 'wait-k:k=1..3', '--policy', 'full-sentence',
    '--source', join(data, 'tatoeba.test.de'), '--reference', join(data, 'tatoeba.test.en'),
    '--source', join(data, 'europarl.test.de'), '--reference', join(data, 'europarl.test.en'),
  ]);
  const { page, problems } = await open(file);

  assert.deepEqual(await page.locator('h2').allTextContents(),
    ['tatoeba.test, 20 sentences', 'europarl.test, 20 sentences']);
  assert.equal(await page.locator('svg').count(), 8, 'four charts for each test set');
  await assertChartsFit(page);
  const curves = page.locator('svg').first();
  for (const name of ['de-en-gma-small gma', 'de-en-multipath wait-k', 'AL, source words', 'delta=2', 'k=3'])
    await curves.getByText(name, { exact: true }).first().waitFor();
  assert.equal(await page.locator('tbody').first().locator('tr').count(), 6);
  assert.match(await page.locator('tbody tr').first().textContent(), /^de-en-gma-smallgma:delta=1\d+\.\d\d/u);
  assert.deepEqual(problems, []);

  await page.setViewportSize({ width: 390, height: 844 });
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.equal(width, 390, 'a phone scrolls the numbers, not the page');
  await page.close();
});

// Returns the colours of an SVG's paths.
const fills = (svg) => svg.evaluate((element) =>
  [...element.querySelectorAll('path')].map((path) => path.getAttribute('fill')).join());

test('the map of attention shows each layer, a head on request, and a cell in words', { skip: missing }, async () => {
  const file = join(folder, 'attention.html');
  const target = 'Good morning, </script><b>everybody</b>!';
  const run = JSON.parse(execFileSync(join(build, 'surtitle'), [
    'attention', '--model', join(root, 'model/pretrained/de-en-gma-small'), '--policy', 'gma:delta=1', '--json',
    '--output', file, '--target', target, 'Guten Morgen zusammen!',
  ], { encoding: 'utf8' }));
  const { page, problems } = await open(file);

  assert.deepEqual(await page.locator('h2').allTextContents(), ['Layer 0, gma', 'Layer 1, gma', 'Layer 2, gma']);
  assert.equal(await page.locator('#about').textContent(), 'de-en-gma-small under gma:delta=1');
  assert.equal(await page.locator('#target').textContent(), target);
  const map = page.locator('svg').first();
  for (const name of ['Morgen', 'morning']) await map.getByText(name, { exact: true }).waitFor();

  const mean = await fills(map);
  await page.getByLabel('2', { exact: true }).check();
  assert.notEqual(await fills(map), mean, 'one head attends to other tokens than the mean');

  // The upper left cell of the map: the weight of the first target token on the first source token.
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

// Returns a stream log of two sentences; `second` is the translation of the second one.
function streamLog(second) {
  const said = (sentence, text, taken) => ({ type: 'source', sentence, text, time: taken / 1000, taken });
  const wrote = (sentence, index, text, words, time) =>
    ({ type: 'write', sentence, index, text, read: words, words, time });
  const done = (sentence, source, target) =>
    ({ type: 'sentence', sentence, source, target, metrics: { words: {}, tokens: {} } });
  return [
    { type: 'stream_log', version: 1, started: '2026-11-22T09:00:00.000Z', stream: 's-0', source: 'de',
      source_form: 'written', tracks: [{ name: '', target: 'en', model: 'de-en-gma-small', policy: 'gma:delta=1' }] },
    said(0, 'Guten', 100), said(0, 'Morgen.', 600), { type: 'end_sentence', sentence: 0, time: 600 },
    wrote(0, 0, 'Good', 1, 640), wrote(0, 1, ' morning.', 2, 660), done(0, 'Guten Morgen.', 'Good morning.'),
    said(1, 'Das', 1000), said(1, '</script>ist', 1400), said(1, 'gut.', 1900), { type: 'end_sentence', sentence: 1, time: 1900 },
    ...second.map((word, i) => wrote(1, i, (i ? ' ' : '') + word, Math.min(i + 1, 3), 1500 + 300 * i)),
    done(1, 'Das </script>ist gut.', second.join(' ')), { type: 'end', reason: 'finished', time: 3000, words: 5 },
  ].map((line) => `${JSON.stringify(line)}\n`).join('');
}

// Returns the words of a timeline and their positions.
const placed = (timeline, kind) => timeline.locator(`text.${kind}`).evaluateAll((texts) =>
  texts.map((text) => [text.textContent, Number(text.getAttribute('x'))]));

test('the report of two logs shows delays, differences, and words at their times', { skip: missing }, async () => {
  const [one, other, file] = ['one.jsonl', 'other.jsonl', 'replay.html'].map((name) => join(folder, name));
  writeFileSync(one, streamLog(['That', '<b>is', 'good.']));
  writeFileSync(other, streamLog(['That', '<b>is', 'very', 'good.']));
  const { status, stdout } = spawnSync(join(build, 'surtitle'),
    ['compare', one, other, '--report', file], { encoding: 'utf8' });
  assert.equal(status, 3, 'the words differ');
  assert.match(stdout, /The words differ in 1 of 2 sentences\./u);
  const { page, problems } = await open(file);

  assert.match(await page.locator('#about').textContent(), /have other words in 1 of 2 sentences\.$/u);
  assert.equal(await page.locator('svg').count() - await page.locator('svg.times').count(), 2, 'a chart of delays and one of lagging');
  await assertChartsFit(page);
  const rows = page.locator('tbody tr');
  assert.deepEqual(await rows.locator('td:first-child').allTextContents(),
    ['other.jsonl: gma:delta=1', 'one.jsonl: gma:delta=1']);
  assert.match(await rows.nth(1).textContent(), /400\.0540\.0540\.01 of 2$/u, 'half of the writes were within 400 ms of their words');

  const timelines = page.locator('svg.times');
  assert.equal(await timelines.count(), 4, 'two runs of two sentences');
  const [good, morning] = await placed(timelines.first(), 'target');
  assert.deepEqual([good[0], morning[0]], ['Good', 'morning.']);
  const said = await placed(timelines.first(), 'said');
  assert.deepEqual(said.map(([text]) => text), ['Guten', 'Morgen.']);
  const second = said[1][1] / 0.5;
  assert.ok(Math.abs(good[1] - 0.54 * second) < 1, 'a word is at its time');
  assert.deepEqual((await placed(timelines.nth(2), 'target')).map(([text]) => text), ['That', '<b>is', 'very', 'good.']);
  assert.equal(await timelines.nth(2).locator('text.other').count(), 0, 'other runs are compared with the first one');
  assert.deepEqual((await placed(timelines.nth(3), 'said')).map(([text]) => text), ['Das', '</script>ist', 'gut.']);

  await page.getByLabel('by words read').check();
  const columns = new Map(await placed(timelines.nth(2), 'said'));
  const below = new Map(await placed(timelines.nth(2), 'target'));
  assert.equal(below.get('That'), columns.get('Das'));
  assert.equal(below.get('good.'), columns.get('gut.'));
  assert.equal(below.get('very'), columns.get('gut.'));

  await page.getByLabel('only sentences with other words').check();
  assert.deepEqual(await page.locator('details:visible summary').allTextContents(), ['1  differs  Das </script>ist gut.']);
  assert.deepEqual(problems, []);
  await page.setViewportSize({ width: 390, height: 844 });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await page.close();
});

test('the report of several policies draws latency against quality', { skip: missing }, async () => {
  const [talk, reference, file] = ['talk.txt', 'reference.txt', 'curve.html'].map((name) => join(folder, name));
  writeFileSync(talk, 'Guten Morgen, meine Damen und Herren.\n\nDas ist ein guter Tag für uns alle.\n');
  writeFileSync(reference, 'Good morning, ladies and gentlemen.\nThis is a good day for all of us.\n');
  const replay = ['replay', talk, '--offline', '--model', 'de-en-gma-small', '--policy', 'gma:delta=1..3', '--report', file];
  execFileSync(join(build, 'surtitle'), replay);
  const agreement = await open(file);
  assert.match(await agreement.page.textContent('main'), /Agreement: with the full-sentence translation/u);
  await agreement.page.getByRole('heading', { name: 'Agreement against AL' }).waitFor();
  await agreement.page.close();

  execFileSync(join(build, 'surtitle'), [...replay, '--reference', reference]);
  const { page, problems } = await open(file);
  await page.getByRole('heading', { name: 'BLEU against AL' }).waitFor();
  const curve = page.locator('section').filter({ hasText: 'BLEU against AL' }).locator('svg');
  for (const name of ['de-en-gma-small gma', 'AL, source words', 'gma:delta=3'])
    await curve.getByText(name, { exact: true }).first().waitFor();
  assert.equal(await page.locator('tbody tr').count(), 3);
  assert.deepEqual([...problems, ...agreement.problems], []);
  await page.close();
});

test('the report of a training draws its numbers, and has the best ones in words', { skip: missing }, async () => {
  const [run, file] = [join(folder, 'de-en'), join(folder, 'training.html')];
  mkdirSync(run);
  writeFileSync(join(run, 'log.jsonl'), [[400, 5, 40, 12.5], [800, 4, 20.5, 21.25], [1200, 3.5, 22, 21]]
    .map(([update, loss, perplexity, bleu]) => ({ update, epoch: 1 + update / 800 | 0, loss, learning_rate: 0.0005,
      tokens_per_second: 4000, dev_perplexity: perplexity, dev_bleu: bleu, dev_al: update === 400 ? null : 2.5 }))
    .map((line) => `${JSON.stringify(line)}\n`).join(''));
  execFileSync(join(build, 'surtitle'), ['train', run, '--report', file]);
  const { page, problems } = await open(file);

  assert.equal(await page.textContent('h1'), 'Training of de-en');
  assert.equal(await page.textContent('#about'), '3 checkpoints, the last one after 1,200 updates, in epoch 2.');
  assert.deepEqual(await page.locator('h3').allTextContents(),
    ['Loss', 'Dev perplexity', 'Dev BLEU', 'Dev AL', 'Tokens per second', 'Learning rate']);
  const about = (name) => page.locator('section').filter({ has: page.getByRole('heading', { name }) }).locator('p').textContent();
  assert.match(await about('Dev perplexity'), /Best: 20\.500 at update 800\.$/u);
  assert.match(await about('Dev BLEU'), /Best: 21\.25 at update 800\.$/u);
  assert.deepEqual(await page.locator('tbody tr').first().locator('td').allTextContents(),
    ['400', '1', '5.000', '40.000', '12.50', '-', '4000', '0.000500']);
  assert.equal(await page.locator('svg').count(), 6);
  await assertChartsFit(page);
  await page.setViewportSize({ width: 390, height: 844 });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  assert.deepEqual(problems, []);
  await page.close();
});
