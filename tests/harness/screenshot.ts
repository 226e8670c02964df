import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** A picture of the whole page as PNG, in the file `path` if that is given. */
export async function takePicture(page: Page, path?: string): Promise<Buffer> {
  // Hiding the caret puts a style into the page, which a policy forbids.
  return page.screenshot({ fullPage: true, caret: 'initial', ...(path === undefined ? {} : { path }) });
}

/** Keeps a picture of the page as `<name>.png` in the directory that TRUNKLINE_TEST_SCREENSHOTS names, if it is set. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const directory = process.env['TRUNKLINE_TEST_SCREENSHOTS'];
  if (directory) await takePicture(page, join(directory, `${name}.png`));
}
