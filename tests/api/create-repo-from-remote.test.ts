import { describe, expect, it } from 'vitest';
import { expectNeverBegun, expectNothingLeft } from '../harness/nothing-left.ts';
import { isNativeGitFetch, makeGitRemote, makeRemote } from '../harness/remotes.ts';
import { admin, makeRepository, makeUser, repositoryTypes, sql, uniqueName } from '../harness/shared-cluster.ts';
import { author, someFile } from '../harness/unique-name.ts';

describe.each(repositoryTypes)('create_repo %s, clone_uri', (type) => {
  it('copies a remote with its history', async () => {
    const remote = await makeRemote[type]();
    try {
      await remote.commit({ [someFile]: '1' }, 'first');
      const rawId = await remote.commit({ 'dir/b.txt': '2' }, 'second');
      const name = uniqueName(type);
      const { repo } = await admin.result<{ repo: { clone_uri: string } }>('create_repo', {
        repo_name: name,
        repo_type: type,
        clone_uri: remote.url,
      });
      expect(repo.clone_uri).toBe(remote.url);
      expect(await admin.result('get_repo', { repoid: name })).toMatchObject({
        last_changeset: { raw_id: rawId, short_id: rawId.slice(0, 12), revision: 1, author: author.full },
      });
    } finally {
      await remote.close();
    }
  });

  it('D6 begins no operation for an unreachable remote', async () => {
    const name = `${uniqueName('grp')}/${type}`;
    const text = await admin.error('create_repo', {
      repo_name: name,
      repo_type: type,
      clone_uri: 'http://127.0.0.1:9/x',
    });
    expect(text).toBe(`failed to create repository \`${name}\`: unreachable`);
    await expectNeverBegun(name);
    expect(await sql`select path from names where path = ${name.split('/')[0] ?? ''}`).toHaveLength(0);
  });

  it('begins no operation for a remote of the other type', async () => {
    const remote = await makeRemote[type === 'hg' ? 'git' : 'hg']();
    try {
      await remote.commit({ [someFile]: '1' });
      const name = uniqueName(type);
      const text = await admin.error('create_repo', { repo_name: name, repo_type: type, clone_uri: remote.url });
      // A Mercurial server refuses git's request; a git server has no file at the URL of hg's request.
      const failure = type === 'git' ? 'not a repository' : 'not found';
      expect(text).toBe(`failed to create repository \`${name}\`: ${failure}`);
      await expectNeverBegun(name);
    } finally {
      await remote.close();
    }
  });
});

describe('create_repo git, clone_uri', () => {
  it('leaves nothing behind when the remote fails only during the fetch', async () => {
    const remote = await makeGitRemote({
      intercept: (request, response) => {
        if (!isNativeGitFetch(request)) return false;
        response.writeHead(500).end();
        return true;
      },
    });
    try {
      await remote.commit({ [someFile]: '1' });
      const name = `${uniqueName('grp')}/git`;
      const text = await admin.error('create_repo', { repo_name: name, repo_type: 'git', clone_uri: remote.url });
      expect(text).toBe(`failed to create repository \`${name}\`: broken remote`);
      await expectNothingLeft(name);
      expect(await sql`select path from names where path = ${name.split('/')[0] ?? ''}`).toHaveLength(0);
    } finally {
      await remote.close();
    }
  });

  it('D6 asks no remote for a repository that would be refused', async () => {
    const asked: string[] = [];
    const remote = await makeGitRemote({
      intercept: (request, response) => {
        asked.push(request.url ?? '');
        response.writeHead(500).end();
        return true;
      },
    });
    try {
      const { client, username } = await makeUser();
      const taken = await makeRepository('git');
      const group = uniqueName('grp');
      await makeRepository('git', { repo_name: `${group}/git` });
      const create = (by: typeof admin, args: Record<string, unknown>) =>
        by.error('create_repo', { repo_name: uniqueName('x'), repo_type: 'git', clone_uri: remote.url, ...args });
      expect(await create(client, { owner: username })).toBe('Only admin can specify `owner` param');
      expect(await create(admin, { owner: 'ghost' })).toBe('user `ghost` does not exist');
      expect(await create(admin, { repo_name: '-x' })).toMatch(/^failed to create repository `-x`: a segment/);
      expect(await create(admin, { repo_name: taken })).toBe(`repo \`${taken}\` already exist`);
      expect(await create(admin, { repo_name: `${taken}/x` })).toContain(`\`${taken}\` is a repository`);
      expect(await create(client, { repo_name: `${group}/x` })).toBe(`no permission to create repo in ${group}`);
      expect(await create(admin, { repo_type: 'svn' })).toContain('unknown repo_type');
      expect(asked).toEqual([]);
    } finally {
      await remote.close();
    }
  });
});
