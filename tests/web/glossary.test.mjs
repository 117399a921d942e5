// The field of the console for names and terms.

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import WebSocket from 'ws';
import { glossaryProblem, readGlossary } from '../../web/console/glossary.js';
import { Stream } from '../../web/surtitle.js';
import { launch, Viewer } from './support/browser.mjs';
import { closeRest, remember } from './support/cleanup.mjs';
import { Daemon } from './support/daemon.mjs';

let browser;

before(async () => {
  browser = await launch();
});

afterEach(closeRest);

after(() => browser?.close());

test('lines are terms with translations', () => {
  const text = '# names\n\n Wärmepumpe =  heat pump \nSurtitle\nLand* Rat*\nC++ = C++\na;b;c\nd\te=f\ng,h';
  assert.deepEqual(readGlossary(text), [
    ['Wärmepumpe', 'heat pump'],
    ['Surtitle', 'Surtitle'],
    ['Land* Rat*', 'Land Rat'],
    ['C++', 'C++'],
    ['a', 'b'],
    ['d', 'e=f'],
    ['g', 'h'],
  ]);
});

// The entries, and what the page says of them. Entries of the rows without a problem are at a limit.
const ENTRIES = [
  ['See =', 'Line 2: The entry “See” needs a term and a translation.'],
  ['= lake', 'Line 2: The entry “lake” needs a term and a translation.'],
  ['ein zwei drei vier fünf sechs sieben acht neun = x', 'Line 2: A term has at most 8 words, not 9.'],
  ['ein zwei drei vier fünf sechs sieben acht = x', ''],
  ['zwei Wörter = ***', 'Line 2: *** masks one word, not “zwei Wörter”.'],
  ['zwei Wörter = ** *', ''],
  ['* ** = x', 'Line 2: A term needs more than the sign *.'],
  [`${'ä'.repeat(101)} = x`, 'Line 2: Term and translation have at most 200 bytes each, and a letter such as ä has 2.'],
  [`x = ${'ä'.repeat(101)}`, 'Line 2: Term and translation have at most 200 bytes each, and a letter such as ä has 2.'],
  [`${'ä'.repeat(100)} = x`, ''],
  ['a\u0007b = x', 'Line 2: The entry has a control character.'],
  [Array.from({ length: 500 }, (_, i) => `t${i} = x`).join('\n'), ''],
  [Array.from({ length: 501 }, (_, i) => `t${i} = x`).join('\n'), 'Line 502: A glossary has at most 500 entries.'],
];

for (const [entry, problem] of ENTRIES) {
  test(`the page and the daemon agree on ${JSON.stringify(entry.slice(0, 60))}`, async () => {
    const text = `# names\n${entry}`;
    assert.equal(glossaryProblem(text), problem);
    const start = { source: 'de', target: 'en', channel: 'main', glossary: readGlossary(text), WebSocket };
    const daemon = await Daemon.scripted();
    remember(daemon, async () => assert.equal(await daemon.stop(), 0));
    const opened = Stream.open(daemon.url, start);
    if (problem === '') await (await opened).finish();
    else await assert.rejects(opened, { code: 'bad-field' });
  });
}

async function open(daemon, options) {
  const console = await Viewer.open(browser, daemon, { query: 'console', ...options });
  await console.shows('#state', 'Not started');
  return console;
}

async function fill(console, text) {
  await console.page.locator('[name="glossary"]').fill(text);
  await console.page.locator('[name="glossary"]').blur();
}

async function translates(console, source, target) {
  await console.page.locator('#typed').pressSequentially(`${source}\n`);
  await console.page.waitForFunction(
    (text) => [...document.querySelectorAll('#scroll .text')].at(-1)?.textContent === text,
    target,
  );
}

test('terms come out, change with the next sentence, and are remembered', async () => {
  const daemon = await Daemon.scripted();
  remember(daemon, async () => assert.equal(await daemon.stop(), 0));
  const console = await open(daemon);
  await console.page.click('#terms summary');
  await fill(console, 'Haus = house\nSee =');
  await console.shows('#glossary-terms', 'Line 2: The entry “See” needs a term and a translation.');
  const field = console.page.locator('[name="glossary"]');
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  await console.page.click('#start');
  await console.shows('#state', 'Not started');
  await fill(console, 'Haus = house\nSee = ***');
  await console.shows('#glossary-terms', '2 entries');
  assert.equal(await field.getAttribute('aria-invalid'), 'false');
  await console.page.click('#start');
  await console.shows('#state', 'On air');
  await translates(console, 'Ein Haus am See.', 'EIN house AM ***.');
  await fill(console, 'Haus = building');
  await console.shows('#glossary-terms', '1 entry');
  await translates(console, 'Ein Haus am See.', 'EIN building AM SEE.');
  await console.page.reload();
  assert.equal(await console.page.inputValue('[name="glossary"]'), 'Haus = building');
});
