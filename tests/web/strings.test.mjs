// The texts of the pages: all of them are in the tables of web/strings/, which agree.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'acorn';
import { chooseLanguage, formatNumber, mixed, phrase } from '../../web/strings.js';
import de from '../../web/strings/de.js';
import en from '../../web/strings/en.js';
import german from '../../web/strings/problems_de.js';
import { root } from './support/daemon.mjs';

const web = join(root, 'web');
const filesOf = (folder, end) => readdirSync(join(web, folder)).filter((name) => name.endsWith(end)).map((name) => join(folder, name));
const read = (name) => readFileSync(join(web, name), 'utf8');

const PAGES = filesOf('', '.html');
// The npm package has programs as its readers, and no tables.
const PACKAGE = JSON.parse(read('package.json')).files;
const MODULES = [...filesOf('', '.js'), ...filesOf('console', '.js')].filter((name) => !PACKAGE.includes(name));
// The words that these have are data, none of which a page shows.
const DATA = ['console/sounds.js', 'console/speech_marks.js', 'console/speech_servers.js', 'local_file_worker.js', 'pause.js'];

const NAMES = ['Surtitle', 'Microsoft', 'Opera', 'Google'];
const EVENT_KEYS = ['Home', 'End', 'Escape', 'Enter', 'Tab'];
const SCRIPTS = /^(?:Adlm|Arab|Hebr|Mand|Mend|Nkoo|Rohg|Samr|Syrc|Thaa|Yezi)$/u; // of languages
const ATTRIBUTES = ['aria-label', 'title', 'placeholder', 'alt', 'label'];
const SHOWN = ['textContent', 'innerText', 'title', 'placeholder', 'ariaLabel', 'ariaValueText', 'label', 'text', 'note', 'problem', 'message'];
const SHOW = ['setText', 'tell', 'onProblem', 'showState', 'Option', 'setCustomValidity', 'append', 'prepend', 'replaceChildren'];
const FIND = ['find', '#find', '#part', 'part', 'querySelector', 'querySelectorAll', 'closest', 'matches', 'RegExp', 'move', 'matchMedia'];
const CLASS = ['class', 'className'];
const UNITS = /^(?:ms|px|s|%)$/u;

// --- literal texts ---

// Returns the literal texts of HTML, beside those of <noscript>, which no script can translate, and of <code>.
function textsOfHtml(html) {
  const rest = html.replace(/<!--.*?-->|<(noscript|script|code)\b.*?<\/\1>/gsu, '');
  const texts = rest.replace(/<[^>]*>/gu, '\n').split('\n').map((text) => text.trim());
  const isText = (text) => /\p{L}/u.test(text) && !NAMES.includes(text) && !/^\.\w+$/u.test(text);
  const attributes = [...rest.matchAll(new RegExp(`\\s(?:${ATTRIBUTES.join('|')})="([^"]*\\p{L}[^"]*)"`, 'gu'))];
  return [...texts.filter(isText), ...attributes.map(([, value]) => value)];
}

// Whether a string in a script reads as text: two words, or a capitalised one. `shown`: it reaches an element.
function readsAsText(text, shown) {
  const words = text.trim();
  if ([...NAMES, ...EVENT_KEYS].includes(words) || UNITS.test(words) || SCRIPTS.test(words) || words.startsWith('{"')) return false;
  return shown ? /\p{Ll}{2}/u.test(words) : /\p{L}{2}[,;:.]?\s+\p{L}{2}|^\p{Lu}\p{Ll}+$/u.test(words);
}

const nameOf = (node) => node?.name ?? (node?.property ? `${node.property.type === 'PrivateIdentifier' ? '#' : ''}${node.property.name}` : '');

