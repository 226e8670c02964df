import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, hg, makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, repositoryTypes, uniqueName, type RepositoryType } from '../harness/shared-cluster.ts';
import type { WebClient } from '../harness/web-client.ts';
import { makeVisitor } from '../harness/web-visitor.ts';

interface Named {
  readonly group: 'Branches' | 'Bookmarks' | 'Tags';
  readonly name: string;
  readonly full: string;
  /** The number of its changeset. */
  readonly at: number;
}

/** Names that are numbers, words for the newest changeset, or those of references of other kinds. */
const named: Record<RepositoryType, readonly Named[]> = {
  git: [
    { group: 'Branches', name: '2', full: 'refs/heads/2', at: 0 },
    { group: 'Branches', name: '2024', full: 'refs/heads/2024', at: 0 },
    { group: 'Branches', name: 'HEAD', full: 'refs/heads/HEAD', at: 1 },
    { group: 'Branches', name: 'dup', full: 'refs/heads/dup', at: 0 },
    { group: 'Branches', name: 'tip', full: 'refs/heads/tip', at: 2 },
    { group: 'Branches', name: 'a/%#+é', full: 'refs/heads/a/%#+é', at: 1 },
    { group: 'Tags', name: '1', full: 'refs/tags/1', at: 0 },
    { group: 'Tags', name: 'dup', full: 'refs/tags/dup', at: 2 },
  ],
  hg: [
    { group: 'Branches', name: '2', full: 'branch:2', at: 3 },
    { group: 'Branches', name: 'dup', full: 'branch:dup', at: 4 },
    { group: 'Bookmarks', name: 'dup', full: 'book:dup', at: 0 },
    { group: 'Bookmarks', name: '3', full: 'book:3', at: 0 },
    { group: 'Bookmarks', name: 'a/b %#?+é', full: 'book:a/b %#?+é', at: 2 },
    { group: 'Tags', name: 'dup', full: 'tag:dup', at: 1 },
    { group: 'Tags', name: '1', full: 'tag:1', at: 2 },
  ],
};

async function makeGit({ directory, commit }: Remote): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < 5; number += 1) ids.push(await commit({ f: `${number}\n`, 'docs/g': `${number}\n` }));
  for (const { full, at } of named.git) await git(directory, 'update-ref', full, ids[at] ?? '');
  for (const full of [ids[4], ids[4]?.slice(0, 7)])
    await git(directory, 'update-ref', `refs/heads/${full}`, ids[0] ?? '');
  return ids;
}

async function makeHg({ directory }: Remote): Promise<string[]> {
  await hg(directory, 'debugbuilddag', '--overwritten-file', '+3 @2 +1 @dup +1');
  const ids = (await hg(directory, 'log', '-r', '0:4', '-T', '{node}\n')).trim().split('\n');
  // Mercurial itself no longer makes names that are numbers.
  const lines = (group: string) =>
    named.hg.filter((one) => one.group === group).map(({ name, at }) => `${ids[at]} ${name}\n`);
  await appendFile(join(directory, '.hg/bookmarks'), lines('Bookmarks').join(''));
  await hg(directory, 'update', '-q', '2');
  await appendFile(join(directory, '.hgtags'), lines('Tags').join(''));
  await hg(directory, 'commit', '-q', '-A', '-m', 'tags', '-u', 'Ann');
  return ids;
}

const makeNames = { git: makeGit, hg: makeHg };

/** The changeset that a page of files shows. */
function shownId(text: string): string | undefined {
  return /class="last-change">.*?\/changeset\/([0-9a-f]{40})"/s.exec(text)?.[1];
}

