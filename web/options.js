// The options of the subtitle page and the overlay, in addresses and in the browser's storage.
//
// A value is text in an address and in a form. `read` returns its value, or undefined if it is not `allowed`. The style
// sheet decides options without a value (null).

import { phrase } from './strings.js';

const HEX = /^[0-9a-f]{6}$/iu;
const SHORT_HEX = /^[0-9a-f]{3}$/iu;

function whole(min, max) {
  return {
    allowed: phrase('options.whole', { min, max: `${max}` }),
    read: (text) => (/^\d{1,4}$/u.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined),
  };
}

function decimal(min, max) {
  return {
    allowed: phrase('options.decimal', { min, max }),
    read: (text) =>
      /^\d{1,4}(\.\d{1,3})?$/u.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined,
  };
}

function word(choices, others = {}) {
  return {
    allowed: phrase('options.word', { choices: choices.join(', ') }),
    read: (text) => (choices.includes(text) ? text : Object.hasOwn(others, text) ? others[text] : undefined),
  };
}

const flag = {
  allowed: phrase('options.flag'),
  read: (text) => ({ 1: true, 0: false, true: true, false: false })[text],
};

const colour = {
  allowed: phrase('options.colour'),
  read: (text) => {
    const digits = text.replace(/^#/u, '').toLowerCase();
    if (SHORT_HEX.test(digits)) return `#${digits.replace(/./gu, '$&$&')}`;
    return HEX.test(digits) ? `#${digits}` : undefined;
  },
};

function name(pattern, allowed) {
  return { allowed, read: (text) => (pattern.test(text) ? text : undefined) };
}

// {name, also: other names in an address, allowed, read, page and overlay: the default}
export const OPTIONS = [
  { name: 'lines', ...whole(1, 12), page: null, overlay: 2 },
  { name: 'size', also: ['fontsize'], ...decimal(8, 400), page: null, overlay: null },
  { name: 'scale', ...whole(50, 300), page: 100, overlay: 100 },
  {
    name: 'position',
    also: ['valign'],
    ...word(['top', 'middle', 'bottom'], { center: 'middle' }),
    page: 'bottom',
    overlay: 'bottom',
  },
  { name: 'align', ...word(['start', 'center', 'end'], { left: 'start', right: 'end' }), page: 'start', overlay: 'start' },
  { name: 'maxwidth', ...whole(10, 100), page: 100, overlay: 100 },
  { name: 'theme', ...word(['auto', 'dark', 'light', 'cream', 'blue', 'yellow']), page: 'auto', overlay: 'dark' },
  { name: 'color', ...colour, page: null, overlay: null },
  { name: 'bg', also: ['background'], ...colour, page: null, overlay: null },
  { name: 'sourcecolor', also: ['originalcolor'], ...colour, page: null, overlay: null },
  { name: 'bgopacity', ...whole(0, 100), page: 100, overlay: 65 },
  { name: 'outline', ...decimal(0, 20), page: 0, overlay: 0 },
  { name: 'outlinecolor', ...colour, page: null, overlay: null },
  { name: 'shadow', ...flag, page: false, overlay: false },
  { name: 'uppercase', ...flag, page: false, overlay: false },
  { name: 'font', ...name(/^[\p{L}\d _-]{1,60}$/u, phrase('options.font')), page: null, overlay: null },
  { name: 'source', also: ['dual'], ...flag, page: true, overlay: false },
  { name: 'metrics', ...flag, page: false, overlay: false },
  { name: 'track', also: ['lang'], ...name(/^[A-Za-z0-9._-]{1,64}$/u, phrase('options.track')), page: null, overlay: null },
  { name: 'fade', ...whole(0, 3600), page: 15, overlay: 15 },
  { name: 'pace', also: ['cps'], ...whole(0, 60), page: 0, overlay: 0 },
  { name: 'chars', ...whole(10, 100), page: 42, overlay: 42 },
  { name: 'hold', ...decimal(0, 10), page: 1, overlay: 1 },
  { name: 'stale', ...flag, page: false, overlay: false },
];

const NOT_OURS = ['channel', 'overlay', 'token', 'ui'];

function find(wanted) {
  return OPTIONS.find(({ name: known, also = [] }) => known === wanted || also.includes(wanted));
}

// Returns the default of each option; `mode`: page or overlay.
export function defaults(mode) {
  return Object.fromEntries(OPTIONS.map((option) => [option.name, option[mode]]));
}

// Returns the options of an address's query, and a sentence for each that is unknown or has a value that is not
// allowed.
export function readQuery(query) {
  const options = {};
  const problems = [];
  for (const [given, text] of new URLSearchParams(query)) {
    if (NOT_OURS.includes(given)) continue;
    const option = find(given);
    const value = option?.read(text);
    if (!option) {
      problems.push(phrase('options.unknown', { name: given, allowed: OPTIONS.map(({ name: known }) => known).join(', ') }));
    } else if (value === undefined) {
      problems.push(phrase('options.invalid', { name: given, text, allowed: option.allowed }));
    } else {
      options[option.name] = value;
    }
  }
  return { options, problems };
}

// Returns the value of a form's text for an option: null for '', undefined if it is not allowed.
export function readValue(optionName, text) {
  return text === '' ? null : find(optionName).read(text);
}

// Returns the text of a value for an address or a form.
export function writeValue(value) {
  if (value === null) return '';
  return typeof value === 'boolean' ? String(Number(value)) : String(value).replace(/^#/u, '');
}