// Calls visit(text, shown, node) for the strings of a script that are neither keys of the tables nor selectors.
function walk(node, visit, shown = false) {
  if (Array.isArray(node)) return node.forEach((child) => walk(child, visit, shown));
  if (typeof node?.type !== 'string') return undefined;
  if (/^(?:Import|Export(?:All|Named))Declaration$/u.test(node.type) && node.source) return undefined;
  if (node.type === 'Literal') return typeof node.value === 'string' ? visit(node.value, shown) : undefined;
  if (node.type === 'TemplateLiteral') {
    const whole = node.quasis.map(({ value }) => value.cooked).join('0');
    if (/<\w+[ >]/u.test(whole)) return textsOfHtml(whole).forEach((text) => visit(text, true));
    for (const { value } of node.quasis) visit(value.cooked, shown);
    return walk(node.expressions, visit, false);
  }
  if (node.type === 'Property') {
    return CLASS.includes(node.key.name) ? undefined : walk(node.value, visit, shown || SHOWN.includes(node.key.name));
  }
  if (node.type === 'AssignmentExpression') {
    return CLASS.includes(nameOf(node.left)) ? undefined : walk(node.right, visit, SHOWN.includes(nameOf(node.left)));
  }
  if (node.type === 'CallExpression' || node.type === 'NewExpression') {
    const name = nameOf(node.callee);
    if (['phrase', 'mixed'].includes(name)) return walk(node.arguments.slice(1), visit, true);
    if (FIND.includes(name) || node.callee.object?.name === 'console') return undefined;
    if (name === 'Error') return walk(node.arguments, visit, true);
    if (name === 'setAttribute' && ATTRIBUTES.includes(node.arguments[0].value)) return walk(node.arguments[1], visit, true);
    walk(node.callee, visit, false);
    return node.arguments.forEach((argument, i) => walk(argument, visit, SHOW.includes(name) && i === node.arguments.length - 1));
  }
  // The test of a condition is not shown, but its results are.
  if (node.type === 'ConditionalExpression') {
    walk(node.test, visit, false);
    return walk([node.consequent, node.alternate], visit, shown);
  }
  const inherits = ['LogicalExpression', 'ArrayExpression', 'ObjectExpression', 'SpreadElement', 'ArrowFunctionExpression'].includes(node.type) ||
    (node.type === 'BinaryExpression' && node.operator === '+');
  for (const [key, child] of Object.entries(node)) if (key !== 'type') walk(child, visit, shown && inherits);
  return undefined;
}

function textsOfScript(script) {
  const found = [];
  walk(parse(script, { ecmaVersion: 'latest', sourceType: 'module' }), (text, shown) => readsAsText(text, shown) && found.push(text));
  return found;
}

test('a literal text in a page or a script is found', () => {
  assert.deepEqual(textsOfHtml('<p data-text="a">Live</p><input placeholder="Your name"><code>ls</code>'), ['Live', 'Your name']);
  for (const script of [
    "find('#state').textContent = 'live';",
    "setText(element, busy ? 'soon' : phrase('later'));",
    "const TITLE = 'Average lagging: words behind';",
    'throw new Error(`${name} is empty`);',
    "notices.tell('news', `${count} words`);",
    "element.setAttribute('aria-label', 'grid');",
    "const PHASES = { idle: () => ['wait', 'Started'] };",
    'const BODY = `<p>None</p>`;',
    "make('dt', { textContent: 'none' });",
  ]) {
    assert.equal(textsOfScript(script).length, 1, script);
  }
  for (const script of [
    "find('#scroll thead tr').className = 'first last';",
    "setText(find('#state'), phrase('state.live'));",
    "if (event.key === 'ArrowLeft') console.warn('cannot read the settings');",
    'path.d = `M${x} ${y}h${width}`;',
  ]) {
    assert.deepEqual(textsOfScript(script), [], script);
  }
});

for (const page of PAGES) {
  test(`${page} has no text outside the tables`, () => {
    assert.deepEqual(textsOfHtml(read(page)), []);
    assert.match(read(page), /<noscript>.*JavaScript.*lang="de".*JavaScript/u, 'without a script, it says so in both languages');
  });
}

for (const name of MODULES.filter((module) => !DATA.includes(module))) {
  test(`${name} has no text outside the tables`, () => {
    assert.deepEqual(textsOfScript(read(name)), []);
  });
}

// --- keys ---

