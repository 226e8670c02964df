import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fastImport } from '../../apps/vcs-worker/src/vcs/testing/feed-git.ts';
import { git, hg, makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, makeRepository, makeUser, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';
import { mainBranch, mainReference, someFile } from '../harness/unique-name.ts';

interface Refs {
  readonly bookmarks: Record<string, string>;
  readonly branches: Record<string, string>;
  readonly branches_closed: Record<string, string>;
  readonly tags: Record<string, string>;
  readonly next?: string;
}

/** Reads all references in pages; returns the names of each page. */
async function namesOfPages(repoid: string, limit: number): Promise<string[][]> {
  const names: string[][] = [];
  for (let next: string | undefined = ''; next !== undefined;) {
    const page: Refs = await admin.result<Refs>('get_repo_refs', {
      repoid,
      limit,
      ...(next !== '' && { cursor: next }),
    });
    const { bookmarks, branches, branches_closed: closed, tags } = page;
    names.push([branches, bookmarks, tags, closed].flatMap((group) => Object.keys(group)));
    ({ next } = page);
  }
  return names;
}

async function imported(type: 'hg' | 'git', remote: Remote): Promise<string> {
  const name = uniqueName(type);
  await admin.result('create_repo', { repo_name: name, repo_type: type, clone_uri: remote.url });
  return name;
}

describe('get_repo_refs', () => {
  const remotes: Remote[] = [];
  beforeAll(async () => {
    remotes.push(await makeRemote.git(), await makeRemote.hg());
  });
  afterAll(() => Promise.all(remotes.map((remote) => remote.close())));

  it('git: branches and tags, annotated ones at their commit', async () => {
    const [remote] = remotes;
    if (!remote) throw new Error('no remote');
    const rawId = await remote.commit({ [someFile]: '1' });
    await git(remote.directory, 'tag', '-a', '-m', 'x', 'v1', rawId);
    await git(remote.directory, 'tag', 'light/é', rawId);
    await git(remote.directory, 'branch', '__proto__', rawId);
    const reply = await admin.result('get_repo_refs', { repoid: await imported('git', remote) });
    // Compared as text: not every comparison of objects includes a member `__proto__`.
    expect(JSON.stringify(reply)).toBe(
      `{"bookmarks":{},"branches":{"__proto__":"${rawId}","${mainBranch}":"${rawId}"},"branches_closed":{},` +
        `"tags":{"light/é":"${rawId}","v1":"${rawId}"}}`,
    );
  });

  it('hg: bookmarks, open and closed branches, tags without tip', async () => {
    const [, remote] = remotes;
    if (!remote) throw new Error('no remote');
    const first = await remote.commit({ [someFile]: '1' });
    await hg(remote.directory, 'branch', '-q', 'done');
    await remote.commit({ [someFile]: '2' });
    await hg(remote.directory, 'commit', '--close-branch', '-m', 'x', '-u', 'Ann');
    const closed = (await hg(remote.directory, 'log', '-r', 'tip', '-T', '{node}')).trim();
    await hg(remote.directory, 'update', '-q', 'default');
    await hg(remote.directory, 'tag', '-u', 'Ann', '-r', first, 'v1');
    const newest = (await hg(remote.directory, 'log', '-r', 'tip', '-T', '{node}')).trim();
    await hg(remote.directory, 'bookmark', '-r', first, 'mark é');
    const repoid = await imported('hg', remote);
    expect(await admin.result('get_repo_refs', { repoid })).toEqual({
      bookmarks: { 'mark é': first },
      branches: { default: newest },
      branches_closed: { done: closed },
      tags: { v1: first },
    });
    expect(await namesOfPages(repoid, 1)).toEqual([['default'], ['mark é'], ['v1'], ['done']]);
    expect(await namesOfPages(repoid, 3)).toEqual([['default', 'mark é', 'v1'], ['done']]);
    expect(await namesOfPages(repoid, 4)).toHaveLength(1);
  });

  it('returns a thousand references without a limit, and the cursor of the next page', async () => {
    const remote = await makeRemote.git();
    remotes.push(remote);
    await remote.commit({ [someFile]: '1' });
    const tags = Array.from({ length: 1_001 }, (_, number) => `t${String(number).padStart(4, '0')}`);
    const resets = tags.map((tag) => `reset refs/tags/${tag}\nfrom ${mainReference}^0\n\n`);
    await fastImport(join(remote.directory, '.git'), resets.join(''));
    const repoid = await imported('git', remote);
    const first = await admin.result<Refs>('get_repo_refs', { repoid });
    expect([Object.keys(first.branches), Object.keys(first.tags), first.next]).toEqual([
      [mainBranch],
      tags.slice(0, 999),
      '2t0998',
    ]);
    const last = await admin.result<Refs>('get_repo_refs', { repoid, cursor: first.next });
    expect([last.branches, Object.keys(last.tags), last.next]).toEqual([{}, tags.slice(999), undefined]);
    expect((await namesOfPages(repoid, 400)).flat()).toEqual([mainBranch, ...tags]);
    expect((await admin.result<Refs>('get_repo_refs', { repoid, limit: 10_000 })).next).toBeUndefined();
  });

  it.each([
    [{ limit: 0 }, 'Invalid value for `limit`: must be a whole number from 1 to 10000'],
    [{ limit: 10_001 }, 'Invalid value for `limit`: must be a whole number from 1 to 10000'],
    [{ cursor: 'v1' }, 'Invalid value for `cursor`: must be the `next` of another page'],
  ])('refuses %j', async (args, text) => {
    expect(await admin.error('get_repo_refs', { repoid: await makeRepository('git'), ...args })).toBe(text);
  });

  it.each(repositoryTypes)('%s: an empty repository has none', async (type) => {
    const repoid = await makeRepository(type);
    const none = { bookmarks: {}, branches: {}, branches_closed: {}, tags: {} };
    expect(await admin.result('get_repo_refs', { repoid })).toEqual(none);
  });

  it('is allowed with read; without it the repository is answered as missing', async () => {
    const { client } = await makeUser();
    const hidden = await makeRepository('git', { private: true });
    expect(await client.error('get_repo_refs', { repoid: hidden })).toBe(`repository \`${hidden}\` does not exist`);
    expect(await client.result('get_repo_refs', { repoid: await makeRepository('git') })).toMatchObject({ tags: {} });
  });
});
