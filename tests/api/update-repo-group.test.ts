import { describe, expect, it } from 'vitest';
import { admin, makeRepository, makeUser, sql, uniqueName, type TestUser } from '../harness/shared-cluster.ts';

interface Group {
  readonly group_id: number;
  readonly group_name: string;
}

/** Creates a group with a repository in it and one in a subgroup; returns its name and id. */
async function makeTree(): Promise<{ top: string; id: number }> {
  const top = uniqueName('grp');
  await admin.result('create_repo', { repo_name: `${top}/x` });
  await admin.result('create_repo', { repo_name: `${top}/sub/y`, repo_type: 'git' });
  const { group_id: id } = await admin.result<Group>('get_repo_group', { repogroupid: top });
  return { top, id };
}

/** Returns this name and all names below it that exist. */
async function namesOf(top: string): Promise<string[]> {
  const rows = await sql<{ path: string }[]>`
    select path from names where path = ${top} or path like ${`${top}/%`} order by path`;
  return rows.map(({ path }) => path);
}

async function grant(user: TestUser, repogroupid: string, perm: string): Promise<void> {
  await admin.result('grant_user_permission_to_repo_group', { repogroupid, userid: user.username, perm });
}

describe('update_repo_group', () => {
  it('changes only the given values', async () => {
    const { top, id } = await makeTree();
    const before = await admin.result<object>('get_repo_group', { repogroupid: top });
    const { username } = await makeUser();
    const args = { repogroupid: id, description: 'second', owner: username, enable_locking: 'yes' };
    const {
      members: _members,
      size_bytes: _bytes,
      size_unknown: _unknown,
      ...shown
    } = {
      members: [],
      size_bytes: 0,
      size_unknown: 0,
      ...before,
    };
    expect(await admin.result('update_repo_group', args)).toEqual({
      msg: `updated repository group ID:${id} ${top}`,
      repo_group: { ...shown, group_description: 'second', owner: username },
    });
    expect(await sql`select enable_locking from repo_groups where id = ${id}`).toMatchObject([
      { enable_locking: true },
    ]);
    expect(await admin.result('update_repo_group', { repogroupid: top })).toMatchObject({
      repo_group: { group_description: 'second', owner: username },
    });
  });

  it('a new name applies to everything below; the bytes are not moved', async () => {
    const { top, id } = await makeTree();
    const beside = `${top}-beside`;
    await admin.result('create_repo_group', { group_name: beside });
    const group_name = uniqueName('renamed');
    expect(await admin.result('update_repo_group', { repogroupid: top, group_name })).toMatchObject({
      msg: `updated repository group ID:${id} ${group_name}`,
      repo_group: { group_name, parent_group: null, repositories: [`${group_name}/x`] },
    });
    expect(await namesOf(group_name)).toEqual(['', '/sub', '/sub/y', '/x'].map((tail) => `${group_name}${tail}`));
    expect(await namesOf(top)).toEqual([]);
    expect(await namesOf(beside)).toEqual([beside]);
    await admin.result('invalidate_cache', { repoid: `${group_name}/sub/y` });
    await admin.result('delete_repo', { repoid: `${group_name}/sub/y` });
    await admin.result('create_repo', { repo_name: `${top}/x` });
  });

  it('moves below another group, by id or name, and back to the top level', async () => {
    const [one, other] = [await makeTree(), await makeTree()];
    const moved = await admin.result('update_repo_group', { repogroupid: one.id, parent: `${other.top}/sub` });
    expect(moved).toMatchObject({
      repo_group: { group_name: `${other.top}/sub/${one.top}`, parent_group: `${other.top}/sub` },
    });
    expect(await admin.result('get_repo', { repoid: `${other.top}/sub/${one.top}/sub/y` })).not.toBeNull();
    await admin.result('update_repo_group', { repogroupid: one.id, parent: other.id, group_name: 'z' });
    expect(await namesOf(`${other.top}/z`)).toHaveLength(4);
    const group_name = uniqueName('top');
    expect(await admin.result('update_repo_group', { repogroupid: one.id, parent: '', group_name })).toMatchObject({
      repo_group: { group_name, parent_group: null },
    });
    expect(await namesOf(group_name)).toHaveLength(4);
  });

  it('refuses a move into or below itself, and a name that is taken, invalid or too long', async () => {
    const { top, id } = await makeTree();
    const taken = await makeRepository('git');
    const failed = `failed to update repo group \`${top}\``;
    const before = await namesOf(top);
    const unfit = [
      ...[top, id, `${top}/sub`].map((parent) => ({ parent })),
      ...[taken, 'a/b', '42', '.a', '_admin', 'a\u0301'].map((group_name) => ({ group_name })),
      // The name itself is short enough; the names below it would be too long.
      { group_name: 'x'.repeat(252) },
    ];
    for (const args of unfit) {
      const text = await admin.error('update_repo_group', { repogroupid: top, description: 'changed', ...args });
      expect(text, JSON.stringify(args)).toBe(failed);
    }
    expect(await namesOf(top)).toEqual(before);
    expect(await sql`select from repo_groups where id = ${id} and description = 'changed'`).toHaveLength(0);
    expect(await admin.error('update_repo_group', { repogroupid: top, parent: 'ghosts' })).toBe(
      'repository group `ghosts` does not exist',
    );
    expect(await admin.error('update_repo_group', { repogroupid: top, owner: 'ghost' })).toBe(
      'user `ghost` does not exist',
    );
  });

  it('B9 a group administrator may set no owner, no parent without write, and not the top level', async () => {
    const [{ top }, other] = [await makeTree(), await makeTree()];
    const user = await makeUser();
    const call = (args: object) => user.client.error('update_repo_group', { repogroupid: top, ...args });
    await grant(user, top, 'group.write');
    expect(await call({ description: 'mine' })).toBe(`repository group \`${top}\` does not exist`);
    await grant(user, top, 'group.admin');
    expect(await call({ owner: user.username })).toBe('Only admin can specify `owner` param');
    expect(await call({ parent: other.top })).toBe(`no permission to create repo in ${other.top}`);
    expect(await call({ parent: '' })).toBe('Access was denied to this resource.');
    const shut = { repogroupid: other.top, userid: 'default', perm: 'group.none' };
    await admin.result('grant_user_permission_to_repo_group', shut);
    for (const parent of [other.id, other.top]) {
      expect(await call({ parent })).toBe(`repository group \`${parent}\` does not exist`);
    }
    await grant(user, other.top, 'group.write');
    const args = { repogroupid: top, parent: other.top, group_name: 'mine', description: 'mine' };
    expect(await user.client.result('update_repo_group', args)).toMatchObject({
      repo_group: { group_name: `${other.top}/mine`, group_description: 'mine' },
    });
  });

  it('B9 the error for the id of an unreadable group does not have its name', async () => {
    const [{ top }, secret] = [await makeTree(), await makeTree()];
    const user = await makeUser();
    await grant(user, top, 'group.admin');
    await grant(user, secret.top, 'group.none');
    for (const parent of [secret.id, secret.top]) {
      expect(await user.client.error('update_repo_group', { repogroupid: top, parent })).toBe(
        `repository group \`${parent}\` does not exist`,
      );
    }
  });
});
