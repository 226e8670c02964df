import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, hg, makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, makeRepository, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';
import { mainBranch, someFile } from '../harness/unique-name.ts';
import { makeVisitor } from '../harness/web-visitor.ts';
import type { WebClient } from '../harness/web-client.ts';

let web: WebClient;

beforeAll(async () => {
  ({ web } = await makeVisitor());
});

const hostile = 'a<b>"&/é%2F';

async function addRefs(type: 'hg' | 'git', { directory }: Remote): Promise<void> {
  if (type === 'git') {
    await git(directory, 'branch', hostile);
    await git(directory, 'tag', 'v1<i>');
    return;
  }
  await hg(directory, 'bookmark', 'mark<i>');
  await hg(directory, 'bookmark', '--inactive', 'at\u202Eleft');
  await hg(directory, 'tag', 'v1<i>', '-u', 'Ann');
  await hg(directory, 'branch', '-q', hostile);
  await hg(directory, 'commit', '-q', '-m', 'on it', '-u', 'Ann');
  await hg(directory, 'commit', '-q', '-m', 'close it', '--close-branch', '-u', 'Ann');
  await hg(directory, 'update', '-q', 'default');
}

function names(text: string): (string | undefined)[] {
  return [...text.matchAll(/<div class="name"><a [^>]*>([^<]*)</g)].map(([, name]) => name);
}

describe.each(repositoryTypes)('a list of names of changesets of a %s repository', (type) => {
  let remote: Remote;
  let first: string;
  const name = `${uniqueName('group')}/${uniqueName(type)}`;

  beforeAll(async () => {
    remote = await makeRemote[type]();
    first = await remote.commit({ [someFile]: '1' }, 'first');
    await addRefs(type, remote);
    await admin.result('create_repo', { repo_name: name, repo_type: type, clone_uri: remote.url });
  });
  afterAll(() => remote.close());

  it('has branches, with the closed ones last and marked', async () => {
    const { status, text } = await web.get(`/${name}/branches`);
    expect(status).toBe(200);
    const odd = 'a&lt;b&gt;&quot;&amp;/é%2F';
    expect(names(text)).toEqual(type === 'git' ? [mainBranch, odd] : ['default', odd]);
    expect(text).toContain('<span class="badge">default</span>');
    expect(text.includes('<span class="badge">closed</span>')).toBe(type === 'hg');
    const [, href = ''] = /href="([^"]*\/changelog\?branch=a[^"]*)"/.exec(text) ?? [];
    const changelog = await web.get(href);
    expect(changelog.status).toBe(200);
    expect(changelog.text).toContain(type === 'git' ? '>first</a>' : '>on it</a>');
  });

  it('has tags, each with links to its changeset and its files', async () => {
    const { text } = await web.get(`/${name}/tags`);
    expect(names(text)).toEqual(['v1&lt;i&gt;']);
    expect(text).toContain(`href="/${encodeURI(name)}/changeset/${first}"`);
    const full = encodeURIComponent(type === 'git' ? 'refs/tags/v1<i>' : 'tag:v1<i>');
    expect(text).toContain(`href="/${encodeURI(name)}/files/${full}"`);
  });

  it('has branches with what they name, and how they differ from the default one', async () => {
    const { text } = await web.get(`/${name}/branches`);
    const full = (branch: string) => (type === 'git' ? `refs/heads/${branch}` : `branch:${branch}`);
    const main = type === 'git' ? mainBranch : 'default';
    expect(text).toContain(`<a href="/${encodeURI(name)}/files/${encodeURIComponent(full(main))}">${main}</a>`);
    const range = encodeURIComponent(`${full(main)}...${full(hostile)}`);
    const compared = `<a href="/${encodeURI(name)}/compare/${range}">`;
    // In git both name the same commit; in hg the branch was made after a tag, and has a changeset that closes it.
    // A worker with much to do leaves the count out.
    expect([`${compared}2 ahead<`, `${compared}Compare<`].some((link) => text.includes(link))).toBe(type === 'hg');
    expect(text).toContain(type === 'git' ? '>first</a>' : '>close it</a>');
    expect(names((await web.get(`/${name}/branches?order=name`)).text)).toEqual(names(text));
  });

  it('has bookmarks', async () => {
    const { text } = await web.get(`/${name}/bookmarks`);
    // The one that is active has moved on with the tag, and so is as old or younger.
    expect(new Set(names(text))).toEqual(new Set(type === 'git' ? [] : ['at\\u{202E}left', 'mark&lt;i&gt;']));
    expect(text.includes('There are no bookmarks yet.')).toBe(type === 'git');
  });

  it('is filtered by a part of the name, in any case', async () => {
    expect(names((await web.get(`/${name}/tags?filter=V1`)).text)).toHaveLength(1);
    const { text } = await web.get(`/${name}/tags?filter=${encodeURIComponent('"><b>')}`);
    expect(text).toContain('No tags found.');
    expect(text).not.toContain('"><b>');
  });

  it('links to a changeset and its files by names with slashes', async () => {
    expect((await web.get(`/${name}/changeset/${encodeURIComponent(hostile)}`)).status).toBe(200);
    expect((await web.get(`/${name}/changeset/${encodeURIComponent('no/such')}`)).status).toBe(404);
  });

  it('of an empty repository shows that it is empty', async () => {
    const empty = await makeRepository(type);
    for (const page of ['branches', 'tags', 'bookmarks', 'changelog']) {
      const { status, text } = await web.get(`/${empty}/${page}`);
      expect([page, status]).toEqual([page, 200]);
      expect(text).toContain('This repository is empty');
    }
    expect((await web.get(`/${empty}/changeset/tip`)).status).toBe(404);
  });

  it.each(['branches', 'tags', 'bookmarks', 'changelog', 'changeset'])(
    'is hidden from users without read: %s',
    async (page) => {
      await admin.result('update_repo', { repoid: name, private: true });
      const other = await web.get(`/${name}/${page}`);
      await admin.result('update_repo', { repoid: name, private: false });
      const missing = await web.get(`/${name}-none/${page}`);
      expect([other.status, other.text]).toEqual([missing.status, missing.text]);
    },
  );
});

