import { beforeAll, describe, expect, it } from 'vitest';
import { admin, cluster, sql, uniqueName, type TestUser } from '../harness/shared-cluster.ts';
import { createWebClient, type WebClient } from '../harness/web-client.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

const hostile = `<script>alert(1)</script> "'&amp; \u202e${'long'.repeat(60)}`;

type Visitor = TestUser & { readonly web: WebClient };

let owner: Visitor;
let reader: Visitor;
let boss: Visitor;

beforeAll(async () => {
  [owner, reader, boss] = await Promise.all([makeVisitor(), makeVisitor(), makeVisitor({ admin: true })]);
});

function make(name: string, args: Record<string, unknown> = {}) {
  return admin.result('create_repo', { repo_name: name, owner: owner.username, ...args });
}

/** Returns the targets of the links in third-level headings, in their order. */
function linksOf(page: string): string[] {
  return [...page.matchAll(/<h3><a href="([^"]*)"/g)].map(([, href = '']) => decodeURIComponent(href));
}

describe('a group', () => {
  const group = uniqueName('group');

  beforeAll(async () => {
    await make(`${group}/public`, { description: hostile, repo_type: 'git' });
    await make(`${group}/hidden`, { private: true });
    await make(`${group}/inner/שלום`);
  });

  it('lists only repositories and groups that the visitor may read', async () => {
    const page = await reader.web.get(`/${group}`);
    expect(page.status).toBe(200);
    expect(linksOf(page.text)).toEqual([`/${group}/inner`, `/${group}/public`]);
    expect(linksOf((await owner.web.get(`/${group}`)).text)).toContain(`/${group}/hidden`);
  });

  it('escapes texts', async () => {
    const { text } = await reader.web.get(`/${group}`);
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &quot;&#39;&amp;amp; \\u{202E}long');
    expect(text).not.toContain('<script');
  });

  it('is searched with everything below, for any text', async () => {
    expect(linksOf((await reader.web.get(`/${group}?filter=שלום`)).text)).toEqual([`/${group}/inner/שלום`]);
    const { status, text } = await reader.web.get(`/${group}?filter=${encodeURIComponent('"><script>%_')}`);
    expect(status).toBe(200);
    expect(text).toContain('match “&quot;&gt;&lt;script&gt;%_”');
    expect(linksOf(text)).toEqual([]);
  });

  it('is shown in pages', async () => {
    const many = uniqueName('many');
    const names = Array.from({ length: 52 }, (_, index) => `${many}/r${String(index).padStart(2, '0')}`);
    for (const name of names) await make(name);
    const first = await reader.web.get(`/${many}?filter=R`);
    const [, next = ''] = /<a href="([^"]*)" rel="next">/.exec(first.text) ?? [];
    const second = await reader.web.get(next.replaceAll('&amp;', '&'));
    expect([...linksOf(first.text), ...linksOf(second.text)]).toEqual(names.map((name) => `/${name}`));
    expect(second.text).not.toContain('rel="next"');
  }, 120_000);

  it.each(['', 'x'.repeat(300)])('that is missing is refused like an unreadable one: %j', async (more) => {
    const closed = uniqueName('closed');
    await admin.result('create_repo_group', { group_name: closed });
    await admin.result('revoke_user_permission_from_repo_group', { repogroupid: closed, userid: 'default' });
    const answers = await Promise.all([closed, `nothing${more}`].map((name) => reader.web.get(`/${name}`)));
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    expect(answers[0]?.text).toBe(answers[1]?.text);
    expect((await boss.web.get(`/nothing${more}`)).status).toBe(404);
  });

  it('has one address, which has no encoded slash', async () => {
    expect((await reader.web.get(`/${group}/inner`)).status).toBe(200);
    expect((await reader.web.get(`/${group}%2Finner`)).status).toBe(403);
  });
});

describe('the first page', () => {
  it('offers to create repositories, and feeds', async () => {
    const { status, text } = await reader.web.get('/');
    expect(status).toBe(200);
    expect(text).toContain('href="/_admin/create_repository"');
    expect(text).toMatch(/<link rel="alternate" type="application\/rss\+xml"/);
  });

  it('needs a sign-in', async () => {
    expect((await createWebClient(cluster.baseUrl).get('/')).status).toBe(302);
  });
});

