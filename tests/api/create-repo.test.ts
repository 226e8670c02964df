import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectNothingLeft } from '../harness/nothing-left.ts';
import {
  admin,
  makeRepository,
  makeUser,
  repositoryTypes,
  sql,
  uniqueName,
  storagePathOf,
} from '../harness/shared-cluster.ts';

interface Created {
  readonly msg: string;
  readonly repo: { readonly repo_id: number; readonly repo_name: string; readonly owner: string; clone_uri: string };
  readonly task: null;
}

describe.each(repositoryTypes)('create_repo %s', (type) => {
  it('by an administrator: creates an empty repository and returns its record', async () => {
    const name = uniqueName(type);
    const created = await admin.result<Created>('create_repo', { repo_name: name, repo_type: type });
    expect(created).toEqual({
      msg: `Created new repository \`${name}\``,
      repo: {
        repo_id: expect.any(Number),
        repo_name: name,
        repo_type: type,
        clone_uri: null,
        private: false,
        created_on: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        description: name,
        landing_rev: 'tip',
        owner: 'admin',
        fork_of: null,
        enable_downloads: false,
        enable_locking: false,
        enable_statistics: false,
      },
      task: null,
    });
    const path = await storagePathOf(name);
    expect(existsSync(join(path, type === 'hg' ? '.hg/requires' : 'HEAD'))).toBe(true);
    expect(path).toMatch(/@repos\/[0-9a-f]{2}\/[0-9a-f-]{36}$/);
  });

  it('sets every option', async () => {
    const { username } = await makeUser();
    const name = uniqueName(type);
    const args = {
      owner: username,
      description: 'Für alle',
      private: 'true',
      landing_rev: 'rev:tip',
      enable_downloads: '1',
      enable_locking: true,
      enable_statistics: 'on',
    };
    const { repo } = await admin.result<Created>('create_repo', { repo_name: name, repo_type: type, ...args });
    expect(repo).toMatchObject({
      owner: username,
      description: 'Für alle',
      private: true,
      landing_rev: 'rev:tip',
      enable_downloads: true,
      enable_locking: true,
      enable_statistics: true,
    });
  });

  it('creates missing groups, which the first administrator owns', async () => {
    const { client } = await makeUser();
    const top = uniqueName('grp');
    const name = `${top}/inner/${type}`;
    await client.result('create_repo', { repo_name: name, repo_type: type });
    const groups = await sql`
      select g.name, u.username, p.level from repo_groups g join users u on u.id = g.owner_id
      join user_repo_group_permissions p on p.repo_group_id = g.id where g.name like ${`${top}%`} order by g.name`;
    expect(groups.map((row) => ({ ...row }))).toEqual([
      { name: top, username: 'admin', level: 1 },
      { name: `${top}/inner`, username: 'admin', level: 1 },
    ]);
  });

  it('refuses a name that is taken', async () => {
    const name = await makeRepository(type);
    expect(await admin.error('create_repo', { repo_name: name, repo_type: type })).toBe(
      `repo \`${name}\` already exist`,
    );
  });

  it('creates one repository in concurrent calls of one name', async () => {
    const name = `${uniqueName('grp')}/${type}`;
    const replies = await Promise.all(
      Array.from({ length: 12 }, () => admin.call('create_repo', { repo_name: name, repo_type: type })),
    );
    expect(replies.filter(({ error }) => error === null)).toHaveLength(1);
    const refused = replies.flatMap(({ error }) => (error === null ? [] : [error]));
    expect(new Set(refused)).toEqual(new Set([`repo \`${name}\` already exist`]));
  });
});

