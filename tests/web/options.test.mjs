import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaults, OPTIONS, readQuery, readValue, writeValue } from '../../web/options.js';
import { Settings } from '../../web/settings.js';

class Storage {
  items = new Map();
  getItem = (key) => this.items.get(key) ?? null;
  setItem = (key, text) => this.items.set(key, text);
}

test('every option can be given in an address, by each of its names', () => {
  const query =
    'lines=3&fontsize=48.5&scale=150&valign=center&align=right&maxwidth=80&theme=light&color=fff&background=%23102030' +
    '&originalcolor=FFCC00&bgopacity=0&outline=2.5&outlinecolor=000&shadow=1&uppercase=true&font=Noto%20Sans' +
    '&dual=1&metrics=1&lang=fr&track=en&fade=0&cps=17&chars=37&hold=1.5&stale=1';
  const { options, problems } = readQuery(query);
  assert.deepEqual(problems, []);
  assert.deepEqual(options, {
    lines: 3,
    size: 48.5,
    scale: 150,
    position: 'middle',
    align: 'end',
    maxwidth: 80,
    theme: 'light',
    color: '#ffffff',
    bg: '#102030',
    sourcecolor: '#ffcc00',
    bgopacity: 0,
    outline: 2.5,
    outlinecolor: '#000000',
    shadow: true,
    uppercase: true,
    font: 'Noto Sans',
    source: true,
    metrics: true,
    track: 'fr',
    beside: 'en',
    fade: 0,
    pace: 17,
    chars: 37,
    hold: 1.5,
    stale: true,
  });
  assert.deepEqual(Object.keys(options).sort(), OPTIONS.map(({ name }) => name).sort());
});

test('a value that is not allowed is left out and reported', () => {
  const bad = {
    lines: ['0', '13', '2.5', '-1', ''],
    size: ['7', '401', '1e2', 'NaN', '12px'],
    position: ['left', 'constructor', ''],
    color: ['red', '12345', 'fff;x', 'url(x)'],
    font: ['a"b', 'x;y', '{', 'x'.repeat(61), ''],
    shadow: ['2', 'yes', ''],
    track: ['a b', '../x', ''],
  };
  for (const [name, texts] of Object.entries(bad)) {
    for (const text of texts) {
      const { options, problems } = readQuery(new URLSearchParams([[name, text]]).toString());
      assert.deepEqual(options, {}, `${name}=${text}`);
      assert.equal(problems.length, 1);
      assert.ok(problems[0].startsWith(`${name}=${text}: must be `), problems[0]);
    }
  }
  assert.match(readQuery('nonsense=1').problems[0], /^nonsense: unknown option; allowed: lines, /u);
  assert.deepEqual(readQuery('overlay=1&channel=hall').problems, []);
});

test('every default is allowed, and can be written and read back', () => {
  for (const mode of ['page', 'overlay']) {
    for (const [name, value] of Object.entries(defaults(mode))) {
      assert.equal(readValue(name, writeValue(value)), value, `${mode} ${name}`);
    }
  }
});

test('a page stores the choices of its viewer, and the address replaces them', () => {
  const storage = new Storage();
  const themes = [];
  const first = new Settings('page', '?lines=5', storage);
  first.onChange = (options) => themes.push(options.theme);
  first.change({ theme: 'cream', color: '#102030' });
  first.change({ scale: 200 });
  assert.deepEqual(themes, ['cream', 'cream']);
  assert.equal(first.options.lines, 5);
  const { theme, color, scale, lines } = new Settings('page', '?scale=80', storage).options;
  assert.deepEqual([theme, color, scale, lines], ['cream', '#102030', 80, null]);
  const again = new Settings('page', '?lines=5', storage);
  again.change({ lines: 2 });
  assert.equal(again.options.lines, 2, 'a choice replaces an option of the address');
  again.reset();
  assert.deepEqual(again.options, defaults('page'));
  assert.deepEqual(new Settings('page', '', storage).options, defaults('page'));
});

test('an overlay uses only its address', () => {
  const storage = new Storage();
  new Settings('page', '', storage).change({ theme: 'cream' });
  assert.deepEqual(new Settings('overlay', '', storage).options, defaults('overlay'));
});

test('invalid stored options and a full storage are ignored', (t) => {
  t.mock.method(console, 'warn', () => {});
  for (const text of ['nonsense', '[1]', 'null', '{"theme": 3}', '{"theme": "x", "__proto__": "y", "gone": "1"}']) {
    const storage = new Storage();
    storage.getItem = () => text;
    assert.deepEqual(new Settings('page', '', storage).options, defaults('page'), text);
  }
  const full = new Storage();
  full.setItem = () => {
    throw new Error('full');
  };
  const settings = new Settings('page', '', full);
  settings.change({ theme: 'cream' });
  assert.equal(settings.options.theme, 'cream');
  assert.deepEqual(new Settings('page', '', null).options, defaults('page'));
});
