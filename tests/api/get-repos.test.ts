import { rename } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { makeRemote } from '../harness/remotes.ts';
import {
  admin,
  makeRepository,
  makeUser,
  repositoryTypes,
  sql,
  storagePathOf,
  uniqueName,
  type TestUser,
} from '../harness/shared-cluster.ts';
import { author, someFile } from '../harness/unique-name.ts';

interface Listed {
  readonly repo_id: number;
  readonly repo_name: string;
}

interface Changed {
  readonly repo_name: string;
  readonly last_changeset: object;
}

async function sees({ client }: TestUser, name: string): Promise<boolean> {
  const repos = await client.result<Listed[]>('get_repos');
  return repos.some(({ repo_name }) => repo_name === name);
}

describe('get_repos', () => {
  it('returns every repository by id, each with its last_changeset, to an administrator', async () => {
    const names = [await makeRepository('hg'), await makeRepository('git', { private: true })];
    const repos = await admin.result<Listed[]>('get_repos');
    const ids = repos.map(({ repo_id }) => repo_id);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    for (const name of names) {
      const record = repos.find(({ repo_name }) => repo_name === name);
      const {
        members,
        followers,
        size_bytes,
        storage,
        clone_url: _url,
        default_branch: _branch,
        ...shown
      } = await admin.result<Record<string, unknown>>('get_repo', { repoid: name });
      expect([members, followers]).toEqual([expect.any(Array), expect.any(Array)]);
      expect([size_bytes, storage]).toEqual([expect.any(Number), expect.any(String)]);
      expect(record).toEqual(shown);
      expect(Object.keys(record ?? {})).toEqual(Object.keys(shown));
      expect(record).toMatchObject({ last_changeset: { revision: -1, raw_id: '0'.repeat(40), message: '' } });
    }
  });

  it.each(repositoryTypes)(
    '%s: the last changeset as get_repo shows it, read from the database alone',
    async (type) => {
      const remote = await makeRemote[type]();
      const rawId = await remote.commit({ [someFile]: '1' }, 'the first');
      const name = uniqueName(type);
      await admin.result('create_repo', { repo_name: name, repo_type: type, clone_uri: remote.url });
      await remote.close();
      const { last_changeset } = await admin.result<Changed>('get_repo', { repoid: name });
      expect(last_changeset).toMatchObject({ raw_id: rawId, revision: 0, author: author.full });
      const path = await storagePathOf(name);
      await rename(path, `${path}-away`);
      try {
        const repos = await admin.result<Changed[]>('get_repos');
        expect(repos.find(({ repo_name }) => repo_name === name)).toMatchObject({ last_changeset });
      } finally {
        await rename(`${path}-away`, path);
      }
    },
  );

  it('shows everything that a record may have, and a login in the URL to administrators alone', async () => {
    const source = await makeRepository('hg');
    const name = uniqueName('every-member');
    const args = { repoid: source, fork_name: name, description: 'a, "b" \\ \n\u0001ж𐐷', landing_rev: 'a,"b' };
    await admin.result('fork_repo', args);
    const flags = { enable_downloads: true, enable_locking: true, enable_statistics: true };
    await admin.result('update_repo', { repoid: name, clone_uri: 'https://ann:secret@example.com/a', ...flags });
    const reader = await makeUser();
    for (const [client, login] of [
      [admin, 'ann:secret'],
      [reader.client, 'ann:*****'],
    ] as const) {
      const repos = await client.result<Listed[]>('get_repos');
      const record = repos.find(({ repo_name }) => repo_name === name);
      const {
        clone_url: _url,
        members,
        followers,
        size_bytes,
        storage,
        ...shown
      } = await client.result<Record<string, unknown>>('get_repo', { repoid: name });
      expect([members, followers, size_bytes ?? 0, storage ?? '']).toHaveLength(4);
      expect(record).toEqual(shown);
      expect(record).toMatchObject({ ...flags, fork_of: source, clone_uri: `https://${login}@example.com/a` });
    }
  });

  it('truncates texts of many megabytes, so that a few repositories do not make the list too large', async () => {
    const names = await Promise.all(Array.from({ length: 5 }, () => makeRepository('git')));
    await sql`update repositories set last_changeset = ${sql.json({
      rawId: 'a'.repeat(40),
      revision: 0,
      message: 'm'.repeat(16 * 2 ** 20),
      author: 'x'.repeat(2_000),
      date: 0,
    })} where name = any(${names})`;
    try {
      const repos = await admin.result<Changed[]>('get_repos');
      const record = repos.find(({ repo_name }) => repo_name === names[0]);
      expect(record).toMatchObject({ last_changeset: { message: 'm'.repeat(10_000), author: 'x'.repeat(1_000) } });
    } finally {
      await sql`update repositories set last_changeset = null where name = any(${names})`;
    }
  });

  it('returns the readable repositories to a regular user', async () => {
    const user = await makeUser();
    const open = await makeRepository('hg');
    const hidden = await makeRepository('git', { private: true });
    expect(await sees(user, open)).toBe(true);
    expect(await sees(user, hidden)).toBe(false);
  });

  it('a user’s own level overrides that of `default`, both a higher and a lower one', async () => {
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

  it('a user group gives its level only while it is active', async () => {
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

  it('returns a private repository to its owner', async () => {
    const user = await makeUser();
    const name = await makeRepository('git', { private: true, owner: user.username });
    expect(await sees(user, name)).toBe(true);
    expect(await sees(await makeUser(), name)).toBe(false);
  });
});