describe.each(repositoryTypes)('names of a %s repository', (type) => {
  let remote: Remote;
  let web: WebClient;
  let ids: string[];
  const name = `${uniqueName('group')}/${uniqueName(type)}`;

  beforeAll(async () => {
    ({ web } = await makeVisitor());
    remote = await makeRemote[type]();
    ids = await makeNames[type](remote);
    const args = { repo_name: name, repo_type: type, clone_uri: remote.url, enable_downloads: true };
    await admin.result('create_repo', args);
  });
  afterAll(() => remote.close());

  const show = async (path: string) => (await web.get(`/${encodeURI(name)}/${path}`)).text;
  const noteOf = (text: string) =>
    /<p class="warning" role="note">(.*?)<\/p>/s.exec(text)?.[1]?.replaceAll(/<[^>]*>/g, '');

  /** Follows a link of the list of revisions, of which the form suggests the same; returns the page that comes. */
  async function choose({ group, name: chosen, full }: Named): Promise<string> {
    const text = await show('files/tip');
    const [, list = ''] = new RegExp(`<summary>${group}</summary>(.*?)</details>`, 's').exec(text) ?? [];
    const [, href] =
      [...list.matchAll(/<a href="([^"]*)"[^>]*>([^<]*)</g)].find(([, , shown]) => shown === chosen) ?? [];
    expect(text).toContain(`<option value="${full}">${chosen}</option>`);
    const sent = await web.get(`/${encodeURI(name)}/files/tip?${new URLSearchParams({ at: full }).toString()}`);
    expect(sent.headers.get('location')).toBe(href);
    return (await web.get(href ?? '')).text;
  }

  it.each(named[type])('the list of revisions shows the one of $group called $name', async (one) => {
    const text = await choose(one);
    expect([shownId(text), noteOf(text)]).toEqual([ids[one.at], undefined]);
    expect(text).toContain(`aria-current="true">${one.name}</a>`);
    const kind = { Branches: 'branch', Bookmarks: 'bookmark', Tags: 'tag' }[one.group];
    expect(text).toContain(`<summary><span class="soft">${kind}</span> <bdi>${one.name}</bdi></summary>`);
    const [file] = /href="([^"]*\/files\/[^"]*\/\w+)"/.exec(text)?.slice(1) ?? [];
    expect(file).toContain(`/files/${encodeURIComponent(one.full)}/`);
  });

  it.each(named[type])('methods take $full', async ({ full, at }) => {
    const args = { repoid: name, revision: full };
    expect(await admin.result('get_changeset', args)).toMatchObject({ raw_id: ids[at] });
    const { 0: last } = await admin.result<{ raw_id: string }[]>('get_changesets', {
      repoid: name,
      end: full,
      reverse: true,
      limit: 1,
    });
    expect(last?.raw_id).toBe(ids[at]);
  });

  it.each(named[type].filter(({ name: one }) => !one.includes('/')))(
    'the landing revision is exactly the one of $group called $name',
    async ({ group, name: one, full, at }) => {
      const word = { Branches: 'branch', Bookmarks: 'book', Tags: 'tag' }[group];
      const { repository } = await admin.result<{ repository: { landing_rev: string } }>('update_repo', {
        repoid: name,
        landing_rev: `${word}:${one}`,
      });
      expect(repository.landing_rev).toBe(`${word}:${one}`);
      const summary = await show('');
      const [files = '', archive = ''] = ['files', 'archive'].map(
        (page) => new RegExp(`href="([^"]*/${page}/[^"]*)"`).exec(summary)?.[1],
      );
      expect(files).toContain(encodeURIComponent(full));
      for (const path of [files, `/${encodeURI(name)}/files`])
        expect(shownId((await web.get(path)).text)).toBe(ids[at]);
      const { headers } = await web.get(archive);
      expect(headers.get('content-disposition')).toContain(group === 'Tags' ? `-${one}.` : ids[at]?.slice(0, 12));
      await admin.result('update_repo', { repoid: name, landing_rev: 'tip' });
    },
  );

  it('what is typed keeps its meaning, and the page says what else has that name', async () => {
    const number = await show('files/2');
    expect(shownId(number)).toBe(ids[2]);
    expect(noteOf(number)).toBe('“2” stands for the changeset with this number. There is also the branch 2.');
    const dup = type === 'git' ? named.git[3] : named.hg[2];
    const others = type === 'git' ? 'the tag dup' : 'the branch dup and the tag dup';
    const own = type === 'git' ? 'branch' : 'bookmark';
    const said = `“dup” stands for the ${own} of this name. There is also ${others}.`;
    for (const page of ['files/dup', 'changeset/dup', 'changeset/0...dup']) {
      expect([page, noteOf(await show(page))]).toEqual([page, said]);
    }
    expect(shownId(await show('files/dup'))).toBe(ids[dup?.at ?? -1]);
    const tag = type === 'git' ? 'refs/tags/dup' : 'tag:dup';
    expect(await show('changeset/dup')).toContain(`/changeset/${encodeURIComponent(tag)}"`);
    const archive = await web.get(`/${encodeURI(name)}/archive/3.zip`);
    expect(archive.headers.get('content-disposition')).toContain(ids[3]?.slice(0, 12));
  });

  it('an address may go on after a name with slashes that are not escaped', async () => {
    const slashed = named[type].find(({ name: one }) => one.includes('/'));
    const typed = (text = '') => text.split('/').map(encodeURIComponent).join('/');
    for (const revision of [slashed?.name, slashed?.full]) {
      const root = await show(`files/${typed(revision)}`);
      expect(shownId(root)).toBe(ids[slashed?.at ?? -1]);
      expect(root).toContain(`/files/${encodeURIComponent(revision ?? '')}/`);
      expect((await web.get(`/${encodeURI(name)}/changeset/${typed(revision)}`)).text).toContain(
        ids[slashed?.at ?? -1],
      );
    }
    expect((await web.get(`/${encodeURI(name)}/files/no/such/name`)).status).toBe(404);
  });
});

