import { afterAll, describe, expect, it } from 'vitest';
import { axeViolations } from '../harness/axe-violations.ts';
import { openBrowser } from '../harness/browser.ts';
import { parseFeed } from '../harness/feeds.ts';
import { looks } from '../harness/looks.ts';
import { makeRemote } from '../harness/remotes.ts';
import { screenshot } from '../harness/screenshot.ts';
import { admin, cluster, makeRepository, makeUser, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';
import { someFile } from '../harness/unique-name.ts';
import { createWebClient } from '../harness/web-client.ts';
import { makeVisitor, password } from '../harness/web-visitor.ts';

const ownActivity = '/_admin/journal';
const publicActivity = '/_admin/public_journal';
const hostile = '<script>"&amp;\u202e';

const textOf = (html: string) => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

describe('followed activity', () => {
  it('needs a sign-in', async () => {
    const { status, headers } = await createWebClient(cluster.baseUrl).get(ownActivity);
    expect([status, headers.get('location')]).toEqual([302, '/_admin/login?came_from=%2F_admin%2Fjournal']);
  });

  it('shows activity on followed repositories and its actor, with any characters in names', async () => {
    const { web, client } = await makeVisitor();
    const author = await makeUser({ firstname: hostile });
    const [followed, other] = [await makeRepository('git'), await makeRepository('hg')];
    for (const repoid of [followed, other]) {
      await admin.result('grant_user_permission', { repoid, userid: author.username, perm: 'repository.admin' });
    }
    await client.result('follow_repo', { repoid: followed });
    await author.client.result('follow_repo', { repoid: followed });
    const { text } = await web.get(ownActivity);
    expect(text).toContain(`href="/${encodeURI(followed)}/changelog"`);
    expect(text).not.toContain(other);
    expect(text).not.toContain('<script>');
    expect(textOf(text)).toContain(`started following ${followed}`);
    expect(text).toContain(
      `<link rel="alternate" type="application/rss+xml" title="Activity: RSS" href="${ownActivity}/rss"/>`,
    );
  });

  it('shows a text when there is no activity yet', async () => {
    const { web } = await makeVisitor();
    expect((await web.get(ownActivity)).text).toContain('No activity yet.');
  });

  it.each(['x', '-1', '0', '1.5', '9'.repeat(30)])('refuses the cursor %s', async (cursor) => {
    const { web } = await makeVisitor();
    expect((await web.get(`${ownActivity}?cursor=${cursor}`)).status).toBe(400);
  });

  it('is shown page by page', async () => {
    const { web, client } = await makeVisitor();
    const name = await makeRepository('git');
    for (let turn = 0; turn < 26; turn += 1) {
      for (const operation of ['follow_repo', 'unfollow_repo']) await client.result(operation, { repoid: name });
    }
    await client.result('follow_repo', { repoid: name });
    const entries = (text: string) => textOf(text).match(/(started|stopped) following/g)?.length;
    const first = await web.get(ownActivity);
    expect(entries(first.text)).toBe(50);
    const [, older = ''] = /<a href="([^"]*)" rel="next">/.exec(first.text) ?? [];
    const second = await web.get(older);
    expect(entries(second.text)).toBe(3);
    expect(second.text).not.toContain('rel="next"');
    expect(second.text).toContain('>Newest</a>');
  });
});

describe('public activity', () => {
  it('shows nothing of private repositories', async () => {
    const { web } = await makeVisitor();
    const [open, hidden] = [await makeRepository('git'), await makeRepository('hg', { private: true })];
    const { status, text } = await web.get(publicActivity);
    expect(status).toBe(200);
    expect(text).toContain(`href="/${encodeURI(open)}/changelog"`);
    expect(text).not.toContain(hidden);
  });
});

describe('feeds', () => {
  it.each([
    [`${ownActivity}/rss`, 'rss'],
    [`${ownActivity}/atom`, 'atom'],
    [`${publicActivity}/rss`, 'rss'],
    [`${publicActivity}/atom`, 'atom'],
    ['/_admin/public_journal_rss', 'rss'],
    ['/_admin/public_journal_atom', 'atom'],
  ] as const)('%s tells the same as the page', async (path, kind) => {
    const { web, client } = await makeVisitor({ firstname: hostile });
    const name = await makeRepository('git');
    await client.result('follow_repo', { repoid: name });
    const { status, headers, text } = await web.get(path);
    expect([status, headers.get('content-type')]).toEqual([200, `application/${kind}+xml; charset=utf-8`]);
    const feed = parseFeed(text);
    expect(feed.kind).toBe(kind);
    const entry = feed.entries.find(({ title }) => title.endsWith(`started following ${name}`));
    expect(entry?.link).toBe(`${cluster.baseUrl}/${encodeURI(name)}/changelog`);
    expect(new URL(feed.link).origin).toBe(cluster.baseUrl);
  });

  describe.each(repositoryTypes)('of %s', (type) => {
    it.each(['rss', 'atom'] as const)('%s has the changesets', async (kind) => {
      const remote = await makeRemote[type]();
      try {
        const id = await remote.commit({ [someFile]: '1' }, 'a <b>first</b> & "only" one');
        const name = `${uniqueName('group')}/${uniqueName(type)}`;
        const args = { repo_name: name, repo_type: type, clone_uri: remote.url };
        const { repo } = await admin.result<{ repo: { repo_id: number } }>('create_repo', args);
        const { web } = await makeVisitor();
        for (const address of [name, `_${repo.repo_id}`]) {
          const { status, headers, text } = await web.get(`/${address}/feed/${kind}`);
          expect([status, headers.get('content-type')]).toEqual([200, `application/${kind}+xml; charset=utf-8`]);
          const feed = parseFeed(text);
          expect(feed).toMatchObject({
            kind,
            title: `Trunkline ${name} feed`,
            link: `${cluster.baseUrl}/${encodeURI(name)}`,
          });
          expect(feed.entries).toMatchObject([
            { title: 'a <b>first</b> & "only" one', link: `${cluster.baseUrl}/${encodeURI(name)}/changeset/${id}` },
          ]);
        }
        expect((await web.get(`/${name}/feed/${kind}/more`)).status).toBe(404);
      } finally {
        await remote.close();
      }
    });

    it('is empty for an empty repository', async () => {
      const { web } = await makeVisitor();
      const name = await makeRepository(type);
      expect(parseFeed((await web.get(`/${name}/feed/atom`)).text).entries).toEqual([]);
    });
  });
});

describe('in a browser', async () => {
  const browser = await openBrowser(cluster.baseUrl);
  afterAll(() => browser.close());

  it.each(looks)('%s at %i pixels, no page has a fault', async (colorScheme, width) => {
    const { username, client } = await makeUser({ password, firstname: 'Ann', lastname: 'Example' });
    const long = `${uniqueName('group')}/${'very-long-name-'.repeat(8)}`.slice(0, -1);
    await admin.result('create_repo', { repo_name: long, repo_type: 'git' });
    for (const repoid of [long, await makeRepository('hg')]) await client.result('follow_repo', { repoid });
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
    await page.goto(ownActivity);
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    for (const [path, heading] of [
      [ownActivity, 'Activity'],
      [publicActivity, 'Public activity'],
    ] as const) {
      await page.goto(path);
      await page.getByRole('heading', { name: heading, exact: true }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await screenshot(page, `${heading.toLowerCase().replace(' ', '-')}-${colorScheme}-${width}`);
    }
  });
});