describe('creating a repository', () => {
  const path = '/_admin/create_repository';

  it.each(['hg', 'git'])('creates an empty one of type %s, and redirects to it', async (type) => {
    const name = `${uniqueName('made')}/${type}`;
    const fields = { repo_name: name, repo_type: type, description: hostile, private: 'true' };
    const answer = await owner.web.submit(path, path, fields);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/${encodeURI(name)}`]);
    const page = await owner.web.get(`/${name}`);
    expect(page.text).toContain(`The repository ${name} is created.`);
    expect(page.text).toContain('This repository is empty');
    expect(page.text).toContain('\\u{202E}long');
    expect(page.text).not.toContain('<script');
    const made = await admin.result('get_repo', { repoid: name });
    expect(made).toMatchObject({ repo_type: type, private: true, enable_downloads: false, owner: owner.username });
    expect((await reader.web.get(`/${name}`)).status).toBe(403);
  });

  it('offers no archives unless they are asked for, as create_repo does', async () => {
    expect((await owner.web.get(path)).text).toMatch(/<input type="checkbox" value="true" name="enable_downloads"\/>/);
  });

  it('lets administrators alone choose the storage', async () => {
    expect((await owner.web.get(path)).text).not.toContain('name="storage"');
    expect((await boss.web.get(path)).text).toMatch(
      /<select[^>]*name="storage"[^>]*><option value="" selected[^>]*>chosen by the service<\/option><option value="default"/,
    );
    const name = uniqueName('placed');
    for (const [from, storage, status] of [
      [owner, 'second', 403],
      [boss, 'second', 303],
    ] as const) {
      const answer = await from.web.submit(path, path, { repo_name: name, repo_type: 'git', storage });
      expect(answer.status).toBe(status);
    }
    expect(
      await sql`select s.name from storages s join repositories r on r.storage_id = s.id where r.name = ${name}`,
    ).toMatchObject([{ name: 'second' }]);
  });

  it('offers the group from which the visitor came', async () => {
    const { text } = await owner.web.get(`${path}?parent_group=${encodeURIComponent('a/"b')}`);
    expect(text).toContain('value="a/&quot;b/"');
  });

  it('shows the form again with the refused values, but no password', async () => {
    const taken = uniqueName('taken');
    await make(taken);
    const refused = await owner.web.submit(path, path, { repo_name: taken, repo_type: 'git', description: hostile });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain(`repository <code>${taken}</code> already exists`);
    expect(refused.text).toContain('<option value="git" selected="">');
    expect(refused.text).toContain('&lt;script&gt;');
    const fields = { repo_name: '-', repo_type: 'git', clone_uri: 'https://ada:geheim@example.com/x' };
    const bad = await owner.web.submit(path, path, fields);
    expect(bad.status).toBeGreaterThanOrEqual(400);
    expect(bad.text).not.toContain('geheim');
  });

  it('refuses a form of another site', async () => {
    const name = uniqueName('forged');
    expect((await owner.web.post(path, { repo_name: name, repo_type: 'hg' })).status).toBe(400);
    expect(await admin.result('get_repo', { repoid: name })).toBeNull();
  });
});

describe('following', () => {
  const path = '/_admin/toggle_following';

  it('begins and ends with the button of the page, and redirects back', async () => {
    const name = uniqueName('followed');
    await make(name);
    const answer = await reader.web.submit(`/${name}/followers`, path, {});
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/${encodeURI(name)}/followers`]);
    const followed = await reader.web.get(`/${name}/followers`);
    expect(followed.text).toContain(`You now follow ${name}`);
    expect(followed.text).toMatch(new RegExp(`<li>${reader.username} `));
    await reader.web.submit(`/${name}/followers`, path, {});
    expect((await reader.web.get(`/${name}/followers`)).text).not.toMatch(new RegExp(`<li>${reader.username} `));
  });

  it('returns ok to programs, without a redirect', async () => {
    const name = uniqueName('followed');
    await make(name);
    const page = await reader.web.get(`/${name}`);
    const [, csrf_token = ''] = /name="csrf_token" value="([^"]*)"/.exec(page.text) ?? [];
    const { repo_id } = await admin.result<{ repo_id: number }>('get_repo', { repoid: name });
    const fields = { csrf_token, follows_repo_id: String(repo_id) };
    expect(await reader.web.post(path, fields)).toMatchObject({ status: 200, text: 'ok' });
    const astray = await reader.web.post(path, { ...fields, came_from: '//evil.example/' });
    expect(astray.headers.get('location')).toBe('/');
  });
});
