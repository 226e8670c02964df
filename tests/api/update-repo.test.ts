import { describe, expect, it } from 'vitest';
import { admin, makeRepository, makeUser, repositoryTypes, sql, uniqueName } from '../harness/shared-cluster.ts';

async function groupOf(name: string): Promise<number> {
  const [row] = await sql<{ id: number }[]>`select id from repo_groups where name = ${name}`;
  return row?.id ?? 0;
}

describe.each(repositoryTypes)('update_repo %s', (type) => {
  it('by an administrator: changes only the given values', async () => {
    const name = await makeRepository(type, { description: 'first', enable_downloads: true });
    const { repo_id } = await admin.result<{ repo_id: number }>('get_repo', { repoid: name });
    const { username } = await makeUser();
    const changed = { description: 'second', owner: username, landing_rev: 'rev:tip', enable_statistics: 'yes' };
    expect(await admin.result('update_repo', { repoid: name, ...changed })).toEqual({
      msg: `updated repo ID:${repo_id} ${name}`,
      repository: expect.objectContaining({
        repo_id,
        repo_name: name,
        description: 'second',
        owner: username,
        landing_rev: 'rev:tip',
        enable_downloads: true,
        enable_statistics: true,
        private: false,
        last_changeset: expect.objectContaining({ revision: -1 }),
        locked_by: null,
        locked_date: null,
      }),
    });
  });

  it('renames the last segment; the bytes are not moved', async () => {
    const group = uniqueName('grp');
    await admin.result('create_repo', { repo_name: `${group}/old`, repo_type: type });
    const { repository } = await admin.result<{ repository: object }>('update_repo', {
      repoid: `${group}/old`,
      name: 'new',
    });
    expect(repository).toMatchObject({ repo_name: `${group}/new` });
    expect(await admin.result('get_repo', { repoid: `${group}/old` })).toBeNull();
    await admin.result('invalidate_cache', { repoid: `${group}/new` });
    await admin.result('create_repo', { repo_name: `${group}/old`, repo_type: type });
  });
});

describe('update_repo', () => {
  it('moves a repository into a group, by id or name', async () => {
    const [one, other] = [uniqueName('grp'), uniqueName('grp')];
    await admin.result('create_repo', { repo_name: `${one}/x` });
    await admin.result('create_repo', { repo_name: `${other}/y` });
    await admin.result('update_repo', { repoid: `${one}/x`, group: await groupOf(other) });
    await admin.result('update_repo', { repoid: `${other}/y`, group: one, name: 'z' });
    for (const repoid of [`${other}/x`, `${one}/z`]) expect(await admin.result('get_repo', { repoid })).not.toBeNull();
    expect(await admin.error('update_repo', { repoid: `${one}/z`, group: 'ghosts' })).toBe(
      'repository group `ghosts` does not exist',
    );
  });

  it('refuses taken and invalid names, and changes nothing', async () => {
    const [one, other] = [await makeRepository('hg'), await makeRepository('hg')];
    for (const name of [other, 'a/b', '-x', '42', 'x.git']) {
      expect(await admin.error('update_repo', { repoid: one, name, description: 'changed' })).toBe(
        `failed to update repo \`${one}\``,
      );
    }
    expect(await admin.result('get_repo', { repoid: one })).toMatchObject({ repo_name: one, description: one });
  });

  it('private: everybody loses the level, and does not get it back with private=false', async () => {
    const { client } = await makeUser();
    const name = await makeRepository('git');
    await client.result('get_repo', { repoid: name });
    await admin.result('update_repo', { repoid: name, private: true });
    expect(await client.error('get_repo', { repoid: name })).toBe(`repository \`${name}\` does not exist`);
    await admin.result('update_repo', { repoid: name, private: false });
    expect(await client.error('get_repo', { repoid: name })).toBe(`repository \`${name}\` does not exist`);
  });

  it('clone_uri is set, kept and cleared; local paths are refused', async () => {
    const name = await makeRepository('git');
    const uri = 'https://ann:s3cret@example.com/x';
    const shown = async () =>
      (await admin.result<{ clone_uri: string | null }>('get_repo', { repoid: name })).clone_uri;
    await admin.result('update_repo', { repoid: name, clone_uri: uri });
    await admin.result('update_repo', { repoid: name, clone_uri: null, description: 'x' });
    expect(await shown()).toBe(uri);
    expect(await admin.error('update_repo', { repoid: name, clone_uri: 'file:///etc' })).toBe(
      `failed to update repo \`${name}\``,
    );
    await admin.result('update_repo', { repoid: name, clone_uri: '' });
    expect(await shown()).toBeNull();
  });

  it('returns the holder of the lock', async () => {
    const name = await makeRepository('hg');
    const { locked_since } = await admin.result<{ locked_since: number }>('lock', { repoid: name, locked: true });
    const { repository } = await admin.result<{ repository: object }>('update_repo', { repoid: name });
    expect(repository).toMatchObject({ locked_by: 'admin', locked_date: locked_since });
  });

  it('B9 a regular user needs admin on the repository, and may set no owner and no group without write', async () => {
    const { id, username, client } = await makeUser();
    const name = await makeRepository('hg');
    expect(await client.error('update_repo', { repoid: name })).toBe(`repository \`${name}\` does not exist`);
    await admin.result('grant_user_permission', { repoid: name, userid: id, perm: 'repository.admin' });
    await client.result('update_repo', { repoid: name, description: 'mine' });
    expect(await client.error('update_repo', { repoid: name, owner: username })).toBe(
      'Only admin can specify `owner` param',
    );
    const group = uniqueName('grp');
    await admin.result('create_repo', { repo_name: `${group}/x` });
    expect(await client.error('update_repo', { repoid: name, group })).toBe(`no permission to create repo in ${group}`);
  });

  it('B9 the error for the id of an unreadable group does not have its name', async () => {
    const user = await makeUser();
    const name = await makeRepository('hg');
    await admin.result('grant_user_permission', { repoid: name, userid: user.id, perm: 'repository.admin' });
    const group = uniqueName('grp');
    const { repo_group } = await admin.result<{ repo_group: { group_id: number } }>('create_repo_group', {
      group_name: group,
    });
    const hidden = { repogroupid: group, userid: user.id, perm: 'group.none' };
    await admin.result('grant_user_permission_to_repo_group', hidden);
    for (const sent of [repo_group.group_id, group]) {
      expect(await user.client.error('update_repo', { repoid: name, group: sent })).toBe(
        `repository group \`${sent}\` does not exist`,
      );
    }
  });

  it('a clone_uri that is sent back masked keeps its password', async () => {
    const { username, client } = await makeUser();
    const name = await makeRepository('git', { owner: username });
    const uri = 'https://ann:s3cret@example.com/x';
    await admin.result('update_repo', { repoid: name, clone_uri: uri });
    const { clone_uri } = await client.result<{ clone_uri: string }>('get_repo', { repoid: name });
    await client.result('update_repo', { repoid: name, clone_uri, description: 'x' });
    expect(await admin.result('get_repo', { repoid: name })).toMatchObject({ clone_uri: uri, description: 'x' });
    const other = clone_uri.replace('example.com', 'example.org');
    await client.result('update_repo', { repoid: name, clone_uri: other });
    expect(await admin.result('get_repo', { repoid: name })).toMatchObject({ clone_uri: other });
  });

  it('refuses an unknown owner', async () => {
    const name = await makeRepository('hg');
    expect(await admin.error('update_repo', { repoid: name, owner: 'ghost' })).toBe('user `ghost` does not exist');
  });
});
