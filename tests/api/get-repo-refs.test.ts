import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, hg, makeRemote, type Remote } from '../harness/remotes.ts';
import { admin, makeRepository, makeUser, repositoryTypes, uniqueName } from '../harness/shared-cluster.ts';

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
    const rawId = await remote.commit({ a: '1' });
    await git(remote.directory, 'tag', '-a', '-m', 'x', 'v1', rawId);
    await git(remote.directory, 'tag', 'light/é', rawId);
    await git(remote.directory, 'branch', '__proto__', rawId);
    const reply = await admin.result('get_repo_refs', { repoid: await imported('git', remote) });
    // Compared as text: not every comparison of objects includes a member `__proto__`.
    expect(JSON.stringify(reply)).toBe(
      `{"bookmarks":{},"branches":{"__proto__":"${rawId}","main":"${rawId}"},"branches_closed":{},` +
        `"tags":{"light/é":"${rawId}","v1":"${rawId}"}}`,
    );
  });

  it('hg: bookmarks, open and closed branches, tags without tip', async () => {
    const [, remote] = remotes;
    if (!remote) throw new Error('no remote');
    const first = await remote.commit({ a: '1' });
    await hg(remote.directory, 'branch', '-q', 'done');
    await remote.commit({ a: '2' });
    await hg(remote.directory, 'commit', '--close-branch', '-m', 'x', '-u', 'Ann');
    const closed = (await hg(remote.directory, 'log', '-r', 'tip', '-T', '{node}')).trim();
    await hg(remote.directory, 'update', '-q', 'default');
    await hg(remote.directory, 'tag', '-u', 'Ann', '-r', first, 'v1');
    const newest = (await hg(remote.directory, 'log', '-r', 'tip', '-T', '{node}')).trim();
    await hg(remote.directory, 'bookmark', '-r', first, 'mark é');
    expect(await admin.result('get_repo_refs', { repoid: await imported('hg', remote) })).toEqual({
      bookmarks: { 'mark é': first },
      branches: { default: newest },
      branches_closed: { done: closed },
      tags: { v1: first },
    });
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