describe('create_repo', () => {
  it('a regular user with the right creates, owns and follows', async () => {
    const { client, username } = await makeUser();
    const name = uniqueName('own');
    const { repo } = await client.result<Created>('create_repo', { repo_name: name });
    expect(repo.owner).toBe(username);
    expect(await client.result('get_repo', { repoid: name })).toMatchObject({ followers: [{ username }] });
  });

  it('B9 refuses the argument owner of a regular user', async () => {
    const { client, username } = await makeUser();
    expect(await client.error('create_repo', { repo_name: uniqueName('x'), owner: username })).toBe(
      'Only admin can specify `owner` param',
    );
  });

  it('B9 a regular user needs write on the deepest existing group', async () => {
    const { client, id } = await makeUser();
    const group = uniqueName('grp');
    await admin.result('create_repo', { repo_name: `${group}/first` });
    const name = `${group}/new/second`;
    expect(await client.error('create_repo', { repo_name: name })).toBe(`no permission to create repo in ${group}`);
    await sql`insert into user_repo_group_permissions (user_id, repo_group_id, level)
      select ${id}, id, 3 from repo_groups where name = ${group}`;
    await client.result('create_repo', { repo_name: name });
  });

  it('B10 where the caller may create nothing, a name below a repository is refused like any other', async () => {
    const { client } = await makeUser();
    const group = uniqueName('grp');
    await admin.result('create_repo', { repo_name: `${group}/hidden`, private: true });
    for (const repo_name of [`${group}/hidden/below`, `${group}/free/below`]) {
      for (const args of [{}, { clone_uri: 'http://127.0.0.1:9/x' }]) {
        expect(await client.error('create_repo', { repo_name, ...args })).toBe(
          `no permission to create repo in ${group}`,
        );
      }
    }
  });

  it('refuses an unknown owner, and `default` as owner', async () => {
    for (const owner of ['ghost', 'default', 99_999_999]) {
      expect(await admin.error('create_repo', { repo_name: uniqueName('x'), owner })).toBe(
        `user \`${owner}\` does not exist`,
      );
    }
  });

  it('refuses an unknown repo_type', async () => {
    const name = uniqueName('x');
    for (const repo_type of ['svn', 'HG', '']) {
      expect(await admin.error('create_repo', { repo_name: name, repo_type })).toBe(
        `failed to create repository \`${name}\`: unknown repo_type`,
      );
    }
    await expectNothingLeft(name);
  });

  it('reports the first of several faults: owner, name, right on the group, name taken, then type and remote', async () => {
    const { client } = await makeUser();
    const group = uniqueName('order');
    const name = `${group}/taken`;
    await admin.result('create_repo', { repo_name: name });
    const wrong = { repo_type: 'svn', clone_uri: 'file:///etc' };
    const missing = { ...wrong, owner: 'no-such' };
    expect(await client.error('create_repo', { ...missing, repo_name: '-x' })).toBe(
      'Only admin can specify `owner` param',
    );
    expect(await admin.error('create_repo', { ...missing, repo_name: '-x' })).toBe('user `no-such` does not exist');
    expect(await admin.error('create_repo', { ...wrong, repo_name: '-x' })).toMatch(/: a segment must not begin/);
    const noRight = `no permission to create repo in ${group}`;
    expect(await client.error('create_repo', { ...wrong, repo_name: name })).toBe(noRight);
    expect(await admin.error('create_repo', { ...wrong, repo_name: name })).toBe(`repo \`${name}\` already exist`);
    const fresh = `${group}/new/fresh`;
    const refused = `failed to create repository \`${fresh}\``;
    expect(await admin.error('create_repo', { ...wrong, repo_name: fresh })).toBe(`${refused}: unknown repo_type`);
    expect(await admin.error('create_repo', { ...wrong, repo_type: 'git', repo_name: fresh })).toMatch(/: clone_uri /);
    await expectNothingLeft(fresh);
    expect(await sql`select path from names where path = ${`${group}/new`}`).toHaveLength(0);
  });

  it('C2 refuses a name below a repository, and the name of a group', async () => {
    const name = uniqueName('a');
    await admin.result('create_repo', { repo_name: name });
    const inside = `${name}/hooks/post-update`;
    expect(await admin.error('create_repo', { repo_name: inside })).toBe(
      `failed to create repository \`${inside}\`: \`${name}\` is a repository`,
    );
    const group = uniqueName('g');
    await admin.result('create_repo', { repo_name: `${group}/r` });
    expect(await admin.error('create_repo', { repo_name: group })).toBe(`repo \`${group}\` already exist`);
  });

  it('masks the password of a remote for all but administrators', async () => {
    const { client } = await makeUser();
    const name = uniqueName('masked');
    await admin.result('create_repo', { repo_name: name });
    const stored = await sql`select clone_uri, clone_uri_sealed from repositories where name = ${name}`;
    expect(stored[0]).toMatchObject({ clone_uri: null, clone_uri_sealed: null });
    const uri = 'http://bob:s3cret@127.0.0.1:9/x';
    const text = await client.error('create_repo', { repo_name: uniqueName('bad'), repo_type: 'git', clone_uri: uri });
    expect(text).not.toContain('s3cret');
    const dump = await sql`select o::text as text from operations o`;
    expect(dump.some((row) => String(row['text']).includes('s3cret'))).toBe(false);
  });

  it.each([
    ['repo_name', 7],
    ['repo_name', null],
    ['repo_name', 'a\0b'],
    ['repo_name', 'x'.repeat(1 << 19)],
    ['owner', 1.5],
    ['repo_type', ['hg']],
    ['description', 'x'.repeat(10_001)],
    ['private', 'maybe'],
    ['clone_uri', {}],
    ['landing_rev', '\ud800'],
    ['enable_downloads', 3],
  ])('A7 wrong value for %s', async (name, value) => {
    const text = await admin.error('create_repo', { repo_name: uniqueName('x'), [name]: value });
    expect(text).toMatch(new RegExp(`^Invalid value for \`${name}\`: `));
  });
});
