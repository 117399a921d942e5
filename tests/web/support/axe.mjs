// Checks a page with axe-core by the rules of WCAG 2.2 AA.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

// Returns {violations, unknown, contrasts}. `violations` and `unknown` (what axe could not decide) have a line each.
// `contrasts`: the HTML of elements whose contrast was measured and is sufficient.
export async function audit(page) {
  await page.evaluate(axe);
  const { violations, passes, incomplete } = await page.evaluate((rules) => window.axe.run(document, { runOnly: rules }), RULES);
  const all = (results) => results.flatMap(({ id, nodes }) => nodes.map((node) => ({ id, ...node })));
  return {
    violations: all(violations).map(({ id, html, failureSummary }) => `${id}: ${html}: ${failureSummary}`),
    unknown: all(incomplete).map(({ id, html, any }) => `${id}: ${html}: ${any.map(({ message }) => message)}`),
    contrasts: all(passes.filter(({ id }) => id === 'color-contrast')).map(({ html }) => html),
  };
}