describe('names of a git repository', () => {
  let remote: Remote;
  let web: WebClient;
  let ids: string[];
  const name = uniqueName('git');

  beforeAll(async () => {
    ({ web } = await makeVisitor());
    remote = await makeRemote.git();
    ids = await makeGit(remote);
    await admin.result('create_repo', { repo_name: name, repo_type: 'git', clone_uri: remote.url });
  });
  afterAll(() => remote.close());

  it('that are an id, or begin one, are chosen by their full names', async () => {
    const [, , , , last = ''] = ids;
    for (const one of [last, last.slice(0, 7)]) {
      const { text } = await web.get(`/${name}/files/${encodeURIComponent(`refs/heads/${one}`)}`);
      expect(shownId(text)).toBe(ids[0]);
      expect(text).toContain(`<summary><span class="soft">branch</span> <bdi>${one}</bdi></summary>`);
    }
    expect(shownId((await web.get(`/${name}/files/${last}`)).text)).toBe(last);
    const typed = (await web.get(`/${name}/files/${last.slice(0, 7)}`)).text;
    expect([shownId(typed), typed.includes(`/files/${last}">the changeset ${last.slice(0, 12)}</a>`)]).toEqual([
      ids[0],
      true,
    ]);
  });

  it('a number that no changeset has is not found, with a link to the branch of that name', async () => {
    const { status, text } = await web.get(`/${name}/files/2024/f`);
    expect([status, text.includes(`href="/${encodeURI(name)}/files/refs%2Fheads%2F2024/f"`)]).toEqual([404, true]);
    expect((await web.get(`/${name}/changeset/2024`)).text).toContain(
      `href="/${encodeURI(name)}/changeset/refs%2Fheads%2F2024"`,
    );
  });

  it('raw files are found by full names, and by names whose slashes are not escaped', async () => {
    for (const revision of [
      'refs%2Fheads%2Fa%2F%25%23%2B%C3%A9',
      'refs/heads/a/%25%23%2B%C3%A9',
      'a/%25%23%2B%C3%A9',
    ]) {
      const { status, text } = await web.get(`/${name}/raw/${revision}/docs/g`);
      expect([revision, status, text]).toEqual([revision, 200, '1\n']);
    }
    expect((await web.get(`/${name}/raw/a/none/docs/g`)).status).toBe(404);
  });
});