it('a page of thousands of tags stays bounded', async () => {
  const many = await makeRemote.git();
  const id = await many.commit({ [someFile]: '1' });
  const lines = Array.from({ length: 1_500 }, (_, index) => `create refs/tags/t${index} ${id}`);
  await many.commit({ refs: `${lines.join('\n')}\n` });
  await git(many.directory, 'fetch', '-q', '.', ...lines.map((_, index) => `${id}:refs/tags/t${index}`));
  const repo_name = uniqueName('git');
  await admin.result('create_repo', { repo_name, repo_type: 'git', clone_uri: many.url });
  await many.close();
  const shown: (string | undefined)[] = [];
  let pages = 0;
  for (let path: string | undefined = `/${encodeURI(repo_name)}/tags?filter=T`; path !== undefined; pages += 1) {
    const { text } = await web.get(path);
    shown.push(...names(text));
    path = /href="([^"]*)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  }
  expect([pages, shown.length, new Set(shown).size]).toEqual([15, 1_500, 1_500]);
  expect((await web.get(`/${repo_name}/changelog`)).text).toContain('<span class="badge">1488 more</span>');
  expect((await web.get(`/${repo_name}/tags?cursor=x`)).status).toBe(400);

  const files = (await web.get(`/${repo_name}/files`)).text;
  expect(files.match(/<option /g)?.length).toBeLessThanOrEqual(500);
  const named = await web.get(`/${repo_name}/files?at=t1499`);
  expect(named.headers.get('location')).toBe(`/${encodeURI(repo_name)}/files/t1499`);
});

it('tags are in the order of versions, with what an annotated one says and archives of its name', async () => {
  const remote = await makeRemote.git();
  await remote.commit({ [someFile]: '1' });
  for (const tag of ['v1.9', 'v1.10', 'v1.10-rc1', 'v1.2']) await git(remote.directory, 'tag', tag);
  await git(remote.directory, 'tag', '-a', 'v2/<b>', '-m', 'Two <i>\n\nand more');
  const repo_name = uniqueName('git');
  await admin.result('create_repo', { repo_name, repo_type: 'git', clone_uri: remote.url, enable_downloads: true });
  await remote.close();
  const { text } = await web.get(`/${repo_name}/tags`);
  expect(names(text)).toEqual(expect.arrayContaining(['v2/&lt;b&gt;']));
  expect(names(text).filter((one) => one !== 'v2/&lt;b&gt;')).toEqual(['v1.10', 'v1.10-rc1', 'v1.9', 'v1.2']);
  expect(text).toContain('<div class="tag-message">Two &lt;i&gt; ');
  expect(text).toContain('<p class="message">and more</p>');
  expect(text).not.toMatch(/<b>|<i>/);
  const [, href = ''] = /href="([^"]*\/archive\/[^"]*%3Cb%3E\.zip)"/.exec(text) ?? [];
  const archive = await web.get(href);
  expect(archive.headers.get('content-disposition')).toContain(`''${encodeURI(repo_name)}-v2_%3Cb%3E.zip`);
  const plain = await web.get(`/${repo_name}/archive/refs/tags/v1.9.tar.gz`);
  expect(plain.headers.get('content-disposition')).toContain(`''${encodeURI(repo_name)}-v1.9.tar.gz`);
});
