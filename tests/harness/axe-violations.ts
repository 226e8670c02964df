import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds wrong with a page, as `rule: help (where)`. The page must have scripts enabled, its policy may not. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(`${axe.source};undefined`);
  // Without preload: it would fetch style sheets, which a policy forbids.
  const { violations } = await page.evaluate<AxeResults>("axe.run({ preload: false, resultTypes: ['violations'] })");
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ target }) => target.join(' ')).join(', ')})`,
  );
}
