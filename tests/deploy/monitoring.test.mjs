// The alert rules and the dashboard: every metric and label that they name is one that the daemon has.

import test, { before, after } from 'node:test';
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify, parse } from 'yaml';
import { Daemon, root } from '../web/support/daemon.mjs';
import { run } from './support/exec.mjs';

const rules = join(root, 'deploy/prometheus/surtitle.rules.yaml');
const dashboard = JSON.parse(readFileSync(join(root, 'deploy/grafana/surtitle.json'), 'utf8'));
const panels = dashboard.panels;

const alertExpressions = () =>
  parse(readFileSync(rules, 'utf8')).groups.flatMap((group) => group.rules.map((rule) => rule.expr));
const panelExpressions = () => panels.flatMap((panel) => panel.targets.map((target) => target.expr));

// Names that Prometheus itself adds.
const OWN_METRICS = ['up'];
const OWN_LABELS = ['job', 'instance', 'alertname'];

// {name: Set of its label="value" pairs}, as the daemon has it.
function series(exposition) {
  const found = new Map();
  for (const line of exposition.split('\n')) {
    const [, name, labels = ''] = line.match(/^([a-z_:][\w:]*)(?:\{(.*)\})? /) ?? [];
    if (!name) continue;
    if (!found.has(name)) found.set(name, new Set());
    for (const [pair] of labels.matchAll(/\w+="[^"]*"/g)) found.get(name).add(pair);
  }
  return found;
}

// {name, labels: [{label, operator, value}]} of each selector, and the labels that things are grouped by.
function named(expression) {
  const selectors = [...expression.matchAll(/\b((?:surtitle|process)_\w+|up)\b(?:\{([^}]*)\})?/g)].map(
    ([, name, labels = '']) => ({
      name,
      labels: [...labels.matchAll(/(\w+)(=~|=)"([^"]*)"/g)].map(([, label, operator, value]) => ({ label, operator, value })),
    }),
  );
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list]) => list.split(/,\s*/));
  return { selectors, grouped };
}

// What of an expression the daemon does not have, one line each.
function unknown(expression, known) {
  const problems = [];
  const { selectors, grouped } = named(expression);
  const labels = new Set(OWN_LABELS);
  for (const { name, labels: matchers } of selectors) {
    if (OWN_METRICS.includes(name)) continue;
    const pairs = known.get(name);
    if (!pairs) {
      problems.push(`there is no ${name}`);
      continue;
    }
    for (const pair of pairs) labels.add(pair.split('=')[0]);
    for (const { label, operator, value } of matchers) {
      const there = operator === '=~' ? [...pairs].some((pair) => pair.startsWith(`${label}=`)) : pairs.has(`${label}="${value}"`);
      if (!OWN_LABELS.includes(label) && !there) problems.push(`${name} has no ${label}="${value}"`);
    }
  }
  if (selectors.length === 0) problems.push('it names no metric of the daemon');
  for (const label of grouped) if (!labels.has(label)) problems.push(`nothing there has the label ${label}`);
  return problems.map((problem) => `${expression}: ${problem}`);
}

let daemon;
let known;
before(async () => {
  // With every series: a Redis that is away is one, too.
  daemon = await Daemon.scripted({ flags: ['--backplane-url', 'redis://127.0.0.1:1'] });
  known = series(await (await fetch(`${daemon.url}metrics`)).text());
});
after(() => daemon?.stop());

test('alerts name what the daemon has', () => {
  assert.deepEqual(alertExpressions().flatMap((expression) => unknown(expression, known)), []);
});

test('panels name what the daemon has', () => {
  assert.deepEqual(panelExpressions().flatMap((expression) => unknown(expression, known)), []);
});

test('what alerts go by, or point to, is on the dashboard', () => {
  const names = (text) => [...text.matchAll(/\b(?:surtitle|process)_\w+/g)].map(([name]) => name);
  const shown = new Set(panelExpressions().flatMap(names));
  const wanted = parse(readFileSync(rules, 'utf8')).groups.flatMap((group) => group.rules.flatMap((rule) => names(JSON.stringify(rule))));
  assert.ok(wanted.includes('surtitle_model_load_ratio'), 'which a description alone names');
  assert.deepEqual([...new Set(wanted)].filter((name) => !shown.has(name)), []);
});

test('a name that the daemon does not have is found', () => {
  const problems = (expression) => unknown(expression, known).map((line) => line.split(': ').pop());
  assert.deepEqual(problems('rate(surtitle_word_total[5m])'), ['there is no surtitle_word_total']);
  assert.deepEqual(problems('surtitle_errors_total{code="none"} > 0'), ['surtitle_errors_total has no code="none"']);
  assert.deepEqual(problems('sum by (modell) (surtitle_sentences_open)'), ['nothing there has the label modell']);
});

test('promtool takes the rules and the configuration, and each alert fires when it should', async () => {
  await run('promtool', ['check', 'rules', rules]);
  await run('promtool', ['check', 'config', '--syntax-only', join(root, 'deploy/prometheus/prometheus.yaml')]);
  await run('promtool', ['test', 'rules', fileURLToPath(new URL('alerts_test.yaml', import.meta.url))]);
});

test('each alert is tried', () => {
  const tried = readFileSync(new URL('alerts_test.yaml', import.meta.url), 'utf8');
  for (const { alert } of parse(readFileSync(rules, 'utf8')).groups.flatMap((group) => group.rules)) {
    assert.ok(tried.includes(`alertname="${alert}"`), `${alert} is made to fire by none of the tests`);
  }
});

test('promtool takes the expressions of the dashboard', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'surtitle-dashboard-'));
  const queries = panelExpressions().map((expression, index) => ({
    record: `panel:${index}`,
    expr: expression.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*').replaceAll('$job', 'surtitle'),
  }));
  const file = join(folder, 'dashboard.rules.yaml');
  writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules: queries }] }));
  await run('promtool', ['check', 'rules', file]);
  rmSync(folder, { recursive: true });
});

test('the dashboard is whole', () => {
  const variables = dashboard.templating.list.map((variable) => variable.name);
  assert.equal(new Set(panels.map((panel) => panel.id)).size, panels.length, 'ids are unique');
  for (const panel of panels) {
    assert.ok(panel.title && panel.targets.length > 0, `${panel.id} has a title and queries`);
    assert.ok(panel.gridPos.x + panel.gridPos.w <= 24, `${panel.title} is within the grid`);
  }
  for (const [, name] of JSON.stringify(panels).matchAll(/\$\{?(\w+)\}?/g)) {
    assert.ok(name === '__rate_interval' || variables.includes(name), `$${name} is a variable`);
  }
});
