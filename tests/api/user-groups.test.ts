import { describe, expect, it } from 'vitest';
import { admin, makeUser, uniqueName } from '../harness/shared-cluster.ts';

interface Group {
  readonly users_group_id: number;
  readonly group_name: string;
  readonly active: boolean;
  readonly members: { username: string; api_key: string }[];
}

async function makeGroup(args: Record<string, unknown> = {}): Promise<string> {
  const group_name = uniqueName('devs');
  await admin.result('create_user_group', { group_name, ...args });
  return group_name;
}

describe('create_user_group', () => {
  it('returns message and record to an administrator', async () => {
    const group_name = uniqueName('devs');
    expect(await admin.result('create_user_group', { group_name, active: 'false' })).toEqual({
      msg: `created new user group \`${group_name}\``,
      users_group: { users_group_id: expect.any(Number), group_name, active: false },
    });
  });

  it('is found under its earlier name', async () => {
    const group_name = uniqueName('devs');
    expect(await admin.result('create_users_group', { group_name })).toMatchObject({ users_group: { group_name } });
  });

  it('refuses a name that is taken, in any case', async () => {
    const name = await makeGroup();
    const again = name.toUpperCase();
    expect(await admin.error('create_user_group', { group_name: again })).toBe(`user group \`${again}\` already exist`);
  });

  it.each(['x', '12', 'default', 'a b', '-a', 'a/b', ''])('refuses the name %j', async (group_name) => {
    const text = await admin.error('create_user_group', { group_name });
    expect(text.startsWith(`failed to create group \`${group_name}\`: `)).toBe(true);
  });

  it('refuses an unknown owner', async () => {
    const args = { group_name: uniqueName('devs'), owner: 'ghost' };
    expect(await admin.error('create_user_group', args)).toBe('user `ghost` does not exist');
  });
});

describe('get_user_group and get_user_groups', () => {
  it('return members only when asked', async () => {
    const name = await makeGroup();
    const { username, client } = await makeUser();
    await admin.result('add_user_to_user_group', { usersgroupid: name, userid: username });
    const group = await admin.result<Group>('get_user_group', { usergroupid: name });
    expect(group).toMatchObject({ group_name: name, active: true, members: [{ username, api_key: client.apiKey }] });
    expect(group.members[0]).not.toHaveProperty('ip_addresses');
    for (const args of [{ usergroupid: group.users_group_id }, { usersgroupid: String(group.users_group_id) }]) {
      expect(await admin.result('get_users_group', args)).toMatchObject({ group_name: name });
    }
    const groups = await admin.result<Group[]>('get_user_groups');
    expect(groups.find(({ group_name }) => group_name === name)).toEqual({
      users_group_id: group.users_group_id,
      group_name: name,
      active: true,
    });
  });

  it('return null for an unknown group', async () => {
    expect(await admin.result('get_user_group', { usergroupid: 'ghosts' })).toBeNull();
  });

  it('reports a missing argument', async () => {
    expect(await admin.error('get_user_group')).toBe('Missing non optional `usergroupid` arg in JSON DATA');
  });
});

describe('add_user_to_user_group and remove_user_from_user_group', () => {
  it('add and remove a user once, and succeed when repeated', async () => {
    const usersgroupid = await makeGroup();
    const { username: userid } = await makeUser();
    const args = { usersgroupid, userid };
    expect(await admin.result('add_user_to_user_group', args)).toEqual({
      success: true,
      msg: `added member \`${userid}\` to user group \`${usersgroupid}\``,
    });
    const already = { success: false, msg: 'User is already in that group' };
    expect(await admin.result('add_user_user_group', args)).toEqual(already);
    expect(await admin.result('add_user_to_users_group', { usergroupid: usersgroupid, userid })).toEqual(already);
    expect(await admin.result('remove_user_from_user_group', args)).toEqual({
      success: true,
      msg: `removed member \`${userid}\` from user group \`${usersgroupid}\``,
    });
    expect(await admin.result('remove_user_from_users_group', args)).toEqual({
      success: false,
      msg: "User wasn't in group",
    });
  });

  it('report an unknown user before an unknown group', async () => {
    const call = (args: object) => admin.error('add_user_to_user_group', args);
    expect(await call({ usersgroupid: 'ghosts', userid: 'ghost' })).toBe('user `ghost` does not exist');
    expect(await call({ usersgroupid: 'ghosts', userid: 'admin' })).toBe('user group `ghosts` does not exist');
  });
});