// Returns the keys in HTML, also in that of a script.
const keysOfHtml = (html) => [...html.matchAll(new RegExp(`\\bdata-(?:text|${ATTRIBUTES.join('|')})="([^"]*)"`, 'gu'))].map(([, key]) => key);

// Returns patterns of the keys that a script uses.
function keysOfScript(script) {
  const found = [];
  const add = (node) => {
    if (node.type === 'ConditionalExpression') return [node.consequent, node.alternate].forEach(add);
    assert.match(node.type, /^(?:Literal|TemplateLiteral)$/u, 'a key is written where it is used');
    return found.push(node.type === 'Literal' ? node.value : node.quasis.map(({ value }) => value.cooked).join('*'));
  };
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node?.type !== 'string') return undefined;
    if (node.type === 'CallExpression' && ['phrase', 'mixed'].includes(node.callee.name)) add(node.arguments[0]);
    return Object.values(node).forEach(visit);
  };
  visit(parse(script, { ecmaVersion: 'latest', sourceType: 'module' }));
  return found;
}

test('each key in a page or a script is in the tables, and each of the tables is used', () => {
  const scripts = MODULES.filter((name) => name !== 'strings.js').map(read);
  const used = [...PAGES.map(read), ...scripts].flatMap(keysOfHtml).concat(scripts.flatMap(keysOfScript));
  const patterns = used.map((key) => new RegExp(`^${key.replaceAll('.', '\\.').replaceAll('*', '[^.]+')}$`, 'u'));
  const keys = Object.keys(en);
  assert.deepEqual(used.filter((_, i) => !keys.some((key) => patterns[i].test(key))), [], 'not in the tables');
  assert.deepEqual(keys.filter((key) => !patterns.some((pattern) => pattern.test(key))), [], 'not used');
});

// --- tables ---

const placeholders = (text) => (text.match(/\{\w*\}/gu) ?? []).sort().join(' ');

test('the tables have the same keys in the same order, with the same placeholders and plurals', () => {
  assert.deepEqual(Object.keys(de), Object.keys(en));
  for (const [key, text] of Object.entries(en)) {
    const forms = [text, de[key]].map((one) => (typeof one === 'string' ? { other: one } : one));
    const all = forms.flatMap((form) => Object.values(form));
    assert.equal(typeof de[key], typeof text, key);
    assert.equal(new Set(all.map(placeholders)).size, 1, `${key}: ${all}`);
    assert.ok(all.every((one) => one.trim() !== ''), key);
    if (typeof text === 'string') continue;
    for (const [language, form] of [['en', forms[0]], ['de', forms[1]]]) {
      assert.deepEqual(Object.keys(form).sort(), new Intl.PluralRules(language).resolvedOptions().pluralCategories.sort(), key);
    }
  }
});

test('German texts have one name for the daemon', () => {
  const texts = Object.values({ ...de, ...german }).flatMap((text) => (typeof text === 'string' ? [text] : Object.values(text)));
  assert.deepEqual(texts.filter((text) => /Daemon|Dienst/u.test(text)), []);
});

test('the language is the first that has a table, and English if none has', () => {
  assert.equal(chooseLanguage([null, undefined, 'fr-FR', 'de-AT', 'en-GB']), 'de');
  assert.equal(chooseLanguage(['EN-us', 'de']), 'en');
  assert.equal(chooseLanguage(['fr', 'constructor', 'deu', '']), 'en');
});

test('a text has its values, its plural and its nodes', () => {
  assert.equal(phrase('words', { count: 1 }), '1 word');
  assert.equal(phrase('words', { count: 1200 }), '1,200 words');
  assert.equal(phrase('state.paused', { text: '{count} at {text}' }), 'Paused · {count} at {text}', 'a value is no template');
  assert.equal(formatNumber(0.126, 2), '0.13');
  assert.equal(formatNumber(0.0715, 3), (0.0715).toFixed(3));
  assert.equal(formatNumber(2.5), '2.5');
  assert.deepEqual(mixed('player.shift', ['1']), ['later by ', '1', ' s']);
  assert.deepEqual(mixed('lines', ['1', '2']), ['Lines', ' ', '1', ' ', '2'], 'nodes without a place follow');
});
