import axe, { type AxeResults, type NodeResult } from 'axe-core';
import type { Page } from 'playwright-core';

/** A number of a line counts as part of the line's text, and so may be small, but axe sees no text in an empty line. */
const lineNumber = /^<a [^>]*href="[^"]*#[^"]*"[^>]*>\d+<\/a>$/;

function isFault(rule: string, { html }: NodeResult): boolean {
  return rule !== 'target-size' || !lineNumber.test(html);
}

/** Returns the violations that axe finds, as `rule: help (where)`; needs scripts enabled, whatever its policy is. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(`${axe.source};undefined`);
  // The option `preload` would fetch style sheets, which a policy forbids. Of WCAG 2.2, `target-size` is off by default.
  const options = "{ preload: false, resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }";
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${options})`);
  return violations.flatMap(({ id, help, nodes }) => {
    const where = nodes.filter((node) => isFault(id, node)).map(({ target }) => target.join(' '));
    return where.length === 0 ? [] : [`${id}: ${help} (${where.join(', ')})`];
  });
}
