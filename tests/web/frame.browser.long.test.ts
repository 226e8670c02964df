import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { axeViolations } from '../harness/axe-violations.ts';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { looks } from '../harness/looks.ts';
import { makeRemote } from '../harness/remotes.ts';
import { admin, cluster, makeUser, uniqueName } from '../harness/shared-cluster.ts';
import { screenshot } from '../harness/screenshot.ts';
import { signInPage } from '../harness/sign-in-page.ts';
import { password } from '../harness/web-visitor.ts';

let browser: TestBrowser;
let name: string;

beforeAll(async () => {
  browser = await openBrowser(cluster.baseUrl);
  const remote = await makeRemote.hg();
  await remote.commit({ 'README.md': '# Guide\n\nSee [the *manual*](https://example.com/manual).\n' }, 'Begin');
  name = `${uniqueName('team')}/guide`;
  await admin.result('create_repo', {
    repo_name: name,
    repo_type: 'hg',
    clone_uri: remote.url,
    description: 'What a guide is about, in more words than fit beside its name on the screen of a telephone.',
    private: true,
  });
  await remote.close();
});
afterAll(() => browser.close());

/** Returns the lower edge of what a selector names, in pixels below the top of the page. */
function bottomOf(page: Page, selector: string): Promise<number> {
  return page.evaluate<number>(`document.querySelector('${selector}').getBoundingClientRect().bottom`);
}

describe.each(looks)('in %s colours at %d pixels', (colorScheme, width) => {
  it('the header, the name and the tabs of a repository leave the page to its content', async () => {
    const boss = await makeUser({ password, admin: true });
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
    await signInPage(page, boss.username, password);
    await page.goto(`/${name}/files/tip`);
    expect(await bottomOf(page, 'header.site')).toBeLessThanOrEqual(48);
    expect(await bottomOf(page, 'nav.tabs')).toBeLessThanOrEqual(width === 360 ? 120 : 150);
    // The tab at the end is brought into view.
    await page.getByRole('link', { name: 'Settings' }).focus();
    const right = await page.evaluate<number>('document.activeElement.getBoundingClientRect().right');
    expect(right).toBeLessThanOrEqual(width);
    await screenshot(page, `frame-focus-${colorScheme}-${width}`);
    // The current one is in view from the start, the last one included.
    await page.goto(`/${name}/settings`);
    const current = 'document.querySelector("nav.tabs [aria-current]").getBoundingClientRect().right';
    expect(await page.evaluate<number>(current)).toBeLessThanOrEqual(width);
    await screenshot(page, `frame-settings-${colorScheme}-${width}`);
    await page.emulateMedia({ media: 'print' });
    await page.goto(`/${name}`);
    expect(await page.locator('header.site, nav.tabs, form').filter({ visible: true }).count()).toBe(0);
    await screenshot(page, `frame-print-${colorScheme}-${width}`);
  });

  it('pages for everybody, and errors, are shown without a fault', async () => {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
    const show = async (title: string, path: string) => {
      await page.goto(path);
      await screenshot(page, `frame-${title}-${colorScheme}-${width}`);
      expect([title, await axeViolations(page)]).toEqual([title, []]);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
      expect([title, overflow]).toEqual([title, 0]);
    };
    await show('sign-in', '/_admin/login');
    await signInPage(page, (await makeUser({ password, admin: true })).username, password);
    await show('home', '/');
    await show('nowhere', '/_admin/nowhere');
    await show('no-repository', '/no/such/repository');
    await show('no-file', `/${name}/files/tip/none`);
    await show('no-page', `/${name}/none`);
    await show('storages', '/_admin/storages');
    await page.goto(`/${name}`);
    await page.getByRole('button', { name: /^Follow|^Unfollow/ }).click();
    await screenshot(page, `frame-notice-${colorScheme}-${width}`);
    expect(await axeViolations(page)).toEqual([]);
  });
});
