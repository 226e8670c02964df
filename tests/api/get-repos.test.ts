import { describe, expect, it } from 'vitest';
import { admin, makeRepository, makeUser, sql, type TestUser } from '../harness/shared-cluster.ts';

interface Listed {
  readonly repo_id: number;
  readonly repo_name: string;
}

async function sees({ client }: TestUser, name: string): Promise<boolean> {
  const repos = await client.result<Listed[]>('get_repos');
  return repos.some(({ repo_name }) => repo_name === name);
}

describe('get_repos', () => {
  it('admin: every repository, by id, base fields only', async () => {
    const names = [await makeRepository('hg'), await makeRepository('git', { private: true })];
    const repos = await admin.result<Listed[]>('get_repos');
    const ids = repos.map(({ repo_id }) => repo_id);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    for (const name of names) {
      const record = repos.find(({ repo_name }) => repo_name === name);
      expect(record).toBeDefined();
      expect(record).not.toHaveProperty('last_changeset');
    }
  });

  it('a regular user: what he may read', async () => {
    const user = await makeUser();
    const open = await makeRepository('hg');
    const hidden = await makeRepository('git', { private: true });
    expect(await sees(user, open)).toBe(true);
    expect(await sees(user, hidden)).toBe(false);
  });

  it('his own row beats everybody’s, in both directions', async () => {
    const user = await makeUser();
    const open = await makeRepository('hg');
    const hidden = await makeRepository('git', { private: true });
    const set = (name: string, level: number) => sql`
      insert into user_repository_permissions (user_id, repository_id, level) select ${user.id}, id, ${level} from repositories where name = ${name}
      on conflict (user_id, repository_id) do update set level = excluded.level`;
    await set(open, 0);
    await set(hidden, 1);
    expect(await sees(user, open)).toBe(false);
    expect(await sees(user, hidden)).toBe(true);
  });

  it('through an active group, not through an inactive one', async () => {
    const user = await makeUser();
    const hidden = await makeRepository('git', { private: true });
    const group = `g-${user.username}`;
    await sql`insert into user_groups (name, name_key, owner_id) select ${group}, ${group}, id from users where username = 'admin'`;
    await sql`insert into user_group_members (user_id, user_group_id) select ${user.id}, id from user_groups where name = ${group}`;
    await sql`insert into user_group_repository_permissions (user_group_id, repository_id, level)
      select g.id, r.id, 1 from user_groups g, repositories r where g.name = ${group} and r.name = ${hidden}`;
    expect(await sees(user, hidden)).toBe(true);
    await sql`update user_groups set active = false where name = ${group}`;
    expect(await sees(user, hidden)).toBe(false);
  });

  it('an owner sees his own private repository', async () => {
    const user = await makeUser();
    const name = await makeRepository('git', { private: true, owner: user.username });
    expect(await sees(user, name)).toBe(true);
    expect(await sees(await makeUser(), name)).toBe(false);
  });
});
