// The texts of the pages, and their numbers, in the language of the reader: German or English.
//
// The language is that of the address, `?ui=de`, otherwise the last one that an address had, otherwise the browser's.
// `?ui=auto` forgets the last one. HTML has no texts, but keys of the tables in strings/: a page shows none in another
// language before its script runs.

import { Memory } from './memory.js';
import de from './strings/de.js';
import en from './strings/en.js';

const TABLES = { en, de };
const ATTRIBUTES = ['aria-label', 'placeholder', 'title'];
const KEY = 'surtitle.ui';

const query = new URLSearchParams(globalThis.location?.search);
const given = query.get('ui');

export const ui = globalThis.location ? choose(query.get('overlay') === '1') : 'en';

const plurals = new Intl.PluralRules(ui);
const formats = new Map(); // digits -> Intl.NumberFormat

// An overlay has only its address, as for other options.
function choose(isOverlay) {
  const memory = isOverlay ? new Memory(KEY, null) : new Memory(KEY);
  if (given === 'auto') memory.remember({});
  else if (Object.hasOwn(TABLES, given)) memory.remember({ language: given });
  const { language } = memory.recall();
  return chooseLanguage([given, language, ...navigator.languages]);
}

// Returns the first of the tags whose language has a table, otherwise English. A tag may be null or undefined.
export function chooseLanguage(tags) {
  return tags.map((tag) => tag?.split('-')[0].toLowerCase()).find((tag) => Object.hasOwn(TABLES, tag)) ?? 'en';
}

// Returns a text of the table. `values` replace the {name} in it, numbers in the reader's format. A text with a plural
// depends on `count`.
export function phrase(key, values = {}) {
  const found = TABLES[ui][key];
  const text = typeof found === 'string' ? found : (found[plurals.select(values.count)] ?? found.other);
  return text.replace(/\{(\w+)\}/gu, (_, name) => (typeof values[name] === 'number' ? number(values[name]) : values[name]));
}

// Returns a number with so many digits after the point, by default with those that it has.
export function number(value, digits = undefined) {
  if (!formats.has(digits)) {
    formats.set(digits, new Intl.NumberFormat(ui, { minimumFractionDigits: digits, maximumFractionDigits: digits }));
  }
  return formats.get(digits).format(value);
}

// Returns the link to another page with the language of this page's address, if it has one.
export function inLanguage(link) {
  return Object.hasOwn(TABLES, given) ? `${link}${link.includes('?') ? '&' : '?'}ui=${given}` : link;
}

// Writes the texts into a page or a part of it: `data-text` is the key of an element's text, and `data-title` and others
// are those of its attributes.
export function fillTexts(root) {
  for (const element of root.querySelectorAll('[data-text]')) {
    element.replaceChildren(...mixed(element.dataset.text, [...element.children]));
  }
  for (const name of ATTRIBUTES) {
    for (const element of root.querySelectorAll(`[data-${name}]`)) {
      element.setAttribute(name, phrase(element.getAttribute(`data-${name}`)));
    }
  }
  for (const { content } of root.querySelectorAll('template')) fillTexts(content);
}

// Returns a text with nodes in it: {} is the next of them. Those of a text without {} follow it.
export function mixed(key, nodes, values = {}) {
  const [first, ...parts] = phrase(key, values).split('{}');
  const rest = nodes.slice(parts.length).flatMap((node) => [' ', node]);
  return [first, ...parts.flatMap((part, i) => [nodes[i], part]), ...rest];
}

// To be called by the script of a page, before it shows anything.
export function fillPage() {
  document.documentElement.lang = ui;
  fillTexts(document);
}
