// Applies options to the document, as attributes and variables that the style sheets read.

import { mix, translucent } from './colours.js';

const light = globalThis.matchMedia?.('(prefers-color-scheme: light)');

// Shares of the text colour in the mixed colours: older text and labels (--muted), lines and marks (--faint).
const MUTED = 0.75;
const FAINT = 0.3;

// Returns the theme of the name; `auto` is light or dark like the viewer's system.
export function themeOf(name) {
  return name === 'auto' ? (light?.matches ? 'light' : 'dark') : name;
}

// Keeps the theme of the name, which changes with the viewer's system if it is `auto`.
export function followTheme(root, name) {
  const show = () => (root.dataset.theme = themeOf(name));
  show();
  onSystemTheme(show);
}

// Calls `change` if the viewer's system becomes light or dark.
export function onSystemTheme(change) {
  light?.addEventListener('change', change);
}

export function dress(root, options) {
  const set = (variable, value) => {
    if (value === null) root.style.removeProperty(variable);
    else root.style.setProperty(variable, value);
  };
  const given = (value, unit = '') => (value === null ? null : `${value}${unit}`);
  root.dataset.theme = themeOf(options.theme);
  for (const name of ['position', 'align']) root.dataset[name] = options[name];
  for (const name of ['source', 'metrics', 'shadow', 'stale', 'uppercase']) root.toggleAttribute(`data-${name}`, options[name]);
  set('--text-size', given(options.size, 'px'));
  set('--scale', given(options.scale / 100));
  set('--target-rows', given(options.lines));
  set('--widest', given(options.maxwidth, '%'));
  root.toggleAttribute('data-outline', options.outline > 0);
  set('--outline', `${options.outline}px`);
  set('--outline-color', options.outlinecolor);
  set('--font', options.font && `"${options.font}"`);
  dressOwnColours(options, set);
  set('--box', translucent(getComputedStyle(root).getPropertyValue('--ground').trim(), options.bgopacity));
}

// The viewer's own colours replace those of the theme. The intermediate colours are mixed from them.
function dressOwnColours({ color, bg, sourcecolor }, set) {
  set('--text', color);
  set('--ground', bg);
  set('--ahead', sourcecolor);
  const between = (share) => (color && bg ? mix(color, bg, share) : null);
  set('--muted', between(MUTED));
  set('--faint', between(FAINT));
  for (const variable of ['--live', '--lost']) set(variable, color);
}
