import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from '../harness/axe-violations.ts';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { drawCases } from '../harness/draw-cases.ts';
import { looks, pagesIn } from '../harness/looks.ts';
import { makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, cluster, makeUser, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';
import { screenshot } from '../harness/screenshot.ts';

const password = 'correct horse battery';
const readme = `# Guide\n\nWhat *this* is about.\n\n\`\`\`sh\nmake all ${'--option '.repeat(40)}\n\`\`\`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n`;

let browser: TestBrowser;

beforeAll(async () => {
  browser = await openBrowser(cluster.baseUrl);
});
afterAll(() => browser.close());

async function signIn(page: Page, username: string): Promise<void> {
  await page.goto('/_admin/login');
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

describe.each(repositoryTypes)('a %s repository', (type) => {
  let remote: Remote;

  beforeAll(async () => {
    remote = await makeRemote[type]();
    await remote.commit({ 'README.md': readme, 'src/main.c': 'int main;\n' }, 'Begin with the guide');
    await remote.commit({ 'src/main.c': 'int main(void);\n' }, 'Say what main takes');
  });
  afterAll(() => remote.close());

  it.each(drawCases([true, false], 1))(
    'is created as a copy and shown, with scripts: %s',
    async (javaScriptEnabled) => {
      const { username } = await makeUser({ password });
      const page = await browser.newPage({ javaScriptEnabled });
      await signIn(page, username);
      await page.goto('/');
      await page.getByRole('link', { name: 'New repository' }).click();
      const group = uniqueName('flow');
      await page.getByLabel('Name').fill(`${group}/${type}`);
      await page.getByLabel('Type').selectOption(type);
      await page.getByLabel('Description').fill('Made in a browser');
      await page.getByLabel('Copy from').fill(remote.url);
      await page.getByRole('button', { name: 'Create repository' }).click();

      expect(await page.getByRole('status').textContent()).toBe(`The repository ${group}/${type} is created.`);
      expect(await page.getByRole('heading', { level: 1 }).first().textContent()).toBe(`${group}/${type}`);
      const about = await page.locator('.changesets .about').allTextContents();
      expect(about).toEqual(['Say what main takes', 'Begin with the guide']);
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
      expect(new URL(page.url()).pathname).toBe(`/${group}/${type}`);

      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('link', { name: 'Delete' }).click();
      await page.getByLabel('Yes, delete').check();
      await page.getByRole('button', { name: 'Delete this repository' }).click();
      expect(await page.getByRole('status').textContent()).toContain('is deleted.');
    },
  );
});

describe.each(looks)('in %s colours at %d pixels', (colorScheme, width) => {
  it('pages of repositories are shown without a fault', async () => {
    const remote = await makeRemote.git();
    await remote.commit({ 'README.md': readme }, `Begin with ${'a-very-long-word'.repeat(12)}`);
    const group = uniqueName('looks');
    const name = `${group}/${'long-name-'.repeat(6)}end`;
    const boss = await makeUser({ password, admin: true });
    const create = (repo_name: string, args: Record<string, unknown>) =>
      admin.result('create_repo', { repo_name, ...args });
    await create(name, {
      repo_type: 'git',
      clone_uri: remote.url,
      description: 'Guides for people who write guides, in more words than fit into one line of a telephone. '.repeat(
        2,
      ),
      enable_downloads: true,
      private: true,
    });
    await create(`${group}/empty`, { repo_type: 'hg' });
    await create(`${group}/inner/other`, { repo_type: 'hg' });
    await admin.result('fork_repo', { repoid: name, fork_name: `${group}/fork` });
    await admin.result('lock', { repoid: name, locked: true });
    await remote.close();

    const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
    await signIn(page, boss.username);
    const paths = {
      group: `/${group}`,
      nothing: `/${group}?filter=zz`,
      create: '/_admin/create_repository',
      summary: `/${name}`,
      empty: `/${group}/empty`,
      forks: `/${name}/forks`,
      followers: `/${name}/followers`,
      settings: `/${name}/settings`,
      permissions: `/${name}/settings/permissions`,
      branch: `/${name}/settings/branch`,
      maintenance: `/${name}/settings/maintenance`,
      delete: `/${name}/settings/delete`,
    };
    for (const [title, path] of pagesIn(colorScheme, paths)) {
      await page.goto(path);
      await screenshot(page, `home-${title}-${colorScheme}-${width}`);
      expect([title, await axeViolations(page)]).toEqual([title, []]);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
      expect([title, overflow]).toEqual([title, 0]);
    }
  });
});
