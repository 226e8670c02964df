import { describe, expect, it } from 'vitest';
import { admin, makeRepository, makeUser, sql, uniqueName } from '../harness/shared-cluster.ts';

interface Group {
  readonly group_id: number;
  readonly group_name: string;
  readonly repositories: string[];
  readonly size_bytes?: number;
  readonly size_unknown?: number;
  readonly members: { readonly type: string; readonly username?: string; readonly permission: string }[];
}

async function makeGroup(args: Record<string, unknown> = {}): Promise<string> {
  const group_name = uniqueName('grp');
  await admin.result('create_repo_group', { group_name, ...args });
  return group_name;
}

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);

describe('create_repo_group', () => {
  it('at the top level: returns message and record, with the default level for everybody', async () => {
    const group_name = uniqueName('grp');
    expect(await admin.result('create_repo_group', { group_name, description: 'first' })).toEqual({
      msg: `created new repo group \`${group_name}\``,
      repo_group: {
        group_id: expect.any(Number),
        group_name,
        group_description: 'first',
        parent_group: null,
        repositories: [],
        owner: 'admin',
        created_on: timestamp,
      },
    });
    const { members } = await admin.result<Group>('get_repo_group', { repogroupid: group_name });
    expect(members).toEqual([expect.objectContaining({ type: 'user', username: 'default', permission: 'group.read' })]);
  });

  it('creates a group below another one, by full name or by `parent`, an id or a name', async () => {
    const top = await makeGroup();
    const { username } = await makeUser();
    const full = await admin.result('create_repo_group', { group_name: `${top}/a`, owner: username });
    expect(full).toMatchObject({ repo_group: { group_name: `${top}/a`, parent_group: top, owner: username } });
    const { group_id } = await admin.result<Group>('get_repo_group', { repogroupid: top });
    for (const [group_name, parent] of [
      ['b', group_id],
      ['c', top],
      ['c/d', String(group_id)],
    ]) {
      expect(await admin.result('create_repo_group', { group_name, parent })).toMatchObject({
        repo_group: { group_name: `${top}/${String(group_name)}` },
      });
    }
    expect(await admin.result('create_repo_group', { group_name: uniqueName('grp'), parent: '' })).toMatchObject({
      repo_group: { parent_group: null },
    });
  });

  it('copy_permissions: copies the permissions of the group above', async () => {
    const top = await makeGroup();
    const { id } = await makeUser();
    await sql`insert into user_repo_group_permissions (user_id, repo_group_id, level)
      select ${id}, id, 3 from repo_groups where name = ${top}`;
    await sql`delete from user_repo_group_permissions using repo_groups g, users u
      where g.id = repo_group_id and g.name = ${top} and u.id = user_id and u.username = 'default'`;
    const copy = `${top}/copy`;
    await admin.result('create_repo_group', { group_name: copy, copy_permissions: true });
    const { members } = await admin.result<Group>('get_repo_group', { repogroupid: copy });
    expect(members).toEqual([expect.objectContaining({ user_id: id, permission: 'group.write' })]);
  });

  it('refuses unknown parents and owners', async () => {
    const ghost = uniqueName('ghost');
    expect(await admin.error('create_repo_group', { group_name: `${ghost}/a` })).toBe(
      `repository group \`${ghost}\` does not exist`,
    );
    expect(await admin.error('create_repo_group', { group_name: 'a', parent: ghost })).toBe(
      `repository group \`${ghost}\` does not exist`,
    );
    expect(await admin.error('create_repo_group', { group_name: 'a', owner: ghost })).toBe(
      `user \`${ghost}\` does not exist`,
    );
    const repository = await makeRepository('git');
    expect(await admin.error('create_repo_group', { group_name: `${repository}/a` })).toBe(
      `repository group \`${repository}\` does not exist`,
    );
  });

  it('refuses a name that is taken', async () => {
    const group_name = await makeGroup();
    expect(await admin.error('create_repo_group', { group_name })).toBe(`repo group \`${group_name}\` already exist`);
    const repository = await makeRepository('hg');
    expect(await admin.error('create_repo_group', { group_name: repository })).toBe(
      `repo \`${repository}\` already exist`,
    );
  });

  it.each(['', '-a', '42', 'a//b', '/a', 'a.git', '_admin', '_5', 'a b', 'x'.repeat(256)])(
    'refuses the name %j',
    async (group_name) => {
      const text = await admin.error('create_repo_group', { group_name });
      expect(text.startsWith(`failed to create repo group \`${group_name}\`: `)).toBe(true);
    },
  );
});

