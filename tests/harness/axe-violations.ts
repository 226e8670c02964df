import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** Returns the violations that axe finds, as `rule: help (where)`; needs scripts enabled, whatever its policy is. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(`${axe.source};undefined`);
  // The option `preload` would fetch style sheets, which a policy forbids.
  const { violations } = await page.evaluate<AxeResults>("axe.run({ preload: false, resultTypes: ['violations'] })");
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ target }) => target.join(' ')).join(', ')})`,
  );
}
