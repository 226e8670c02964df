import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** Returns a PNG of the whole page, and writes it to the file `path` if given. */
export async function takePicture(page: Page, path?: string): Promise<Buffer> {
  // Hiding the caret adds a style to the page, which a policy forbids.
  return page.screenshot({ fullPage: true, caret: 'initial', ...(path === undefined ? {} : { path }) });
}

/** Writes a PNG of the page to `<name>.png` in the directory TRUNKLINE_TEST_SCREENSHOTS, if that variable is set. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const directory = process.env['TRUNKLINE_TEST_SCREENSHOTS'];
  if (directory) await takePicture(page, join(directory, `${name}.png`));
}
