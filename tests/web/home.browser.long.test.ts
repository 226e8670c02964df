import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from '../harness/axe-violations.ts';
import { openBrowser, type TestBrowser } from '../harness/browser.ts';
import { looks } from '../harness/looks.ts';
import { makeRemote } from '../harness/remotes.ts';
import { admin, cluster, makeUser, uniqueName } from '../harness/shared-cluster.ts';
import { screenshot } from '../harness/screenshot.ts';
import { signInPage } from '../harness/sign-in-page.ts';

const password = 'correct horse battery';
const readme = `# Guide\n\nWhat *this* is about.\n\n\`\`\`sh\nmake all ${'--option '.repeat(40)}\n\`\`\`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n`;

let browser: TestBrowser;

beforeAll(async () => {
  browser = await openBrowser(cluster.baseUrl);
});
afterAll(() => browser.close());

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
    await signInPage(page, boss.username, password);
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
    for (const [title, path] of Object.entries(paths)) {
      await page.goto(path);
      await screenshot(page, `home-${title}-${colorScheme}-${width}`);
      expect([title, await axeViolations(page)]).toEqual([title, []]);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
      expect([title, overflow]).toEqual([title, 0]);
    }
  });
});
