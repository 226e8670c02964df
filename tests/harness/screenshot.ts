import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** A picture of the whole page as PNG, kept as `<name>.png` in the directory that TRUNKLINE_TEST_SCREENSHOTS names. */
export async function screenshot(page: Page, name: string): Promise<Buffer> {
  const directory = process.env['TRUNKLINE_TEST_SCREENSHOTS'];
  // Hiding the caret puts a style into the page, which a policy forbids.
  return page.screenshot({
    fullPage: true,
    caret: 'initial',
    ...(directory ? { path: join(directory, `${name}.png`) } : {}),
  });
}