describe('get_repo_group and get_repo_groups', () => {
  it('B10 show only the parts of a group that the caller may read', async () => {
    const top = await makeGroup();
    await admin.result('create_repo', { repo_name: `${top}/open` });
    await admin.result('create_repo', { repo_name: `${top}/closed`, private: true });
    await admin.result('create_repo', { repo_name: `${top}/sub/deep` });
    const { client } = await makeUser();
    const shown = await client.result<Group>('get_repo_group', { repogroupid: top });
    expect(shown.repositories).toEqual([`${top}/open`]);
    expect(shown.members).toEqual([expect.not.objectContaining({ api_key: expect.anything() })]);
    const whole = await admin.result<Group>('get_repo_group', { repogroupid: top });
    expect(whole.repositories).toEqual([`${top}/closed`, `${top}/open`]);
    const { members: _members, size_bytes: _bytes, size_unknown: _unknown, ...listed } = whole;
    const groups = await admin.result<Group[]>('get_repo_groups');
    expect(groups.filter(({ group_name }) => group_name.startsWith(top))).toEqual([
      listed,
      expect.objectContaining({ group_name: `${top}/sub`, parent_group: top, repositories: [`${top}/sub/deep`] }),
    ]);
    const seen = await client.result<Group[]>('get_repo_groups');
    expect(seen.find(({ group_name }) => group_name === top)?.repositories).toEqual([`${top}/open`]);
  });

  it('B10 a missing group is null to an administrator, and answered like a forbidden one to others', async () => {
    const top = await makeGroup();
    await sql`update user_repo_group_permissions set level = 0
      where repo_group_id = (select id from repo_groups where name = ${top})`;
    const { client } = await makeUser();
    const ghost = uniqueName('ghost');
    expect(await admin.result('get_repo_group', { repogroupid: ghost })).toBeNull();
    for (const repogroupid of [top, ghost]) {
      expect(await client.error('get_repo_group', { repogroupid })).toBe(
        `repository group \`${repogroupid}\` does not exist`,
      );
    }
    const seen = await client.result<Group[]>('get_repo_groups');
    expect(seen.map(({ group_name }) => group_name)).not.toContain(top);
  });

  it('return pages by id', async () => {
    const [one, other] = [await makeGroup(), await makeGroup()];
    const { group_id } = await admin.result<Group>('get_repo_group', { repogroupid: one });
    const page = await admin.result<Group[]>('get_repo_groups', { cursor: group_id - 1, limit: 1 });
    expect(page.map(({ group_name }) => group_name)).toEqual([one]);
    const rest = await admin.result<Group[]>('get_repo_groups', { cursor: group_id });
    expect(rest.map(({ group_name }) => group_name)).toContain(other);
  });
});

describe('delete_repo_group', () => {
  it('deletes only an empty group, whose name is then free', async () => {
    const top = await makeGroup();
    await admin.result('create_repo', { repo_name: `${top}/sub/x` });
    const { group_id } = await admin.result<Group>('get_repo_group', { repogroupid: top });
    const refused = `failed to delete repo group ID:${group_id} ${top}`;
    expect(await admin.error('delete_repo_group', { repogroupid: top })).toBe(refused);
    expect(await admin.error('delete_repo_group', { repogroupid: `${top}/sub` })).toMatch(/^failed to delete/);
    await admin.result('delete_repo', { repoid: `${top}/sub/x` });
    expect(await admin.error('delete_repo_group', { repogroupid: top })).toBe(refused);
    await admin.result('delete_repo_group', { repogroupid: `${top}/sub` });
    expect(await admin.result('delete_repo_group', { repogroupid: group_id })).toEqual({
      msg: `deleted repo group ID:${group_id} ${top}`,
      repo_group: null,
    });
    expect(await admin.result('get_repo_group', { repogroupid: top })).toBeNull();
    await admin.result('create_repo', { repo_name: top });
  });

  it('is allowed to the owner; to others the group is answered as missing', async () => {
    const [owner, other] = [await makeUser(), await makeUser()];
    const top = await makeGroup({ owner: owner.username });
    const missing = (name: string) => `repository group \`${name}\` does not exist`;
    expect(await other.client.error('delete_repo_group', { repogroupid: top })).toBe(missing(top));
    expect(await owner.client.result('delete_repo_group', { repogroupid: top })).toMatchObject({ repo_group: null });
    expect(await admin.error('delete_repo_group', { repogroupid: top })).toBe(missing(top));
  });
});
