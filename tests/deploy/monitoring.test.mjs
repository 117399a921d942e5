// The alert rules and the dashboard: the daemon has every metric and label in them.

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

// Returns the daemon's series: name -> Set of its label="value" pairs.
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

// Returns {name, labels: [{label, operator, value}]} of each selector, and the labels of `by`.
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

// Returns a line for each metric or label of an expression that the daemon does not have.
function unknown(expression, known) {
  const problems = [];
  const { selectors, grouped } = named(expression);
  const labels = new Set(OWN_LABELS);
  for (const { name, labels: matchers } of selectors) {
    if (OWN_METRICS.includes(name)) continue;
    const pairs = known.get(name);
    if (!pairs) {
      problems.push(`unknown metric ${name}`);
      continue;
    }
    for (const pair of pairs) labels.add(pair.split('=')[0]);
    for (const { label, operator, value } of matchers) {
      const exists = operator === '=~' ? [...pairs].some((pair) => pair.startsWith(`${label}=`)) : pairs.has(`${label}="${value}"`);
      if (!OWN_LABELS.includes(label) && !exists) problems.push(`${name} has no ${label}="${value}"`);
    }
  }
  if (selectors.length === 0) problems.push('it has no metric of the daemon');
  for (const label of grouped) if (!labels.has(label)) problems.push(`no metric in it has the label ${label}`);
  return problems.map((problem) => `${expression}: ${problem}`);
}

let daemon;
let known;
before(async () => {
  // With a backplane, even an unreachable one, the daemon has all series.
  daemon = await Daemon.scripted({ flags: ['--backplane-url', 'redis://127.0.0.1:1'] });
  known = series(await (await fetch(`${daemon.url}metrics`)).text());
});
after(() => daemon?.stop());

test('the daemon has all metrics and labels of the alerts', () => {
  assert.deepEqual(alertExpressions().flatMap((expression) => unknown(expression, known)), []);
});

test('the daemon has all metrics and labels of the panels', () => {
  assert.deepEqual(panelExpressions().flatMap((expression) => unknown(expression, known)), []);
});

test('all metrics in alerts and their descriptions are on the dashboard', () => {
  const names = (text) => [...text.matchAll(/\b(?:surtitle|process)_\w+/g)].map(([name]) => name);
  const shown = new Set(panelExpressions().flatMap(names));
  const wanted = parse(readFileSync(rules, 'utf8')).groups.flatMap((group) => group.rules.flatMap((rule) => names(JSON.stringify(rule))));
  assert.ok(wanted.includes('surtitle_model_load_ratio'), 'a metric that is only in a description');
  assert.deepEqual([...new Set(wanted)].filter((name) => !shown.has(name)), []);
});

test('an unknown metric or label is found', () => {
  const problems = (expression) => unknown(expression, known).map((line) => line.split(': ').pop());
  assert.deepEqual(problems('rate(surtitle_word_total[5m])'), ['unknown metric surtitle_word_total']);
  assert.deepEqual(problems('surtitle_errors_total{code="none"} > 0'), ['surtitle_errors_total has no code="none"']);
  assert.deepEqual(problems('sum by (modell) (surtitle_sentences_open)'), ['no metric in it has the label modell']);
});

test('promtool accepts the rules and the configuration, and alerts fire on their samples', async () => {
  await run('promtool', ['check', 'rules', rules]);
  await run('promtool', ['check', 'config', '--syntax-only', join(root, 'deploy/prometheus/prometheus.yaml')]);
  await run('promtool', ['test', 'rules', fileURLToPath(new URL('alerts_test.yaml', import.meta.url))]);
});

test('each alert has samples that make it fire', () => {
  const tried = readFileSync(new URL('alerts_test.yaml', import.meta.url), 'utf8');
  for (const { alert } of parse(readFileSync(rules, 'utf8')).groups.flatMap((group) => group.rules)) {
    assert.ok(tried.includes(`alertname="${alert}"`), `no test makes ${alert} fire`);
  }
});

test('promtool accepts the expressions of the dashboard', async () => {
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

test('the panels of the dashboard are complete', () => {
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
