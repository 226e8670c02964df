import { describe, expect, it } from 'vitest';
import { admin, makeRepository, makeUser, uniqueName } from '../harness/shared-cluster.ts';

describe('fork_repo, rights', () => {
  it('B9 a fork of a private source is private, unless a user with admin on the source sets it otherwise', async () => {
    const owner = await makeUser();
    const reader = await makeUser();
    const source = await makeRepository('git', { owner: owner.username, private: true });
    await admin.result('grant_user_permission', { repoid: source, userid: reader.id, perm: 'repository.write' });
    const forkAs = async (client: typeof admin, args: object) => {
      const fork = uniqueName('fork');
      await client.result('fork_repo', { repoid: source, fork_name: fork, ...args });
      return (await admin.result<{ private: boolean }>('get_repo', { repoid: fork })).private;
    };
    expect(await forkAs(admin, {})).toBe(true);
    expect(await forkAs(owner.client, {})).toBe(true);
    expect(await forkAs(owner.client, { private: false })).toBe(false);
    expect(await forkAs(reader.client, { private: false })).toBe(true);
  });

  it('B9 without read on the source it is answered as missing, before any other fault', async () => {
    const { client } = await makeUser();
    const source = await makeRepository('git', { private: true });
    for (const fork_name of [uniqueName('fork'), source, '-bad-']) {
      const error = await client.error('fork_repo', { repoid: source, fork_name, owner: 'admin' });
      expect(error).toBe(`repository \`${source}\` does not exist`);
    }
  });

  it('B9 a regular user may set no owner, and fork into no group without write', async () => {
    const { client, username } = await makeUser();
    const source = await makeRepository('git');
    const group = uniqueName('group');
    await makeRepository('git');
    await admin.result('create_repo', { repo_name: `${group}/x`, repo_type: 'git' });
    expect(await client.error('fork_repo', { repoid: source, fork_name: uniqueName('fork'), owner: username })).toBe(
      'Only admin can specify `owner` param',
    );
    expect(await client.error('fork_repo', { repoid: source, fork_name: `${group}/fork` })).toBe(
      `no permission to create repo in ${group}`,
    );
  });

  it('B10 where the caller may create nothing, a taken name is refused like a free one', async () => {
    const { client, username } = await makeUser();
    const source = await makeRepository('git');
    const group = uniqueName('group');
    await admin.result('create_repo', { repo_name: `${group}/hidden`, private: true });
    for (const fork_name of ['hidden', 'free', 'hidden/below', 'free/below'].map((last) => `${group}/${last}`)) {
      for (const args of [{}, { owner: username }]) {
        expect(await client.error('fork_repo', { repoid: source, fork_name, ...args })).toBe(
          `no permission to create repo in ${group}`,
        );
      }
    }
  });

  it('B10 fork_of is not shown to a user who may not read the source', async () => {
    const owner = await makeUser();
    const reader = await makeUser();
    const source = await makeRepository('git', { owner: owner.username, private: true });
    const fork = uniqueName('fork');
    await owner.client.result('fork_repo', { repoid: source, fork_name: fork, private: false });
    const shown = async (client: typeof admin) => {
      const single = await client.result<{ fork_of: unknown }>('get_repo', { repoid: fork });
      const list = await client.result<{ repo_name: string; fork_of: unknown }[]>('get_repos');
      return [single.fork_of, list.find(({ repo_name: name }) => name === fork)?.fork_of];
    };
    expect(await shown(admin)).toEqual([source, source]);
    expect(await shown(owner.client)).toEqual([source, source]);
    expect(await shown(reader.client)).toEqual([null, null]);
  });
});
