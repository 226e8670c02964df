import { describe, expect, it } from 'vitest';
import { admin, makeRepository, makeUser, uniqueName, type TestUser } from '../harness/shared-cluster.ts';

interface Made {
  readonly users_group_id: number;
  readonly group_name: string;
}

async function makeGroup(owner?: TestUser): Promise<Made> {
  const args = { group_name: uniqueName('devs'), owner: owner?.username };
  return (await admin.result<{ users_group: Made }>('create_user_group', args)).users_group;
}

const missing = (name: string) => `user group \`${name}\` does not exist`;

describe('update_user_group', () => {
  it('changes only the given values', async () => {
    const { users_group_id, group_name: old } = await makeGroup();
    const group_name = uniqueName('Devs');
    const owner = await makeUser();
    const args = { usersgroupid: old, group_name, description: 'all of us', owner: owner.username, active: 'no' };
    const user_group = { users_group_id, group_name, active: false };
    const msg = `updated user group ID:${users_group_id} ${group_name}`;
    expect(await admin.result('update_user_group', args)).toEqual({ msg, user_group });
    // The user owns the group now. Without arguments nothing changes; its own name in another case is allowed.
    expect(await owner.client.result('update_user_group', { usersgroupid: group_name })).toEqual({ msg, user_group });
    const lower = group_name.toLowerCase();
    expect(await admin.result('update_user_group', { usergroupid: users_group_id, group_name: lower })).toMatchObject({
      user_group: { group_name: lower, active: false },
    });
    expect(await admin.result('get_user_group', { usergroupid: old })).toBeNull();
  });

  it('an inactive group gives its members no rights', async () => {
    const { group_name: usersgroupid } = await makeGroup();
    const { username: userid, client } = await makeUser();
    const repoid = await makeRepository('git', { private: true });
    await admin.result('add_user_to_user_group', { usersgroupid, userid });
    await admin.result('grant_user_group_permission', { repoid, usersgroupid, perm: 'repository.read' });
    await client.result('get_repo', { repoid });
    await admin.result('update_user_group', { usersgroupid, active: false });
    expect(await client.error('get_repo', { repoid })).toBe(`repository \`${repoid}\` does not exist`);
  });

  it('refuses a name that is taken, in any case, or invalid', async () => {
    const [one, other] = [await makeGroup(), await makeGroup()];
    for (const group_name of [other.group_name.toUpperCase(), 'x', '12', 'default', 'a b', 'a/b', '']) {
      expect(await admin.error('update_user_group', { usersgroupid: one.group_name, group_name })).toBe(
        `failed to update user group \`${one.group_name}\``,
      );
    }
    expect(await admin.error('update_user_group', { usersgroupid: 'ghosts' })).toBe(missing('ghosts'));
    const owner = { usersgroupid: one.group_name, owner: 'ghost' };
    expect(await admin.error('update_user_group', owner)).toBe('user `ghost` does not exist');
  });

  it('B9 is allowed to the owner, who may not set another owner; to others the group is answered as missing', async () => {
    const [owner, other] = [await makeUser(), await makeUser()];
    const { group_name: usersgroupid } = await makeGroup(owner);
    expect(await owner.client.result('update_user_group', { usersgroupid, active: false })).toMatchObject({
      user_group: { active: false },
    });
    expect(await owner.client.error('update_user_group', { usersgroupid, owner: other.username })).toBe(
      'Only admin can specify `owner` param',
    );
    expect(await other.client.error('update_user_group', { usersgroupid, active: true })).toBe(missing(usersgroupid));
  });
});

describe('delete_user_group', () => {
  it('deletes a group with its members, whose name is then free', async () => {
    const { users_group_id, group_name } = await makeGroup();
    await admin.result('add_user_to_user_group', { usersgroupid: group_name, userid: 'admin' });
    expect(await admin.result('delete_user_group', { usersgroupid: users_group_id })).toEqual({
      msg: `deleted user group ID:${users_group_id} ${group_name}`,
      user_group: null,
    });
    expect(await admin.error('delete_user_group', { usergroupid: group_name })).toBe(missing(group_name));
    await admin.result('create_user_group', { group_name });
  });

  it('refuses a group that has a level on something, with some of the names, sorted', async () => {
    const { group_name: usersgroupid } = await makeGroup();
    const top = uniqueName('grp');
    const names = ['c', 'a', 'b', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'].map((last) => `${top}/${last}`);
    await admin.result('create_repo', { repo_name: names[0] });
    await admin.result('grant_user_group_permission', { repoid: names[0], usersgroupid, perm: 'repository.none' });
    await admin.result('grant_user_group_permission_to_repo_group', {
      repogroupid: top,
      usersgroupid,
      perm: 'group.read',
    });
    expect(await admin.error('delete_user_group', { usersgroupid })).toBe(
      `User Group assigned to ${top}, ${names[0] ?? ''}`,
    );
    for (const repo_name of names.slice(1)) await admin.result('create_repo', { repo_name });
    const all = { repogroupid: top, usersgroupid, apply_to_children: 'all' };
    await admin.result('grant_user_group_permission_to_repo_group', { ...all, perm: 'group.read' });
    expect(await admin.error('delete_user_group', { usersgroupid })).toBe(
      `User Group assigned to ${[top, ...names.toSorted().slice(0, 9)].join(', ')}, ...`,
    );
    await admin.result('revoke_user_group_permission_from_repo_group', all);
    await admin.result('delete_user_group', { usersgroupid });
  });

  it('B10 is allowed to the owner, whose error has no hidden name; to others the group is answered as missing', async () => {
    const [owner, other] = [await makeUser(), await makeUser()];
    const { group_name: usersgroupid } = await makeGroup(owner);
    const [hidden, open] = [await makeRepository('hg', { private: true }), await makeRepository('hg')];
    const grant = { usersgroupid, perm: 'repository.read' };
    await admin.result('grant_user_group_permission', { ...grant, repoid: hidden });
    expect(await owner.client.error('delete_user_group', { usersgroupid })).toBe('User Group assigned to ...');
    await admin.result('grant_user_group_permission', { ...grant, repoid: open });
    expect(await owner.client.error('delete_user_group', { usersgroupid })).toBe(`User Group assigned to ${open}, ...`);
    for (const repoid of [hidden, open]) await admin.result('revoke_user_group_permission', { repoid, usersgroupid });
    expect(await other.client.error('delete_user_group', { usersgroupid })).toBe(missing(usersgroupid));
    expect(await owner.client.result('delete_user_group', { usersgroupid })).toMatchObject({ user_group: null });
  });
});
