// The field of the console for names and terms.

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { incomplete, readGlossary } from '../../web/console/glossary.js';
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
  assert.equal(incomplete(readGlossary('a = b\nc =')), 'c');
  assert.equal(incomplete(readGlossary('a = b')), undefined);
});

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
  await console.shows('#glossary-terms', 'The entry “See” needs a term and a translation.');
  await fill(console, 'Haus = house\nSee = ***');
  await console.shows('#glossary-terms', '2 entries');
  await console.page.click('#start');
  await console.shows('#state', 'On air');
  await translates(console, 'Ein Haus am See.', 'EIN house AM ***.');
  await fill(console, 'Haus = building');
  await console.shows('#glossary-terms', '1 entry');
  await translates(console, 'Ein Haus am See.', 'EIN building AM SEE.');
  await console.page.reload();
  assert.equal(await console.page.inputValue('[name="glossary"]'), 'Haus = building');
});
