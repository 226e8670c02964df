import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { cluster, makeUser, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';
import { signInPage } from '../harness/sign-in-page.ts';

const password = 'correct horse battery';
const readme = '# Guide\n\nWhat *this* is about.\n';

let browser: TestBrowser;

beforeAll(async () => {
  browser = await openBrowser(cluster.baseUrl);
});
afterAll(() => browser.close());

describe.each(repositoryTypes)('a %s repository', (type) => {
  let remote: Remote;

  beforeAll(async () => {
    remote = await makeRemote[type]();
    await remote.commit({ 'README.md': readme, 'src/main.c': 'int main;\n' }, 'Begin with the guide');
    await remote.commit({ 'src/main.c': 'int main(void);\n' }, 'Say what main takes');
  });
  afterAll(() => remote.close());

  it.each([true, false])('is created as a copy and shown, with scripts: %s', async (javaScriptEnabled) => {
    const { username } = await makeUser({ password });
    const page = await browser.newPage({ javaScriptEnabled });
    await signInPage(page, username, password);
    await page.goto('/');
    await page.getByRole('link', { name: 'New repository' }).click();
    const group = uniqueName('flow');
    await page.getByLabel(/^Name/).fill(`${group}/${type}`);
    await page.getByLabel('Type').selectOption(type);
    await page.getByLabel('Description').fill('Made in a browser');
    await page.getByLabel('Copy from').fill(remote.url);
    await page.getByRole('button', { name: 'Create repository' }).click();

    expect(await page.getByRole('status').textContent()).toBe(`The repository ${group}/${type} is created.`);
    expect(await page.getByRole('heading', { level: 1 }).first().textContent()).toBe(`${group}/${type}`);
    const changes = await page.locator('.directory .change').allTextContents();
    expect(changes).toEqual(['Say what main takes', 'Begin with the guide']);
    // Without the notice of the creation.
    await page.reload();
    for (const [width, height, topMax] of [
      [360, 740, 640],
      [1_280, 800, 368],
    ] as const) {
      await page.setViewportSize({ width, height });
      const row = await page.locator('.directory tbody tr').first().boundingBox();
      expect(row?.y).toBeLessThan(topMax);
      expect(row?.height).toBeLessThan(40);
    }
    expect(await page.locator('.markdown em').textContent()).toBe('this');

    // Owners follow their repositories from the start.
    await page.getByRole('button', { name: 'Unfollow' }).click();
    await page.getByRole('button', { name: 'Follow', exact: true }).click();
    await page.getByRole('link', { name: /^Followers/ }).click();
    expect(await page.getByRole('main').textContent()).toContain(username);
    await page.getByRole('link', { name: group, exact: true }).click();
    await page.getByLabel('Name contains').fill(type.toUpperCase());
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('link', { name: type, exact: true }).click();
    expect(new URL(page.url()).pathname).toBe(`/${encodeURI(group)}/${type}`);

    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Delete' }).click();
    await page.getByLabel('Yes, delete').check();
    await page.getByRole('button', { name: 'Delete this repository' }).click();
    expect(await page.getByRole('status').textContent()).toContain('is deleted.');
  });
});
