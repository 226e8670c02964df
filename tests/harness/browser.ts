import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContextOptions, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { watchPages } from './page-problems.ts';
import { testTool } from './test-tool.ts';

export interface PageOptions extends Pick<
  BrowserContextOptions,
  'javaScriptEnabled' | 'colorScheme' | 'viewport' | 'locale'
> {
  /** Expected problems of the page: a list, or a matcher for one; none when absent. */
  readonly problems?: unknown;
}

export interface TestBrowser {
  /**
   * Opens a page in a context of its own, without cookies, until the running test ends. Addresses are relative to the
   * service. The test fails when the page has an error, breaks its policy or sends a request to another origin.
   */
  newPage(options?: PageOptions): Promise<Page>;
  close(): Promise<void>;
}

const args = [
  // Containers have a small /dev/shm.
  '--disable-dev-shm-usage',
  // Chromium resolves no host name, whatever a page requests.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/** Starts the Chromium that the bootstrap found, for the pages of a service; one per test file is enough. */
export async function openBrowser(baseUrl: string): Promise<TestBrowser> {
  const executablePath = testTool('CHROMIUM');
  const home = await mkdtemp(join(tmpdir(), 'trunkline-browser-'));
  const removeHome = () => rm(home, { recursive: true, force: true });
  const options = {
    executablePath,
    // Chromium refuses to run as root with a sandbox, and containers often allow none.
    chromiumSandbox: false,
    args,
    env: { PATH: process.env['PATH'], HOME: home, TMPDIR: home },
  };
  const browser = await chromium.launch(options).catch(async (error: unknown) => {
    await removeHome();
    throw error;
  });
  return {
    async newPage({ problems = [], ...options } = {}) {
      const context = await browser.newContext({ baseURL: baseUrl, locale: 'en-US', timezoneId: 'UTC', ...options });
      const watch = watchPages(context, new URL(baseUrl).origin);
      onTestFinished(async () => {
        const found = await watch.end();
        await context.close();
        expect(found).toEqual(problems);
      });
      return context.newPage();
    },
    async close() {
      await browser.close();
      await removeHome();
    },
  };
}
