import { describe, expect, it } from 'vitest';
import { admin, makeRepository, makeUser, repositoryTypes, sql, uniqueName } from '../harness/shared-cluster.ts';

describe.each(repositoryTypes)('get_repo %s', (type) => {
  it('returns record, empty last_changeset, members and followers to an administrator', async () => {
    const name = await makeRepository(type);
    const repo = await admin.result<Record<string, unknown> & { members: object[] }>('get_repo', { repoid: name });
    expect(repo).toMatchObject({
      repo_name: name,
      repo_type: type,
      owner: 'admin',
      last_changeset: {
        short_id: '000000000000',
        raw_id: '0000000000000000000000000000000000000000',
        revision: -1,
        message: '',
        date: '1970-01-01T00:00:00',
        author: '',
      },
      members: [{ type: 'user', username: 'default', permission: 'repository.read' }],
      followers: [{ username: 'admin', ip_addresses: [] }],
    });
    expect(repo.members[0]).not.toHaveProperty('ip_addresses');
    expect(repo.members[0]).toHaveProperty('api_key');
  });

  it('returns the size on the disk and the storage to administrators alone', async () => {
    const name = await makeRepository(type);
    const { client } = await makeUser();
    expect(await admin.result('get_repo', { repoid: name })).toMatchObject({
      size_bytes: expect.any(Number),
      storage: expect.stringMatching(/^(default|second)$/),
    });
    const shown = await client.result('get_repo', { repoid: name });
    for (const member of ['size_bytes', 'storage']) expect(shown).not.toHaveProperty(member);
  });

  it('finds a repository by id, digits or name', async () => {
    const name = await makeRepository(type);
    const { repo_id } = await admin.result<{ repo_id: number }>('get_repo', { repoid: name });
    for (const repoid of [repo_id, String(repo_id)]) {
      expect(await admin.result('get_repo', { repoid })).toMatchObject({ repo_name: name });
    }
  });
});

describe('get_repo', () => {
  it('returns null for an unknown repository to an administrator', async () => {
    for (const repoid of ['nothing/here', 99_999_999, '99999999', null]) {
      expect(await admin.result('get_repo', { repoid })).toBeNull();
    }
  });

  it('B10 answers a regular user the same for a missing and a forbidden repository', async () => {
    const { client } = await makeUser();
    const hidden = await makeRepository('git', { private: true });
    const { repo_id } = await admin.result<{ repo_id: number }>('get_repo', { repoid: hidden });
    const missing = uniqueName('git');
    expect(await client.error('get_repo', { repoid: hidden })).toBe(`repository \`${hidden}\` does not exist`);
    expect(await client.error('get_repo', { repoid: missing })).toBe(`repository \`${missing}\` does not exist`);
    expect(await client.error('get_repo', { repoid: repo_id })).toBe(`repository \`${repo_id}\` does not exist`);
    expect(await client.error('get_repo', { repoid: 99_999_999 })).toBe('repository `99999999` does not exist');
  });

  it('B1 shows a reader no user’s key and addresses', async () => {
    const { client } = await makeUser();
    const name = await makeRepository('hg');
    const reply = await client.result<{ members: object[]; followers: object[] }>('get_repo', { repoid: name });
    for (const user of [...reply.members, ...reply.followers]) {
      expect(user).not.toHaveProperty('api_key');
      expect(user).not.toHaveProperty('ip_addresses');
    }
  });

  it('lists user groups as members after users', async () => {
    const name = await makeRepository('hg');
    const group = uniqueName('devs');
    await sql`
      with g as (insert into user_groups (name, name_key, owner_id) select ${group}, ${group}, id from users where username = 'admin' returning id)
      insert into user_group_repository_permissions (user_group_id, repository_id, level)
      select g.id, r.id, 3 from g, repositories r where r.name = ${name}`;
    const { members } = await admin.result<{ members: object[] }>('get_repo', { repoid: name });
    expect(members).toHaveLength(2);
    expect(members[1]).toEqual({
      type: 'users_group',
      id: expect.any(Number),
      name: group,
      users_group_id: expect.any(Number),
      group_name: group,
      active: true,
      permission: 'repository.write',
    });
  });

  it('a repository that is being created or deleted does not exist', async () => {
    const name = await makeRepository('git');
    for (const state of ['creating', 'deleting']) {
      await sql`update repositories set state = ${state} where name = ${name}`;
      expect(await admin.result('get_repo', { repoid: name })).toBeNull();
      const names = await admin.result<{ repo_name: string }[]>('get_repos');
      expect(names.some(({ repo_name }) => repo_name === name)).toBe(false);
      expect(await admin.error('create_repo', { repo_name: name })).toBe(`repo \`${name}\` already exist`);
    }
    await sql`update repositories set state = 'ready' where name = ${name}`;
  });

  it('reports a missing argument', async () => {
    expect(await admin.error('get_repo')).toBe('Missing non optional `repoid` arg in JSON DATA');
  });

  it.each([true, 2.5, ['a'], { a: 1 }, 'a\0b', 'x'.repeat(256)])(
    'refuses a repoid of the wrong type: %j',
    async (repoid) => {
      expect(await admin.error('get_repo', { repoid })).toMatch(/^Invalid value for `repoid`: /);
    },
  );
});
